/** A question of the table's: its cards to tap, its picture, and another card where none of them is right. */

import { post } from "./api.js";
import { attempt, may } from "./attempt.js";
import { drawCard } from "./card.js";
import { ofQuestion, showReplay } from "./clip.js";
import { h } from "./dom.js";
import { cardName, t } from "./i18n.js";
import { pickCard } from "./picker.js";

/**
 * Draws the question.
 * @param {import("./answers").QuestionAnswer} question
 * @param {import("./types").Running} view
 * @param {import("./shell.js").Me} me
 */
export function drawQuestion(question, view, me) {
  const answer = (/** @type {import("./answers").AnswerBody} */ body) =>
    attempt(() => post(`/api/questions/${question.id}/answer`, body));
  const answerCard = (/** @type {string} */ card) => answer({ card });
  const named = ["card", "doubt", "illegal"].includes(question.kind);
  const taps = may(me.role, "player");
  const cards = question.choices.map((choice) => choice.card).filter(Boolean);
  // Where several choices say the same card landed, the card alone does not tell them apart.
  const distinct = new Set(cards).size === cards.length;
  const asCard = (/** @type {import("./answers").ChoiceAnswer} */ choice) => distinct && choice.card !== null;
  return h(
    "section",
    { class: "panel question", "data-question": question.id, "aria-labelledby": `question-${question.id}` },
    h("h2", { id: `question-${question.id}` }, question.sentence),
    h(
      "div",
      { class: "question-body" },
      h(
        "div",
        { class: "question-cards" },
        question.choices.map((choice, index) =>
          h(
            "button",
            {
              type: "button",
              class: asCard(choice) ? "card-choice" : "",
              disabled: !taps,
              "data-choice": index,
              onclick: () => answer({ choice: index }),
            },
            asCard(choice) && drawCard(choice.card, { decorative: true }),
            asCard(choice) ? cardName(choice.card ?? "") : choice.label,
          ),
        ),
        question.picture &&
          h(
            "a",
            {
              href: `/api/pictures/${encodeURIComponent(question.picture)}`,
              target: "_blank",
              class: "question-picture",
            },
            h("img", { src: `/api/pictures/${encodeURIComponent(question.picture)}`, alt: t("history.picture") }),
          ),
      ),
      taps &&
        h(
          "div",
          { class: "question-more" },
          question.kind === "illegal" &&
            h(
              "button",
              { type: "button", onclick: () => attempt(() => post(`/api/questions/${question.id}/stand`)) },
              t("question.stand"),
            ),
          question.picture &&
            h(
              "button",
              {
                type: "button",
                "data-act": "check",
                onclick: () => showReplay(ofQuestion(question.id, named ? answerCard : null), { check: true }),
              },
              t("clip.check"),
            ),
          named &&
            h(
              "button",
              {
                type: "button",
                class: "quiet",
                onclick: async () => {
                  const card = await pickCard(t("question.other"), { edition: view.match.edition });
                  if (card) await answer({ card });
                },
              },
              t("question.other"),
            ),
          h(
            "button",
            {
              type: "button",
              class: "quiet",
              onclick: () => attempt(() => post(`/api/questions/${question.id}/nothing`)),
            },
            t("question.drop"),
          ),
        ),
    ),
    question.waiting > 0 && h("p", { class: "small soft" }, t("question.waiting", { count: question.waiting })),
  );
}
