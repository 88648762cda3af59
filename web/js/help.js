/** The short guide: what to do before, during and after a round, and what to do when something does not work. */

import { $, fill, h } from "./dom.js";
import { t } from "./i18n.js";
import { prepare } from "./shell.js";

await prepare(null);
fill(
  $("#help"),
  h("p", {}, t("help.intro")),
  ["camera", "round", "tap", "correct", "score", "phones", "deck", "trouble"].map((part, place) =>
    h(
      "details",
      { class: "panel", open: place === 0 },
      h("summary", {}, h("strong", {}, t(`help.${part}`))),
      h(
        "ul",
        {},
        t(`help.${part}.says`)
          .split("|")
          .map((line) => h("li", {}, line)),
      ),
    ),
  ),
);
