"""The score board and past matches: rounds, totals, statistics, export."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict

from flask import Response

from companion.exports import EXPORTS, recover
from companion.referee.errors import RefereeError
from companion.results import deeds, rounds, totals
from companion.server.access.guests import Role
from companion.server.api.routing import Api, Media
from companion.server.archive.awards import awards
from companion.server.core.errors import RefusalError
from companion.server.schema.answers import Answer, kept_picture_response
from companion.server.schema.fields import Body, ExportName
from companion.server.services.services import services
from companion.storage.journal import Journal, replay, with_final_names
from companion.storage.records import DamagedMatch, MatchSummary
from companion.storage.store import NoSuchMatchError, StoredMatch, StoreError

api = Api()


class ShownHandAnswer(Answer):
    """A leftover hand; `picture` is the id of its picture in this match."""

    player: str
    cards: list[str]
    points: int
    picture: str | None


class RoundAnswer(Answer):
    """One round; `points` is empty until it is scored."""

    number: int
    winner: str
    points: dict[str, int]
    hands: list[ShownHandAnswer]


class DeedsAnswer(Answer):
    """One player's statistics."""

    played: int
    drawn: int
    rounds_won: int
    uno_calls: int
    caught: int
    challenges_won: int
    challenges_lost: int


class AwardAnswer(Answer):
    """One award of a match: who gets it, and the amount or seconds."""

    kind: str
    players: list[str]
    amount: int


class ScoresAnswer(Answer):
    """A match on the score board.

    `players`: everybody who plays or played; those in `left` have gone and keep their score. `totals`: everybody's
    total after each scored round.
    """

    id: str
    edition: str
    players: list[str]
    scoring: str
    target: int
    started: float
    over: bool
    winners: list[str]
    scores: dict[str, int]
    left: list[str]
    rounds: list[RoundAnswer]
    totals: list[dict[str, int]]
    deeds: dict[str, DeedsAnswer]
    awards: list[AwardAnswer]
    moves: int


class SummaryAnswer(Answer):
    """A match in the list."""

    id: str
    edition: str
    players: list[str]
    started: float
    touched: float
    moves: int
    over: bool
    winners: list[str]
    running: bool


class DamagedAnswer(Answer):
    """A damaged match. What is readable can be exported. `message` says what is wrong."""

    id: str
    message: str


class MatchesAnswer(Answer):
    """All matches, newest first, and separately the damaged ones."""

    matches: list[SummaryAnswer]
    damaged: list[DamagedAnswer]


class ExportQuery(Body):
    """The export format."""

    format: ExportName = next(iter(EXPORTS))


@api.route("GET", "/api/matches", role=Role.VIEWER, answer=MatchesAnswer, errors=(409,))
def list_matches() -> MatchesAnswer:
    """List all matches."""
    running = services().table.match_id
    try:
        found = services().store.survey()
    except StoreError as error:
        raise RefusalError(409, "storage", str(error)) from error
    return MatchesAnswer(
        matches=[
            SummaryAnswer(
                id=each.id,
                edition=each.header.edition.id,
                players=list(each.header.players),
                started=each.started,
                touched=each.touched,
                moves=each.moves,
                over=each.over,
                winners=list(each.winners),
                running=each.id == running,
            )
            for each in found
            if isinstance(each, MatchSummary)
        ],
        damaged=[DamagedAnswer(id=each.id, message=each.reason) for each in found if isinstance(each, DamagedMatch)],
    )


@api.route("GET", "/api/matches/<match_id>", role=Role.VIEWER, answer=ScoresAnswer, errors=(409,))
def get_match(match_id: str) -> ScoresAnswer:
    """Return a match's rounds, totals and statistics."""
    return _scores(*load_match(match_id))


@api.route(
    "GET",
    "/api/matches/<match_id>/pictures/<picture>",
    role=Role.VIEWER,
    answer=Media(("image/jpeg",)),
    errors=(409,),
)
def get_match_picture(match_id: str, picture: str) -> Response:
    """Return the picture behind a ruling of this match."""
    try:
        data = services().store.picture(match_id, picture)
    except StoreError as error:
        raise RefusalError(409, "storage", str(error)) from error
    return kept_picture_response(data)


@api.route("DELETE", "/api/matches/<match_id>", role=Role.HOST, errors=(409,))
def delete_match(match_id: str) -> None:
    """Delete a match with its pictures. The running match cannot be deleted."""
    if services().table.match_id == match_id:
        raise RefusalError(409, "running", "This match is running.")
    try:
        services().store.delete(match_id)
    except NoSuchMatchError as error:
        raise RefusalError(404, "no-such-match", "There is no such match.") from error
    except StoreError as error:
        raise RefusalError(409, "storage", str(error)) from error


@api.route(
    "GET",
    "/api/matches/<match_id>/export",
    role=Role.VIEWER,
    query=ExportQuery,
    answer=Media(tuple(sorted({each.media_type for each in EXPORTS.values()}))),
    errors=(409,),
)
def export_match(match_id: str, query: ExportQuery) -> Response:
    """Export a match in one of the listed formats; of a damaged match, what can be read."""
    caller, export = services().caller, EXPORTS[query.format]
    with _refusals():
        stored, journal, _ = recover(services().store.salvage(match_id), caller.refuse)
    text = export.write(stored, journal, caller)
    response = Response(text, content_type=f"{export.media_type}; charset=utf-8")
    response.headers["Content-Disposition"] = f'attachment; filename="match-{stored.id}-{export.name}{export.suffix}"'
    return response


def load_match(match_id: str) -> tuple[StoredMatch, Journal]:
    """Return a stored match and its journal; raises RefusalError if it is missing or damaged."""
    with _refusals():
        stored = services().store.load(match_id)
        return stored, replay(stored.header, stored.lines)


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except NoSuchMatchError as error:
        raise RefusalError(404, "no-such-match", "There is no such match.") from error
    except (StoreError, RefereeError) as error:
        raise RefusalError(409, "storage", str(error)) from error


def _scores(stored: StoredMatch, journal: Journal) -> ScoresAnswer:
    journal = with_final_names(journal)
    match = journal.match
    state = match.state
    header = state.header
    return ScoresAnswer(
        id=stored.id,
        edition=header.edition.id,
        players=list(match.everyone),
        scoring=header.options.scoring.value,
        target=header.options.target,
        started=stored.started,
        over=bool(state.winners),
        winners=[state.players[seat] for seat in state.winners],
        scores=state.standings,
        left=[player for player, _ in state.left],
        rounds=[RoundAnswer.model_validate(asdict(each)) for each in rounds(journal)],
        totals=totals(journal),
        deeds={player: DeedsAnswer(**asdict(done)) for player, done in deeds(match).items()},
        awards=[
            AwardAnswer(kind=found.kind.value, players=list(found.players), amount=found.amount)
            for found in awards(journal)
        ],
        moves=len(match.history),
    )
