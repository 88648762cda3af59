"""A match to look back on: every standing move with its sentences, its picture, and the state that followed."""

from __future__ import annotations

from companion.server.access.guests import Role
from companion.server.api.routing import Api
from companion.server.management.archive import load_match
from companion.server.schema.answers import (
    Answer,
    LineAnswer,
    MatchAnswer,
    StateAnswer,
    line_answer,
    match_answer,
    state_answer,
)
from companion.server.services.services import services
from companion.table.presentation.voice import Voice

api = Api()


class MomentAnswer(Answer):
    """One move, and the state after it."""

    line: LineAnswer
    state: StateAnswer


class ReplayAnswer(Answer):
    """A match move by move. `started`: seconds since the epoch. Pictures are at `/api/matches/ID/pictures/PICTURE`."""

    match: MatchAnswer
    started: float
    moments: list[MomentAnswer]


@api.route("GET", "/api/matches/<match_id>/replay", role=Role.VIEWER, answer=ReplayAnswer, errors=(409,))
def get_replay(match_id: str) -> ReplayAnswer:
    """Return every standing move of a match with the state after it. A challenged hand is left out."""
    stored, journal = load_match(match_id)
    own = services()
    voice = Voice(own.caller)
    return ReplayAnswer(
        match=match_answer(stored.id, journal.match.state.header, own.caller),
        started=stored.started,
        moments=[
            MomentAnswer(line=line_answer(voice.line(journal, place)), state=state_answer(step.state))
            for place, step in enumerate(journal.match.history)
        ],
    )
