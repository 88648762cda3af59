/** What a stream or television shows: no controls, a transparent background. */

import { drawCard } from "./card.js";
import { $, fill } from "./dom.js";
import { t } from "./i18n.js";
import { drawRing } from "./ring.js";
import { live, prepare } from "./shell.js";

await prepare("viewer");
live({
  view: (/** @type {import("./answers").ViewAnswer} */ view) => {
    if (view.match === null || view.state === null) {
      fill($("#caption"), t("table.none"));
      for (const id of ["top", "ring"]) fill($(`#${id}`));
      return;
    }
    fill($("#caption"), [...(view.ruling?.sentences ?? []), view.prompt].join(" "));
    fill($("#top"), drawCard(view.state.top));
    fill($("#ring"), drawRing(/** @type {import("./types").Running} */ (view)));
  },
});
