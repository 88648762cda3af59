/** Small helpers to build, change and find elements. */

/** Elements that hold more than their attributes say: they are put in as they come, never patched. */
const STATEFUL = new Set(["INPUT", "SELECT", "TEXTAREA", "CANVAS", "VIDEO", "DIALOG"]);
/** What names an element among its siblings, so that it stays the same one while others come and go. */
const KEYS = ["data-key", "data-act", "data-player", "data-n", "data-card", "data-question", "data-choice"];

/**
 * Makes an element. Properties beginning with "on" are listeners; true and false set and leave out an attribute, but
 * are written out in one that begins with "aria-".
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} tag
 * @param {import("./types").Props<K>} [props]
 * @param {...import("./types").Child} children
 * @returns {HTMLElementTagNameMap[K]}
 */
export function h(tag, props, ...children) {
  const made = document.createElement(tag);
  const element = /** @type {import("./types").Made} */ (/** @type {unknown} */ (made));
  element.listens = Object.keys(props ?? {}).filter((name) => name.startsWith("on"));
  for (const [name, value] of Object.entries(props ?? {})) {
    if (name.startsWith("on") || name === "value" || name === "checked" || name === "disabled" || name === "muted")
      Reflect.set(element, name, value);
    else if (name === "vars")
      for (const [key, one] of Object.entries(/** @type {object} */ (value)))
        element.style.setProperty(key, String(one));
    else if (value === true && !name.startsWith("aria-")) element.setAttribute(name, "");
    else if (value !== null && value !== undefined && (value !== false || name.startsWith("aria-")))
      element.setAttribute(name, String(value));
  }
  made.append(...nodes(children));
  return made;
}

/** @param {import("./types").Child[]} children @returns {Node[]} */
function nodes(children) {
  return /** @type {import("./types").Child[]} */ (/** @type {unknown[]} */ (children).flat(Infinity))
    .filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => (child instanceof Node ? child : document.createTextNode(String(child))));
}

/**
 * Lets an element hold these children. What stays is kept as it is and only changed where it differs, so that it keeps
 * the focus, the finger that is on it, and its place while it scrolls; a focus on what goes stays nearby.
 * @param {Element | null} element @param {...import("./types").Child} children
 */
export function fill(element, ...children) {
  if (!element) return;
  const focused = element.contains(document.activeElement) ? document.activeElement : null;
  const place = focused && address(focused, element);
  patchChildren(element, nodes(children));
  if (focused === null || focused === document.activeElement) return;
  const again = place && element.querySelector(place);
  if (again instanceof HTMLElement) again.focus({ preventScroll: true });
  else {
    if (!element.hasAttribute("tabindex")) element.setAttribute("tabindex", "-1");
    /** @type {HTMLElement} */ (element).focus({ preventScroll: true });
  }
}

/**
 * A selector that finds an element again in what comes in its place.
 * @param {Element} element
 * @param {Element} within
 */
function address(element, within) {
  for (const name of ["id", "data-key", "data-act", "data-place", "data-card", "name"]) {
    const value = element.getAttribute(name);
    if (value) {
      const choice = name === "name" ? CSS.escape(/** @type {HTMLInputElement} */ (element).value) : null;
      return `[${name}="${CSS.escape(value)}"]${choice === null ? "" : `[value="${choice}"]`}`;
    }
  }
  const fields = [...within.querySelectorAll(element.nodeName)];
  return fields.length === 1 ? element.nodeName : "";
}

/** What names a node among its siblings, empty for nothing. @param {Node} node @returns {string} */
function keyOf(node) {
  if (!(node instanceof Element)) return "";
  if (node.id) return `#${node.id}`;
  const name = KEYS.find((one) => node.hasAttribute(one));
  if (name) return `${name}=${node.getAttribute(name)}`;
  const inner = node.firstElementChild;
  // A list's items are named by what they hold.
  return node.nodeName === "LI" && inner ? keyOf(inner) : "";
}

