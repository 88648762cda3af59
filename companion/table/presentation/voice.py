"""Puts events into words in the caller's language, for announcements and for the history."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from companion.caller import Caller
from companion.referee.effects import Effect
from companion.referee.match import Match
from companion.referee.moves import Amend, ChooseColor, Flip, Play, Start, Undo
from companion.storage.journal import Journal, Line, ReadBy
from companion.table.presentation.sentences import Sentences
from companion.table.presentation.view import HistoryLine, Ruling
from companion.table.state.situation import Way


@dataclass(frozen=True, slots=True)
class Announcement:
    """Something to announce once it is written. ruling: None for a refused tap."""

    ruling: Ruling | None
    corrects: bool
    sentences: tuple[str, ...]


class Voice:
    """Puts events into words in the caller's language."""

    def __init__(self, caller: Caller) -> None:
        self.caller = caller
        self.sentences = Sentences(caller)

    def line(self, journal: Journal, place: int) -> HistoryLine:
        """Return the standing move at this position (from 0) as shown in the history."""
        line, step = journal.lines[place], journal.match.history[place]
        spoken = self._sentences(journal.match, place, line)
        player = journal.player(place)
        return HistoryLine(
            place + 1, step.move, step.effects, spoken, line.read_by, line.reading, line.time, player, line.known
        )

    def ruled(self, before: Journal, way: Way, *, assumed: bool) -> Announcement | None:
        """Return the announcement of an accepted way; None if nothing happened."""
        if way.refusal is not None:
            return Announcement(None, False, (self.caller.refuse(way.refusal),))
        if not way.lines:
            return None
        after = way.after.journal
        if any(isinstance(line.entry, Undo) for line in way.lines):
            return self.corrected(before, after, way.lines)
        spoken: list[str] = []
        effects: list[Effect] = []
        covers = way.card is not None and way.card.face.is_wild
        for place in range(len(before.lines), len(after.lines)):
            line = after.lines[place]
            if assumed and way.card is not None and place == len(after.lines) - 1:
                spoken.append(self.sentences.assumed(way.card))
            if not (covers and isinstance(line.entry, ChooseColor) and line.read_by is ReadBy.INFERRED):
                # A colour hidden by this card is only a guess without consequences.
                spoken += self._sentences(after.match, place, line, prompts=place == len(after.lines) - 1)
            effects += after.match.history[place].effects
        return self._announcement(after, way.lines, tuple(effects), tuple(spoken), corrects=False)

    def reworded(self, ruling: Ruling, journal: Journal) -> Ruling:
        """Return the last ruling in this language; a correction has no sentences then, as its past is gone."""
        count = 0 if any(isinstance(entry, Undo | Amend) for entry in ruling.entries) else len(ruling.entries)
        last = len(journal.lines) - 1
        spoken: list[str] = []
        for place in range(max(0, len(journal.lines) - count), len(journal.lines)):
            spoken += self._sentences(journal.match, place, journal.lines[place], prompts=place == last)
        return replace(ruling, sentences=tuple(spoken))

    def corrected(self, before: Journal, after: Journal, lines: tuple[Line, ...]) -> Announcement:
        """Return the announcement of moves undone or changed."""
        rewritten = before.match.moves != after.match.moves
        changes = self.caller.correct(before.match.state, after.match.state, rewritten=rewritten)
        spoken = (*self._amended(before, lines), *changes)
        return self._announcement(after, lines, (), spoken, corrects=True)

    def _amended(self, before: Journal, lines: tuple[Line, ...]) -> Iterator[str]:
        """Yield for each amendment what was replaced by what."""
        for line in lines:
            if isinstance(line.entry, Amend):
                place, new = line.entry.n - 1, line.entry.move
                old = before.match.history[place].move
                player = before.player(place)
                if isinstance(old, Start | Play | Flip) and isinstance(new, Start | Play | Flip):
                    if old.card != new.card:
                        yield self.sentences.replaced(player, self.caller.card(old.card), self.caller.card(new.card))
                elif isinstance(old, ChooseColor) and isinstance(new, ChooseColor):
                    yield self.sentences.replaced(player, self.caller.color(old.color), self.caller.color(new.color))

    def _announcement(
        self,
        after: Journal,
        lines: tuple[Line, ...],
        effects: tuple[Effect, ...],
        spoken: tuple[str, ...],
        corrects: bool,
    ) -> Announcement:
        last = lines[-1]
        entries = tuple(line.entry for line in lines)
        ruling = Ruling(len(after.lines), entries, effects, spoken, last.read_by, last.reading, last.time)
        return Announcement(ruling, corrects, spoken)

    def _sentences(self, match: Match, place: int, line: Line, *, prompts: bool = True) -> tuple[str, ...]:
        step = match.history[place]
        before = match.history[place - 1].state if place else Match(match.header).state
        spoken = self.caller.say(step.effects, before, step.state)
        if not prompts and spoken[-1:] == [self.caller.prompt(step.state)]:
            spoken.pop()
        inferred = self.sentences.inferred(step.move, before) if line.read_by is ReadBy.INFERRED else None
        return tuple(spoken) if inferred is None else (inferred, *spoken)
