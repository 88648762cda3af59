/** Movement that shows what happened: cards that fly between a seat and the pile. */

/** How long (ms) a card flies, and how long after another one it starts. */
const FLIGHT = 380;
const APART = 140;
/** How many cards of a draw are shown flying. */
const MOST = 4;

/** Whether this screen moves at all: neither its system nor its own setting asks for calm. */
export function moves() {
  return !document.body.classList.contains("calm") && !matchMedia("(prefers-reduced-motion: reduce)").matches;
}

/** The middle of an element. @param {Element} element @returns {[x: number, y: number]} */
function middle(element) {
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