/** @param {Element} parent @param {Node[]} fresh */
function patchChildren(parent, fresh) {
  const wanted = new Set(fresh);
  const old = [...parent.childNodes].filter((node) => !wanted.has(node));
  const named = new Map(old.map((node) => [keyOf(node), node]));
  const unnamed = old.filter((node) => keyOf(node) === "");
  const kept = fresh.map((child) => {
    const key = keyOf(child);
    const found =
      child.parentNode === parent
        ? null
        : key === ""
          ? unnamed.find((node) => node.nodeName === child.nodeName)
          : named.get(key);
    if (!found || !patch(found, child)) return child;
    named.delete(key);
    if (key === "") unnamed.splice(unnamed.indexOf(found), 1);
    return found;
  });
  // What goes leaves first, so that what stays need not be moved: a moved element loses the focus.
  const stay = new Set(kept);
  for (const node of [...parent.childNodes]) if (!stay.has(node)) node.remove();
  let place = parent.firstChild;
  for (const node of kept) {
    if (node === place) place = place?.nextSibling ?? null;
    else parent.insertBefore(node, place);
  }
}

/** Makes a node like a fresh one; false where it must be replaced by that. @param {Node} old @param {Node} fresh */
function patch(old, fresh) {
  if (old.nodeType !== fresh.nodeType || old.nodeName !== fresh.nodeName || STATEFUL.has(old.nodeName)) return false;
  if (!(old instanceof Element && fresh instanceof Element)) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return true;
  }
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && name !== "tabindex" && name !== "open") old.removeAttribute(name);
  for (const { name, value } of fresh.attributes) {
    if (old.getAttribute(name) === value) continue;
    // The pages' policy lets no style be set as an attribute.
    if (name === "style") /** @type {HTMLElement} */ (old).style.cssText = value;
    else old.setAttribute(name, value);
  }
  const [was, is] = /** @type {import("./types").Made[]} */ (/** @type {unknown} */ ([old, fresh]));
  if (was.disabled !== is.disabled) was.disabled = is.disabled;
  for (const name of was.listens ?? []) Reflect.set(was, name, null);
  for (const name of is.listens ?? []) Reflect.set(was, name, Reflect.get(is, name));
  was.listens = is.listens;
  patchChildren(old, [...fresh.childNodes]);
  return true;
}

/** Finds an element that is there. @param {string} selector @returns {HTMLElement} */
export function $(selector) {
  return /** @type {HTMLElement} */ (document.querySelector(selector));
}

/** What draws on a canvas. @param {HTMLCanvasElement} canvas */
export function pen(canvas) {
  const found = canvas.getContext("2d");
  if (!found) throw new Error("this browser draws nothing");
  return found;
}

/**
 * Makes an SVG element from markup of our own; never give it text from elsewhere.
 * @param {string} body @param {string} [box] @param {string} [label]
 * @returns {SVGElement}
 */
export function svg(body, box = "0 0 24 24", label = "") {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}">${body}</svg>`;
  const element = /** @type {SVGElement} */ (
    /** @type {unknown} */ (new DOMParser().parseFromString(text, "image/svg+xml").documentElement)
  );
  if (label) {
    element.setAttribute("role", "img");
    element.setAttribute("aria-label", label);
  } else {
    element.setAttribute("aria-hidden", "true");
  }
  return document.importNode(element, true);
}

/** Asks the reader of the page for one line of news, at the foot of the screen. @param {string} text */
export function toast(text) {
  document.querySelector(".toast")?.remove();
  const element = h("div", { class: "toast", role: "status" }, text);
  document.body.append(element);
  setTimeout(() => element.remove(), 4500);
}

/**
 * Opens a dialog and resolves with what `close` is called with, null where it was dismissed.
 * @template T
 * @param {string} title
 * @param {(close: import("./types").Close<T>) => import("./types").Child} build
 * @param {string} closeLabel
 * @returns {Promise<T | null>}
 */
export function ask(title, build, closeLabel) {
  return new Promise((resolve) => {
    let answer = /** @type {T | null} */ (null);
    const dialog = h("dialog", { "aria-labelledby": "dialog-title" });
    const close = (/** @type {T | null} */ value) => {
      answer = value;
      dialog.close();
    };
    dialog.append(
      h(
        "div",
        { class: "stack" },
        h(
          "div",
          { class: "dialog-head" },
          h("h2", { id: "dialog-title" }, title),
          h("button", { class: "quiet", type: "button", onclick: () => close(null) }, closeLabel),
        ),
        build(close),
      ),
    );
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(answer);
    });
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** A form in a dialog. @param {() => unknown} send called as it is sent @param {...import("./types").Child} children */
export function dialogForm(send, ...children) {
  const onsubmit = (/** @type {Event} */ event) => {
    event.preventDefault();
    send();
  };
  return h("form", { class: "stack", method: "dialog", onsubmit }, ...children);
}
