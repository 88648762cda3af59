/** Corrects by hand where everybody sits: tap a player, then a place around the picture, as on a clock. */

import { get, post } from "./api.js";
import { attempt } from "./attempt.js";
import { ask, fill, h } from "./dom.js";
import { t } from "./i18n.js";
import { mark } from "./people.js";

const HOURS = 12;
const STEP = 360 / HOURS;

/** @param {import("./types").Running} view */
export async function seatPeople(view) {
  const { players } = view.match;
  let seats = view.seats ?? [];
  let player = players[0];
  const place = h("div", { class: "stack" });
  const put = async (/** @type {number} */ direction) => {
    if (
      (await attempt(async () => {
        await post("/api/place", { player, direction });
        return true;
      })) === null
    )
      return;
    seats = (await attempt(() => get("/api/view")))?.seats ?? seats;
    draw();
  };
  const hourOf = (/** @type {number | null} */ direction) =>
    direction === null ? -1 : Math.round(direction / STEP) % HOURS;
  const draw = () =>
    fill(
      place,
      h("p", { class: "soft" }, t("seats.how")),
      h(
        "div",
        { class: "row", role: "radiogroup", "aria-label": t("table.players") },
        players.map((one) =>
          h(
            "label",
            { class: "check" },
            h("input", {
              type: "radio",
              name: "seated",
              value: one,
              checked: one === player,
              onchange: () => {
                player = one;
              },
            }),
            mark(one),
            one,
          ),
        ),
      ),
      h(
        "div",
        { class: "dial" },
        Array.from({ length: HOURS }, (_, hour) => {
          const angle = (hour / HOURS) * 2 * Math.PI;
          const there = seats.filter((seat) => hourOf(seat.direction) === hour).map((seat) => seat.player);
          return h(
            "button",
            {
              type: "button",
              "data-key": `hour-${hour}`,
              "data-direction": hour * STEP,
              "aria-label": [t("seats.at", { hour: hour || HOURS }), ...there].join(", "),
              vars: { "--x": Math.sin(angle).toFixed(4), "--y": (-Math.cos(angle)).toFixed(4) },
              onclick: () => put(hour * STEP),
            },
            there.length ? there.map((one) => mark(one)) : String(hour || HOURS),
          );
        }),
      ),
    );
  draw();
  await ask(t("seats"), () => place, t("close"));
}
