/** Animations of what happened: cards that fly between a seat and the pile, items thrown at a seat. */

/** How long (ms) a card flies, and how long after another one it starts. */
const FLIGHT = 380;
const APART = 140;
/** How long (ms) what is thrown at a seat is under way, and how long the seat shakes each time. */
const THROW = 850;
const SHAKE = 170;
/** How many cards of a draw are shown flying. */
const MOST = 4;

/** Whether this screen moves at all: neither its system nor its own setting asks for calm. */
export function moves() {
  return !document.body.classList.contains("calm") && !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** The middle of an element on the screen. @param {Element} element @returns {[x: number, y: number]} */
export function middle(element) {
  const { left, top, width, height } = element.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
}

/**
 * Lets the card that lies on the pile come from a player's seat.
 * @param {Element | null} card
 * @param {Element | null} seat
 */
export function flyToPile(card, seat) {
  if (!card || !moves()) return;
  const [x, y] = seat ? middle(seat) : [0, 0];
  const [toX, toY] = middle(card);
  const start = seat ? `translate(${x - toX}px, ${y - toY}px) rotate(-28deg) scale(0.45)` : "scale(1.5)";
  card.animate(
    [
      { transform: start, opacity: seat ? 0.6 : 0 },
      { transform: "none", opacity: 1 },
    ],
    {
      duration: FLIGHT,
      easing: "cubic-bezier(0.2, 0.9, 0.25, 1.1)",
    },
  );
}

/**
 * Lets face-down cards fly from the pile to a seat, one by one.
 * @param {Element | null} pile
 * @param {Element | null} seat
 * @param {number} count
 */
export function flyToSeat(pile, seat, count) {
  if (!pile || !seat || !moves()) return;
  const [x, y] = middle(pile);
  const [toX, toY] = middle(seat);
  for (let i = 0; i < Math.min(count, MOST); i++) {
    const card = document.createElement("div");
    card.className = "flying-card";
    card.setAttribute("aria-hidden", "true");
    card.style.left = `${x}px`;
    card.style.top = `${y}px`;
    document.body.append(card);
    const flight = card.animate(
      [
        { transform: "translate(-50%, -50%) scale(1)", opacity: 1 },
        {
          transform: `translate(calc(${toX - x}px - 50%), calc(${toY - y}px - 50%)) scale(0.5) rotate(20deg)`,
          opacity: 0.4,
        },
      ],
      { duration: FLIGHT, delay: i * APART, easing: "ease-in-out", fill: "both" },
    );
    flight.onfinish = () => card.remove();
    flight.oncancel = () => card.remove();
  }
}

/**
 * Lets something that lies in the middle of the table fly to a seat, which it shakes.
 * @param {HTMLElement} thing
 * @param {Element} seat
 * @returns {Promise<unknown>} resolves when it has hit
 */
export function throwAt(thing, seat) {
  const [x, y] = middle(thing);
  const [toX, toY] = middle(seat);
  const at = (/** @type {number} */ part) => `translate(${(toX - x) * part}px, ${(toY - y) * part}px)`;
  const flight = thing.animate(
    [
      { transform: "scale(1.7)", easing: "ease-out" },
      // It draws back before it goes.
      { transform: `${at(-0.25)} rotate(-200deg) scale(1.7)`, offset: 0.3, easing: "cubic-bezier(0.5, 0, 0.9, 0.6)" },
      { transform: `${at(1)} rotate(900deg) scale(0.7)`, offset: 0.85, opacity: 1 },
      { transform: `${at(1)} rotate(900deg) scale(1.6)`, opacity: 0 },
    ],
    { duration: THROW, fill: "forwards" },
  );
  seat.animate(
    [
      { translate: "0" },
      { translate: "9px -4px", rotate: "4deg" },
      { translate: "-8px 3px", rotate: "-4deg" },
      { translate: "0" },
    ],
    { duration: SHAKE, delay: THROW * 0.85, iterations: 2 },
  );
  return flight.finished.catch(() => {});
}
