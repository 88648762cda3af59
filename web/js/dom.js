/** Small helpers to build and find elements. */

/**
 * Makes an element. Properties beginning with "on" are listeners; true and false set and leave out an attribute.
 * @param {string} tag
 * @param {Record<string, any>} [props]
 * @param {...(Node | string | number | null | undefined | false | Array<any>)} children
 * @returns {any}
 */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "vars") for (const [key, one] of Object.entries(value)) element.style.setProperty(key, String(one));
    else if (name === "value" || name === "checked" || name === "disabled") element[name] = value;
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, String(value));
  }
  append(element, children);
  return element;
}

/** @param {Element} element @param {Array<any>} children */
function append(element, children) {
  for (const child of children.flat()) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

/** Replaces what an element holds. @param {Element | null} element @param {...any} children */
export function fill(element, ...children) {
  if (!element) return;
  element.replaceChildren();
  append(element, children);
}

/** Finds an element that is there. @param {string} selector @returns {any} */
export function $(selector) {
  return document.querySelector(selector);
}

/**
 * Makes an SVG element from markup of our own; never give it text from elsewhere.
 * @param {string} body @param {string} [box] @param {string} [label]
 * @returns {SVGElement}
 */
export function svg(body, box = "0 0 24 24", label = "") {
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box}">${body}</svg>`;
  const element = /** @type {any} */ (new DOMParser().parseFromString(text, "image/svg+xml").documentElement);
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
 * @param {string} title
 * @param {(close: (value: any) => void) => any} build
 * @param {string} closeLabel
 * @returns {Promise<any>}
 */
export function ask(title, build, closeLabel) {
  return new Promise((resolve) => {
    let answer = /** @type {any} */ (null);
    const dialog = h("dialog", { "aria-labelledby": "dialog-title" });
    const close = (/** @type {any} */ value) => {
      answer = value;
      dialog.close();
    };
    dialog.append(
      h(
        "div",
        { class: "stack" },
        h("div", { class: "dialog-head" },
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
