/** Where the pictures of a hand come from: this device's camera, files, a short film, or the camera over the table. */

import { Refused } from "./api.js";
import { worded } from "./attempt.js";
import { h, pen, toast } from "./dom.js";
import { t } from "./i18n.js";
import { stills } from "./stills.js";

/** What iPhones write by default, and no other browser reads. */
const HEIC = /hei[cf]/i;
const STILLS = 4;
const LONGEST_SIDE = 2400;
const QUALITY = 0.92;

/**
 * The buttons that pictures are taken or chosen with.
 * @param {(pictures: Blob[]) => unknown} take called with what was chosen
 * @param {boolean} watched whether a camera looks at the table
 */
export function pictureButtons(take, watched) {
  /** @type {HTMLInputElement} */
  const photo = h("input", {
    type: "file",
    accept: "image/jpeg,image/png,image/webp",
    capture: "environment",
    id: "photo",
    class: "visually-hidden",
    onchange: () => take([...(photo.files ?? [])]),
  });
  /** @type {HTMLInputElement} */
  const files = h("input", {
    type: "file",
    accept: "image/*,video/*",
    multiple: true,
    id: "files",
    class: "visually-hidden",
    onchange: async () => {
      const chosen = [...(files.files ?? [])];
      files.value = "";
      take(await picturesOf(chosen));
    },
  });
  return h(
    "div",
    { class: "row" },
    photo,
    files,
    h("label", { class: "button primary big", for: "photo" }, t("scan.photo")),
    h("label", { class: "button", for: "files" }, t("scan.files")),
    watched && h("button", { type: "button", id: "table-picture", onclick: () => tablePicture(take) }, t("scan.table")),
  );
}

/** The pictures among files, with some of each film; what cannot be read is named. @param {File[]} chosen */
async function picturesOf(chosen) {
  const heic = (/** @type {File} */ one) => HEIC.test(one.type + one.name);
  const known = (/** @type {File} */ one) => /^(image|video)\//.test(one.type);
  const foreign = chosen.find((one) => !known(one) && !heic(one));
  if (foreign) toast(t("scan.nofile", { file: foreign.name }));
  if (chosen.some(heic)) toast(t("scan.heic"));
  /** @type {Blob[]} */
  const pictures = chosen.filter((one) => one.type.startsWith("image/") && !heic(one));
  for (const film of chosen.filter((one) => one.type.startsWith("video/"))) {
    const found = await stills(film, STILLS);
    if (!found.length) toast(t("scan.nofilm"));
    pictures.push(...found);
  }
  return pictures;
}

/** Takes the picture of the camera over the table. @param {(pictures: Blob[]) => unknown} take */
async function tablePicture(take) {
  const response = await fetch("/api/camera/picture");
  if (response.ok) return take([await response.blob()]);
  const { error, message } = await response.json();
  toast(worded(new Refused(response.status, error, message)));
}

/**
 * Makes a picture no larger than is of use, on a canvas that all pictures share: phones have little memory for them.
 * @param {Blob} picture @param {HTMLCanvasElement} canvas @returns {Promise<Blob>}
 */
export async function shrunk(picture, canvas) {
  const bitmap = await createImageBitmap(picture).catch(() => null);
  if (bitmap === null) return picture;
  const scale = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height));
  canvas.width = Math.round(bitmap.width * scale);
  canvas.height = Math.round(bitmap.height * scale);
  pen(canvas).drawImage(bitmap, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve) =>
    canvas.toBlob((/** @type {Blob | null} */ blob) => resolve(blob ?? picture), "image/jpeg", QUALITY),
  );
}
