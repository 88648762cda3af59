/** An edition as its file: what is wrong with it by line and key, the text to edit, saving, downloading, sharing. */

import { confirm } from "./actions.js";
import { get, post, Refused } from "./api.js";
import { attempt, worded } from "./attempt.js";
import { ask, fill, h, toast } from "./dom.js";
import { t } from "./i18n.js";

/** @typedef {import("./answers").FileFaultAnswer} Fault */

/**
 * Lists what is wrong with a draft, and marks the parts of the form.
 * @param {HTMLElement} place @param {Fault[]} faults
 */
export function drawFaults(place, faults) {
  for (const part of document.querySelectorAll("[data-path].faulty")) part.classList.remove("faulty");
  for (const { key } of faults) partAt(key)?.classList.add("faulty");
  fill(
    place,
    faults.length > 0 &&
      h(
        "ul",
        { class: "plain warn faults" },
        faults.map((fault) => h("li", {}, faultText(fault))),
      ),
  );
}

/** A fault in one line: where, and what. @param {Fault} fault */
const faultText = ({ line, key, message }) =>
  [line === null ? "" : t("edition.line", { line }), key, message].filter(Boolean).join(" · ");

/** The innermost part of the form that a key of the file belongs to. @param {string} key */
function partAt(key) {
  const parts = [...document.querySelectorAll("[data-path]")];
  return parts
    .filter((part) => key.startsWith(part.getAttribute("data-path") ?? key))
    .sort((a, b) => (b.getAttribute("data-path") ?? "").length - (a.getAttribute("data-path") ?? "").length)[0];
}

/**
 * The text of the file, to be edited by hand.
 * @param {(definition: Record<string, unknown>) => void} take takes over the values of a text without faults
 */
export function fileView(take) {
  const faults = h("div", { id: "file-faults", role: "alert" });
  /** Whether the text was edited since the form was: then it is not written over. */
  let edited = false;
  const field = h("textarea", {
    id: "file",
    rows: "18",
    spellcheck: "false",
    "aria-label": t("edition.file"),
    oninput: () => {
      edited = true;
    },
  });
  const check = async () => {
    const found = await attempt(() => post("/api/editions/check", { file: field.value }));
    if (!found) return false;
    fill(
      faults,
      found.faults.length
        ? h(
            "ul",
            { class: "plain warn faults" },
            found.faults.map((fault) =>
              h(
                "li",
                {},
                h("button", { type: "button", class: "link", onclick: () => goTo(fault.line) }, faultText(fault)),
              ),
            ),
          )
        : h("p", { class: "good" }, t("edition.file.good")),
    );
    if (found.definition) {
      edited = false;
      take(found.definition);
    }
    return found.definition !== null;
  };
  const goTo = (/** @type {number | null} */ line) => {
    const lines = field.value.split("\n");
    const start = lines.slice(0, (line ?? 1) - 1).reduce((sum, one) => sum + one.length + 1, 0);
    field.focus();
    field.setSelectionRange(start, start + (lines[(line ?? 1) - 1] ?? "").length);
  };
  return {
    element: h(
      "div",
      { class: "stack" },
      h("p", { class: "small soft" }, t("edition.file.help")),
      field,
      faults,
      h(
        "div",
        { class: "row" },
        h("button", { type: "button", id: "check-file", onclick: check }, t("edition.file.take")),
      ),
    ),
    /** The form was edited: its file is shown again. */
    release() {
      edited = false;
    },
    /** Shows the file of a draft, unless its text was edited meanwhile. @param {string} text */
    show(text) {
      if (edited) return;
      field.value = text;
      fill(faults);
    },
    /** Takes a file from elsewhere over. @param {string} text */
    async open(text) {
      field.value = text;
      edited = true;
      return check();
    },
  };
}

/** Keeps a file; one of the same ID is replaced only where that is really meant. @param {string} file */
export async function keep(file) {
  try {
    return await post("/api/editions", { file });
  } catch (error) {
    if (!(error instanceof Refused && error.code === "edition-exists")) {
      toast(error instanceof Refused ? (error.code === "invalid" ? error.message : worded(error)) : t("offline"));
      return null;
    }
  }
  if (!(await confirm(t("edition.replace"), t("edition.save")))) return null;
  return attempt(() => post("/api/editions", { file, replace: true }));
}

/** Offers a text as a file to keep on this device. @param {string} text @param {string} name */
export function download(text, name) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: "application/toml" })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

/** Shows an edition as a QR code. @param {string} id @param {string} title */
export async function share(id, title) {
  const found = await attempt(() => post("/api/editions/share", { edition: id }));
  if (!found) return;
  await ask(
    t("edition.share.title", { deck: title }),
    () => [
      h("img", {
        class: "qr qr-large",
        alt: t("edition.share.qr"),
        src: `data:image/svg+xml,${encodeURIComponent(found.qr)}`,
      }),
      h("p", { class: "small" }, t(`edition.share.${found.holds}`)),
      found.holds === "link" && h("p", { class: "small soft break" }, found.text),
      h(
        "div",
        { class: "row end" },
        h(
          "button",
          {
            type: "button",
            onclick: () =>
              attempt(async () => download((await get(`/api/editions/${encodeURIComponent(id)}`)).file, `${id}.toml`)),
          },
          t("edition.download"),
        ),
      ),
    ],
    t("close"),
  );
}
