/**
 * Reports errors of a page's own scripts, so that no page stays blank. It imports nothing, as it must not fail.
 */

(() => {
  /** @type {Record<string, [string, string]>} */
  const WORDS = {
    en: ["This page could not be drawn in full.", "Load it again"],
    de: ["Diese Seite konnte nicht ganz gezeichnet werden.", "Neu laden"],
    es: ["Esta página no se ha podido mostrar entera.", "Cargarla de nuevo"],
    fr: ["Cette page n’a pas pu être affichée en entier.", "La recharger"],
  };

  /** Shows the notice once. */
  function tell() {
    if (document.querySelector("#failed")) return;
    const language =
      document.documentElement.lang in WORDS && document.body.classList.contains("ready")
        ? document.documentElement.lang
        : [localStorage.getItem("language") ?? "", navigator.language.slice(0, 2), "en"].find((one) => one in WORDS);
    const [text, again] = WORDS[language ?? "en"];
    const notice = document.createElement("div");
    notice.id = "failed";
    notice.className = "notice row";
    notice.setAttribute("role", "alert");
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = again;
    button.onclick = () => location.reload();
    notice.append(text, " ", button);
    document.body.prepend(notice);
    document.body.classList.add("ready");
  }

  addEventListener(
    "error",
    (/** @type {Event} */ event) => {
      if (event instanceof ErrorEvent ? event.error : event.target instanceof HTMLScriptElement) tell();
    },
    true,
  );
  // Later on a request may fail, which is said elsewhere; before the page stands it leaves nothing to see.
  addEventListener("unhandledrejection", () => {
    if (!document.body.classList.contains("ready")) tell();
  });
})();
