/** The page of editions: the available decks, and making one's own. */

import { confirm } from "./actions.js";
import { get, post, remove } from "./api.js";
import { attempt, may } from "./attempt.js";
import { drawCard } from "./card.js";
import { choices as ask } from "./choices.js";
import { $, fill, h, toast } from "./dom.js";
import { draftOf, emptyDraft, idOf, valuesOf } from "./edition-draft.js";
import { download, drawFaults, fileView, keep, share } from "./edition-file.js";
import { drawForm } from "./edition-form.js";
import { drawGallery, showDeck } from "./edition-gallery.js";
import { trial } from "./edition-try.js";
import { t } from "./i18n.js";
import { live, prepare } from "./shell.js";
import { faceOf, wear } from "./signs.js";

/** How long a change waits for the next one before the draft is written, in milliseconds. */
const PAUSE = 350;

/** @typedef {import("./edition-draft.js").Draft} Draft */

const me = await prepare("viewer");
const language = document.documentElement.lang;
const wanted = new URLSearchParams(location.search);
const maker = h("div", { class: "stack", id: "maker" });
/** Files of the user's own that cannot be read. */
const notices = h("div", { class: "stack", id: "unread" });
const gallery = h("section", { class: "stack", "aria-labelledby": "gallery-title" });
const choices = await ask();
let { editions, faults: unread } = await listed();

live({ own: true });
fill($("#edition"), may(me.role, "player") && beginning(), maker, notices, gallery);
showGallery();
const shown = editions.find((one) => one.id === wanted.get("show"));
if (shown) await showDeck(shown);
if (wanted.has("edit") && may(me.role, "player")) await edit(wanted.get("edit") ?? "");

function listed() {
  return get(`/api/editions?language=${language}`);
}

function showGallery() {
  fill(
    notices,
    unread.map((line) => h("p", { class: "warn" }, line)),
  );
  drawGallery(gallery, [...editions.filter((one) => one.own), ...editions.filter((one) => !one.own)], {
    role: me.role,
    edit,
    share: (one) => share(one.id, one.title),
    remove: async (one) => {
      if (!(await confirm(t("gallery.remove.sure", { deck: one.title }), t("gallery.remove")))) return;
      await attempt(() => remove(`/api/editions/${encodeURIComponent(one.id)}`));
      ({ editions, faults: unread } = await listed());
      showGallery();
    },
  });
}

/** The ways to a deck of one's own. */
function beginning() {
  const picker = h("input", {
    type: "file",
    accept: ".toml,application/toml,text/plain",
    class: "visually-hidden",
    id: "import-file",
    onchange: async (event) => {
      const file = event.target.files?.[0];
      event.target.value = "";
      if (!file) return;
      const text = await file.text();
      (await make(emptyDraft(t("edition.new"), language, taken()))).open(text);
    },
  });
  return h(
    "div",
    { class: "panel stack" },
    h("p", {}, t("edition.intro")),
    h(
      "div",
      { class: "row" },
      h(
        "button",
        {
          type: "button",
          class: "primary",
          id: "make",
          onclick: () => make(emptyDraft(t("edition.new"), language, taken())),
        },
        t("edition.make"),
      ),
      picker,
      h("label", { class: "button", for: "import-file" }, t("edition.import")),
      may(me.role, "host") && h("a", { href: "/" }, t("nav.setup")),
    ),
  );
}

/** The IDs that there are. */
const taken = () => editions.map((one) => one.id);

/** Begins with a deck that is there: with itself where it is one's own, else with a copy. @param {string} id */
async function edit(id) {
  const one = editions.find((each) => each.id === id);
  const found = await attempt(() => get(`/api/editions/${encodeURIComponent(id)}`));
  const checked = found && (await attempt(() => post("/api/editions/check", { file: found.file })));
  if (!one || !found) return;
  /** A printed edition has an ID that no other file may have: its copy is based on it. */
  const values = checked?.definition ?? { format: 1, based_on: one.id, name: { [language]: one.title } };
  const draft = draftOf(values);
  if (!one.own) {
    draft.id = idOf(`${id} ${t("edition.copy")}`, taken());
    draft.checked = "own";
  }
  await make(draft);
}

