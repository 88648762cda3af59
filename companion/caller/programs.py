"""Programs in words: what a special card does, one sentence per step."""

from __future__ import annotations

from collections.abc import Iterator

import companion.editions.program as verbs
from companion.caller.language import Voice
from companion.caller.words import WHO
from companion.editions.edition import Answer, Edition, FaceRules, MarkRules, shown_text
from companion.editions.options import Options


class Programs(Voice):
    """Descriptions of special cards in one language."""

    def describe_face(self, rules: FaceRules, edition: Edition, options: Options) -> str:
        """Return what a special face does with these options: one or more sentences."""
        said = list(self._program(rules.when_played, rules, edition, options))
        if rules.answers is Answer.CANCEL:
            said.insert(0, self._text("Played on a draw card that hits you, it cancels it."))
        elif rules.answers is Answer.REFLECT:
            said.insert(0, self._text("Played on a draw card that hits you, it sends it back."))
        if rules.when_drawn is not None:
            drawn = " ".join(self._program(rules.when_drawn, rules, edition, options))
            said.append(self._text("Whoever draws it shows it at once: {what}", what=drawn))
        chooses = any(isinstance(step, verbs.ChooseColor | verbs.TurnUp) for step in rules.when_played)
        if rules.face.is_wild and edition.has_colors and not chooses:
            said.append(self._text("The player chooses the colour."))
        return " ".join(said) or self._text("It has no effect.")

    def describe_mark(self, rules: MarkRules, edition: Edition, options: Options) -> str:
        """Return what happens when a card with the mark is turned up."""
        return " ".join(self._program(rules.when_turned_up, rules, edition, options)) or self._text("It has no effect.")

    def _program(
        self, program: verbs.Program, rules: FaceRules | MarkRules, edition: Edition, options: Options
    ) -> Iterator[str]:
        for step in program:
            if _exists(step.condition, options):
                yield self._sentence(step, rules, edition, options)

    def _sentence(self, step: verbs.Step, rules: FaceRules | MarkRules, edition: Edition, options: Options) -> str:
        match step:
            case verbs.ChooseColor(random=True):
                return self._text("Chance chooses the colour.")
            case verbs.ChooseColor(who=verbs.Selector.SELF):
                return self._text("The player chooses the colour.")
            case verbs.ChooseColor(who=who):
                return self._of(who, self._text("choose the colour"))
            case verbs.ChooseTarget(others=True):
                return self._text("The player chooses another player.")
            case verbs.ChooseTarget():
                return self._text("The player chooses a player.")
            case verbs.DrawCards(count=None, who=who):
                return self._of(who, self._text("draw as many cards as the device says"))
            case verbs.DrawCards(count=int(count), who=who):
                return self._of(who, self._plural("draw one card", "draw {count} cards", count))
            case verbs.DrawUntil(filter=wanted, who=who):
                return self._of(who, self._text("draw until {what} comes", what=self.filter_words(wanted, edition)))
            case verbs.DrawTo(count=None, who=who):
                return self._of(who, self._text("draw up to the size of the largest hand"))
            case verbs.DrawTo(count=int(count), who=who):
                return self._of(who, self._text("draw up to {count} cards in hand", count=self._number(count)))
            case verbs.SkipTurns(count=None):
                return self._text("All others are skipped.")
            case verbs.SkipTurns(count=int(count)):
                return self._plural(
                    "The turn of the next player is skipped.",
                    "The turns of the next {count} players are skipped.",
                    count,
                )
            case verbs.Shed(filter=wanted, up_to=None, who=who):
                return self._of(who, self._text("lay off {what}, any number", what=self.filter_words(wanted, edition)))
            case verbs.Shed(filter=wanted, up_to=int(most), who=who):
                what = self.filter_words(wanted, edition)
                number = self._number(most)
                return self._of(who, self._text("lay off {what}, up to {count}", what=what, count=number))
            case verbs.ShedExactly(count=None, who=who):
                return self._of(who, self._text("lay off half the hand"))
            case verbs.ShedExactly(count=int(count), who=who):
                return self._of(who, self._plural("lay off one card", "lay off {count} cards", count))
            case verbs.TakeDiscards(count=count, who=who):
                return self._of(
                    who,
                    self._plural(
                        "take one card from the discard pile", "take {count} cards from the discard pile", count
                    ),
                )
            case verbs.RefreshHand(who=who):
                return self._of(who, self._text("put the hand under the draw pile and draw as many"))
            case verbs.Reveal(filter=wanted, who=who):
                return self._asked(step, rules, edition, options, self.filter_words(wanted, edition))
            case verbs.Dare():
                return self._asked(step, rules, edition, options, None)
            case verbs.ReadRule():
                return shown_text(rules.text, self.language, "")
            case verbs.Penalty(count=count):
                return self._plural(
                    "The next player draws one card and is skipped.",
                    "The next player draws {count} cards and is skipped.",
                    count,
                )
            case verbs.Demand(filter=wanted, otherwise=count):
                what = self.filter_words(wanted, edition)
                return self._plural(
                    "The next player plays {what}, or draws one card and is skipped.",
                    "The next player plays {what}, or draws {count} cards and is skipped.",
                    count,
                    what=what,
                )
        return self._hands_sentence(step)

    def _hands_sentence(self, step: verbs.Step) -> str:
        match step:
            case verbs.ReversePlay():
                return self._text("Play changes direction.")
            case verbs.PlayAgain():
                return self._text("The player has another turn.")
            case verbs.TurnUp():
                return self._text("The top card of the draw pile is turned up; only its mark takes effect.")
            case verbs.SwapHands(partner=who):
                return self._text("The player swaps hands: {who}.", who=self._text(WHO[who]))
            case verbs.RotateHands():
                return self._text("All hands pass to the next player in the direction of play.")
            case verbs.PoolHands(two=True):
                return self._text("The hands of two chosen players are mixed and dealt out again.")
            case verbs.PoolHands():
                return self._text("All hands are mixed and dealt out again.")
            case verbs.PeekAtHand(of=who):
                return self._text("The player looks at a hand: {who}.", who=self._text(WHO[who]))
        raise AssertionError(step)

    def _asked(
        self,
        step: verbs.Reveal | verbs.Dare,
        rules: FaceRules | MarkRules,
        edition: Edition,
        options: Options,
        what: str | None,
    ) -> str:
        """Return what a player is asked for, and what each answer leads to."""
        asked = self._text("do what the card says") if what is None else self._text("show {what}", what=what)
        said = [self._of(step.who, asked)]
        if step.yes:
            yes = " ".join(self._program(step.yes, rules, edition, options))
            said.append(self._text("If so: {what}", what=yes))
        if step.no:
            no = " ".join(self._program(step.no, rules, edition, options))
            said.append(self._text("If not: {what}", what=no))
        return " ".join(said)

    def _of(self, who: verbs.Selector, what: str) -> str:
        """Return who does what."""
        name = self._text(WHO[who])
        return self._text("{who}: {what}.", who=name[:1].upper() + name[1:], what=what)


def _exists(condition: verbs.Condition | None, options: Options) -> bool:
    return condition is None or (options.plain(condition.option) == condition.value) != condition.negated
