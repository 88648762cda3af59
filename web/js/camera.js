/** This phone as the camera over the pile: it uploads pictures as fast as the server takes them, the newest first. */

import { get, post } from "./api.js";
import { attempt, may } from "./attempt.js";
import { $, fill, h, pen, toast } from "./dom.js";
import { help } from "./helper.js";
import { t } from "./i18n.js";
import { live, prepare } from "./shell.js";
import { keepAwake, letSleep } from "./wake.js";

const me = await prepare("player");
live({});
const LONGEST_SIDE = 1280;
const MOST_PER_SECOND = 15;
/** @type {MediaStream | null} */
let stream = null;
/** Whether pictures are being sent, whichever camera they come from. */
let sending = false;
const video = h("video", { muted: true, playsinline: true, autoplay: true, hidden: true, class: "finder" });
// Safari heeds these as properties alone.
video.playsInline = true;
video.muted = true;
const helped = h("div", { class: "preview" });
const canvas = h("canvas");
const status = h("p", { role: "status", id: "camera-status", class: "soft" });
const controls = h("div", { class: "row" });
const warning = h("p", { class: "warn", role: "alert" });
/** Starts the camera, and stops it while it runs. */
const toggle = h(
  "button",
  { type: "button", class: "primary big", id: "begin", onclick: () => (sending ? stop() : begin()) },
  t("camera.begin"),
);

if (!navigator.mediaDevices?.getUserMedia) offerPhotos();
else {
  fill(
    $("#camera"),
    h("p", {}, t("camera.how")),
    h("div", { class: "row" }, toggle),
    helped,
    controls,
    status,
    warning,
  );
  const overlay = h("canvas", { "aria-hidden": "true" });
  helped.append(h("div", { class: "live" }, video, overlay));
  help(helped, overlay, () => sending && stream !== null);
}

/** Without a secure page there is no live camera, but a photo may still be taken and sent. */
function offerPhotos() {
  const file = h("input", {
    type: "file",
    accept: "image/jpeg,image/png,image/webp",
    capture: "environment",
    id: "shot",
    class: "visually-hidden",
    onchange: async () => {
      const photo = file.files?.[0];
      if (photo) await shoot(photo);
      file.value = "";
    },
  });
  fill(
    $("#camera"),
    h("p", {}, t("camera.insecure")),
    h("p", {}, h("a", { href: "/trust" }, t("invite.trust"))),
    h("p", {}, t("camera.photos")),
    file,
    h("label", { class: "button primary big", for: "shot" }, t("camera.shoot")),
    status,
    warning,
  );
}

/** @param {Blob} photo */
async function shoot(photo) {
  await watchPhone();
  const bitmap = await createImageBitmap(photo).catch(() => null);
  if (bitmap === null) return toast(t("scan.heic"));
  const sent = await attempt(async () => post("/api/camera/frames", await shrink(bitmap)));
  if (sent) status.textContent = t(sent.watched ? "camera.sent" : "camera.unwatched");
}

/** Lets the table watch this phone, where we may say so. */
async function watchPhone() {
  if (!may(me.role, "host")) return;
  const { source } = await get("/api/camera");
  if (source !== "phone") await attempt(() => post("/api/camera", { source: "phone" }));
}

async function begin() {
  await open(null);
  if (!stream) return;
  await watchPhone();
  await keepAwake();
  if (!sending) send();
  toggle.textContent = t("camera.stop");
}

/** @param {string | null} device */
async function open(device) {
  release();
  const size = { width: { ideal: LONGEST_SIDE }, height: { ideal: 720 } };
  try {
    stream = await navigator.mediaDevices.getUserMedia({
      audio: false,
      video: device ? { deviceId: { exact: device }, ...size } : { facingMode: { ideal: "environment" }, ...size },
    });
  } catch {
    fill(warning, t("camera.denied"));
    return;
  }
  fill(warning);
  video.srcObject = stream;
  video.hidden = false;
  // A phone takes its camera away while the page is in the background.
  stream.getVideoTracks()[0]?.addEventListener("ended", () => {
    warning.textContent = t("camera.ended");
  });
  await video.play().catch(() => {});
  await drawControls();
}

async function drawControls() {
  const track = stream?.getVideoTracks()[0];
  const devices = (await navigator.mediaDevices.enumerateDevices()).filter((device) => device.kind === "videoinput");
  // TypeScript does not know of the torch.
  const can = /** @type {{ torch?: boolean }} */ (track?.getCapabilities?.() ?? {});
  let lit = false;
  fill(
    controls,
    devices.length > 1 &&
      h(
        "label",
        { class: "field" },
        t("camera.which"),
        h(
          "select",
          { onchange: (event) => open(event.target.value) },
          devices.map((device, i) =>
            h(
              "option",
              { value: device.deviceId, selected: device.deviceId === track?.getSettings().deviceId },
              device.label || `${t("camera")} ${i + 1}`,
            ),
          ),
        ),
      ),
    can.torch &&
      h(
        "button",
        {
          type: "button",
          "aria-pressed": "false",
          onclick: async (event) => {
            lit = !lit;
            await track?.applyConstraints(/** @type {object} */ ({ advanced: [{ torch: lit }] }));
            event.target.setAttribute("aria-pressed", String(lit));
          },
        },
        t("camera.torch"),
      ),
  );
}

/** Whether the camera gives pictures: a track that has ended leaves its last one standing. */
const watching = () => stream?.getVideoTracks()[0]?.readyState === "live" && video.readyState >= 2;

// A phone that comes back to this page finds its camera gone.
document.addEventListener("visibilitychange", () => {
  if (sending && document.visibilityState === "visible" && stream?.getVideoTracks()[0]?.readyState === "ended")
    open(null);
});

/** Lets the present camera go; another may follow. */
function release() {
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = null;
}

function stop() {
  sending = false;
  release();
  fill(controls);
  toggle.textContent = t("camera.begin");
  video.hidden = true;
  letSleep();
}

/** Sends pictures one by one: the next is taken only when the last was taken in, so that none ever waits. */
async function send() {
  let count = 0;
  let since = performance.now();
  sending = true;
  while (sending) {
    const begun = performance.now();
    try {
      if (watching()) {
        const answer = await post("/api/camera/frames", await shrink(video));
        count += 1;
        fill(warning, answer.watched ? null : t("camera.unwatched"));
      }
    } catch {
      fill(warning, t("offline"));
      await pause(1000);
    }
    const now = performance.now();
    if (now - since > 2000) {
      status.textContent = t("camera.rate", { rate: ((count * 1000) / (now - since)).toFixed(1) });
      status.dataset.sent = String(Number(status.dataset.sent ?? 0) + count);
      count = 0;
      since = now;
    }
    await pause(Math.max(0, 1000 / MOST_PER_SECOND - (now - begun)));
  }
  status.textContent = t("camera.stopped");
}

const pause = (/** @type {number} */ ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {HTMLVideoElement | ImageBitmap} picture a video or bitmap @returns {Promise<Blob>} */
function shrink(picture) {
  const [width, height] =
    picture instanceof HTMLVideoElement ? [picture.videoWidth, picture.videoHeight] : [picture.width, picture.height];
  const scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  pen(canvas).drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) =>
    canvas.toBlob(
      (/** @type {Blob | null} */ blob) => (blob ? resolve(blob) : reject(new Error("no picture"))),
      "image/jpeg",
      0.85,
    ),
  );
}