/** Opens the form for a draft. @param {Draft} draft */
async function make(draft) {
  const place = h("form", {
    class: "stack panel",
    id: "draft",
    autocomplete: "off",
    onsubmit: (/** @type {Event} */ event) => event.preventDefault(),
  });
  const beside = h("section", { class: "panel stack", id: "try", "aria-live": "polite" });
  const faults = h("div", { id: "faults", role: "status" });
  const saved = h("div", { class: "row", id: "saved", role: "status" });
  const title = h("h2", { id: "maker-title", tabindex: "-1" }, t("edition.make"));
  const tried = trial(beside);
  const view = fileView((values) => open(draftOf(values)));
  let file = "";
  let written = "";
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let waiting;

  const write = async () => {
    const definition = valuesOf(making.draft);
    written = JSON.stringify(definition);
    const asked = written;
    const found = await attempt(() => post("/api/editions/draft", { definition }));
    if (!found || asked !== written) return;
    file = found.faults.length ? "" : found.file;
    drawFaults(faults, found.faults);
    view.show(found.file);
    $("#save").toggleAttribute("disabled", !file);
    $("#export").toggleAttribute("disabled", !file);
    if (!found.edition || !file) return;
    for (const { card, sign } of found.edition.specials)
      fill(
        place.querySelector(`[data-drawn="${CSS.escape(faceOf(card))}"]`),
        drawCard(card, { decorative: true, sign }),
      );
    tried.show(file);
  };
  const making = {
    draft,
    choices,
    base: await baseOf(draft),
    taken: taken(),
    kept: editions.some((one) => one.id === draft.id),
    changed: () => {
      view.release();
      fill(saved);
      clearTimeout(waiting);
      waiting = setTimeout(write, PAUSE);
    },
    rebase: async (/** @type {string} */ id) => {
      making.draft.based_on = id;
      making.base = await baseOf(making.draft);
      drawForm(place, making);
      making.changed();
    },
  };
  const open = async (/** @type {Draft} */ now) => {
    making.draft = now;
    making.base = await baseOf(now);
    making.kept = editions.some((one) => one.id === now.id);
    drawForm(place, making);
    await write();
  };
  const save = async () => {
    clearTimeout(waiting);
    await write();
    const kept = file && (await keep(file));
    if (!kept) return;
    ({ editions, faults: unread } = await listed());
    making.kept = true;
    showGallery();
    toast(t("edition.saved", { deck: kept.title }));
    fill(
      saved,
      h("span", { class: "good" }, t("edition.saved", { deck: kept.title })),
      h("a", { class: "button primary", id: "play-own", href: `/?edition=${kept.id}` }, t("edition.play")),
      h("button", { type: "button", id: "share-own", onclick: () => share(kept.id, kept.title) }, t("edition.share")),
    );
  };
  // Another draft takes the place of the whole: what its parts hold must not be patched into the one before.
  maker.replaceChildren(
    title,
    h(
      "div",
      { class: "maker-grid" },
      h(
        "div",
        { class: "stack" },
        place,
        faults,
        h(
          "div",
          { class: "row" },
          may(me.role, "host") &&
            h("button", { type: "button", class: "primary", id: "save", onclick: save }, t("edition.save")),
          !may(me.role, "host") && h("span", { id: "save", class: "soft" }, t("edition.host")),
          h(
            "button",
            { type: "button", id: "export", onclick: () => download(file, `${making.draft.id}.toml`) },
            t("edition.download"),
          ),
        ),
        saved,
        h("details", { class: "fold", id: "file-fold" }, h("summary", {}, t("edition.file")), view.element),
      ),
      beside,
    ),
  );
  await open(draft);
  title.focus({ preventScroll: true });
  title.scrollIntoView({ block: "start" });
  return {
    /** @param {string} text */
    open: (text) => {
      /** @type {HTMLDetailsElement} */ ($("#file-fold")).open = true;
      return view.open(text);
    },
  };
}

/** What a draft is based on; cards are drawn as it has them. @param {Draft} draft */
async function baseOf(draft) {
  const found = await get(`/api/editions/${draft.based_on ?? "classic"}?language=${language}`);
  wear(found);
  return found;
}
