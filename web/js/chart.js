/** Line charts over rounds or evenings, one line for each person. */

import { fill } from "./dom.js";
import { personInk } from "./people.js";

const DASHES = [[], [10, 5], [3, 4], [14, 4, 3, 4], [6, 3]];
const HEIGHT = 300;
const LEAST_WIDTH = 280;

/** The plotter, loaded where it is needed. It formats numbers in the browser's language, which may be an odd one. */
async function plotter() {
  try {
    new Intl.NumberFormat(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: document.documentElement.lang, configurable: true });
  }
  return (await import("../vendor/uPlot.js")).default;
}

const widthOf = (/** @type {Element} */ place) => Math.max(LEAST_WIDTH, place.clientWidth);

/**
 * What is drawn in each place; all follow the window's width.
 * @type {Map<Element, import("../vendor/uPlot.js").default>}
 */
const drawn = new Map();
addEventListener("resize", () => {
  for (const [place, plot] of drawn) plot.setSize({ width: widthOf(place), height: HEIGHT });
});

/**
 * Takes a chart away, and puts something else there.
 * @param {Element} place
 * @param {...import("./types").Child} instead
 */
export function clearChart(place, ...instead) {
  drawn.get(place)?.destroy();
  drawn.delete(place);
  fill(place, ...instead);
}

/**
 * Draws a line for each person, in the person's colour.
 * @param {Element} place
 * @param {{ title: string, axis: string, steps: string[], lines: Record<string, number[]>, wanted?: () => boolean }}
 *   chart
 *   steps: what stands below each point; lines: by name, as many values as steps; wanted: whether it still is, once the
 *   plotter is there
 */
export async function drawLines(place, { title, axis, steps, lines, wanted = () => true }) {
  const uPlot = await plotter();
  if (!wanted()) return;
  clearChart(place);
  const style = getComputedStyle(document.documentElement);
  const color = (/** @type {string} */ name) => style.getPropertyValue(name).trim();
  const both = {
    stroke: color("--soft"),
    grid: { stroke: color("--line"), width: 1 },
    ticks: { stroke: color("--line"), width: 1 },
    font: "14px system-ui",
  };
  const plot = new uPlot(
    {
      width: widthOf(place),
      height: HEIGHT,
      cursor: { drag: { x: false, y: false } },
      legend: { live: false },
      scales: {
        x: { time: false },
        y: {
          range: (/** @type {unknown} */ _u, /** @type {number} */ _low, /** @type {number} */ high) => [
            0,
            Math.max(high * 1.08, 1),
          ],
        },
      },
      axes: [
        {
          ...both,
          label: axis,
          incrs: [1, 2, 5, 10, 20, 50],
          values: (/** @type {unknown} */ _u, /** @type {number[]} */ at) => at.map((one) => steps[one] ?? ""),
        },
        both,
      ],
      series: [
        { label: axis },
        ...Object.keys(lines).map((player, i) => ({
          label: player,
          stroke: personInk(player),
          width: 3,
          dash: DASHES[(i + Math.floor(i / 5)) % DASHES.length],
          points: { size: 8 },
        })),
      ],
    },
    [steps.map((_, i) => i), ...Object.values(lines)],
    place,
  );
  drawn.set(place, plot);
  place.querySelector("canvas")?.setAttribute("role", "img");
  place.querySelector("canvas")?.setAttribute("aria-label", title);
}
