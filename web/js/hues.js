/** Style rules for the colours of an edition, readable on light and dark. */

/** The least contrast of text that is read. */
const READABLE = 4.5;

/** @param {string} hex "#rrggbb" */
const parts = (hex) => [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255);

/** The relative luminance of a colour, 0 to 1. @param {number[]} rgb */
function luminance(rgb) {
  const [r, g, b] = rgb.map((one) => (one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** How much two colours differ in light, 1 to 21. @param {number[]} one @param {number[]} other */
function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const WHITE = [1, 1, 1];
const INK = [0.12, 0.1, 0.15];

/** @param {number[]} rgb */
const css = (rgb) => `rgb(${rgb.map((one) => Math.round(one * 255)).join(" ")})`;

/** A colour darkened until it is read on white, and white on it. @param {string} hex */
export function onWhite(hex) {
  let rgb = parts(hex);
  while (contrast(rgb, WHITE) < READABLE) rgb = rgb.map((one) => one * 0.94);
  return css(rgb);
}

/** A ground of about this colour with an ink that is read on it. @param {string} hex */
export function readable(hex) {
  const dark = contrast(parts(hex), INK) >= READABLE;
  return dark ? { ground: hex, ink: css(INK) } : { ground: onWhite(hex), ink: css(WHITE) };
}

/** A hue of its own for an edition, in degrees: always the same for the same ID. @param {string} id */
export const hueOf = (id) => [...id].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 0);

/** The rules for one colour of an edition. @param {import("./answers").EditionColorAnswer} own */
export function hexRules({ color, hex }) {
  const { ground, ink } = readable(hex);
  return (
    `.card-${color} { --card: ${ground}; --card-ink: ${ink}; color: ${onWhite(hex)}; }\n` +
    `.fill-${color} { fill: ${hex}; }\n` +
    `.chip-${color}, button.chip-${color} { background: ${ground}; color: ${ink}; border-color: transparent; }\n` +
    `.tile-${color} { border-color: ${hex}; }`
  );
}
