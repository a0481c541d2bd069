"""Past predictions in the database.

A list query first finds ids, which are adjacent in an index, and then reads only the rows of its page.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time
from typing import Any
from uuid import UUID

import sqlalchemy as sa
from sqlalchemy.engine import Connection, Row
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, micros, moment
from repaircore.adapters.sql.engine.listing import Orders, listed, listed_by_id
from repaircore.adapters.sql.predictions import read_answer
from repaircore.adapters.sql.schema.predictions import feedback, predictions, remembered
from repaircore.adapters.sql.schema.problems import problems
from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.adapters.sql.schema.vehicles import vehicles
from repaircore.kernel.callers import Environment
from repaircore.kernel.paging import Page, PageRequest
from repaircore.kernel.spelling import key, make_key
from repaircore.predictions.past_predictions import (
    ALL_PREDICTIONS,
    HistoryEntry,
    HistoryFilter,
    PastPrediction,
    PastPredictionRecord,
    Rating,
)
from repaircore.predictions.ports import PastPredictionRecords
from repaircore.predictions.track_record import AnsweredPrediction
from repaircore.vehicles.vin import mask_tail

_MOST_WORDS = 8
_YEAR_DIGITS = 4
_FEWEST = 3
"""The fewest characters to look for at the start of VINs; shorter strings match nearly every VIN."""

# Literally as in the partial index, which is not used for a bound value.
_FLAGGED: sa.ColumnElement[bool] = sa.literal_column("predictions.red_flag") == sa.literal_column("1")

_parents = problems.alias("parents")
_ENTRIES = (
    sa.select(
        predictions,
        vehicles.c.vin.label("vehicle_vin"),
        vehicles.c.year.label("vehicle_year"),
        vehicles.c.make.label("vehicle_make"),
        vehicles.c.model.label("vehicle_model"),
        problems.c.name.label("child"),
        _parents.c.name.label("parent"),
    )
    .join(problems, problems.c.id == predictions.c.problem_id)
    .join(_parents, _parents.c.id == problems.c.parent_id)
    .join(vehicles, vehicles.c.id == predictions.c.vehicle_id)
)
_REFERRED_TO = sa.select(
    *(
        predictions.c[name]
        for name in (
            "id",
            "problem_id",
            "vehicle_id",
            "vin",
            "zip_code",
            "local_low",
            "local_average",
            "local_high",
        )
    )
)

_ORDERS = Orders(
    of="predictions", columns={"created_at": predictions.c.id}, id=predictions.c.id, usual="-created_at"
)

_answered_codec = RowCodec(
    AnsweredPrediction,
    {
        "low": "local_low",
        "average": "local_average",
        "high": "local_high",
        "model_a": "model_a_average",
        "model_b": "model_b_average",
        "together": "ai_average",
    },
)


class SqlPastPredictions(PastPredictionRecords):
    """The stored history of predictions."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def page(
        self,
        *,
        environment: Environment,
        owner_id: int | None,
        request: PageRequest,
        wanted: HistoryFilter = ALL_PREDICTIONS,
    ) -> Page[HistoryEntry]:
        own = _filters(environment, owner_id)
        return self._page(own, request) if wanted == ALL_PREDICTIONS else self._search(own, wanted, request)

    def _search(
        self, own: Sequence[sa.ColumnElement[bool]], wanted: HistoryFilter, request: PageRequest
    ) -> Page[HistoryEntry]:
        return self._page([*own, *_conditions(wanted)], request)

    def _page(self, filters: Sequence[sa.ColumnElement[bool]], request: PageRequest) -> Page[HistoryEntry]:
        query = sa.select(predictions.c.id).where(*filters)
        ids = listed(self._connection, query, request, _ORDERS, lambda row: row.id)
        entries = self._entries(ids.items) if ids.items else ()
        return listed_by_id(ids, {entry.id: entry for entry in entries})

    @override
    def list_before(
        self,
        before_id: int | None,
        *,
        environment: Environment,
        owner_id: int | None,
        wanted: HistoryFilter,
        limit: int,
    ) -> Sequence[HistoryEntry]:
        earlier = [] if before_id is None else [predictions.c.id < before_id]
        query = (
            sa.select(predictions.c.id)
            .where(*_filters(environment, owner_id), *_conditions(wanted), *earlier)
            .order_by(predictions.c.id.desc())
            .limit(limit)
        )
        return self._entries(list(self._connection.execute(query).scalars()))

    @override
    def list_red_flags(
        self, *, environment: Environment, owner_id: int | None, limit: int
    ) -> Sequence[HistoryEntry]:
        query = (
            sa.select(predictions.c.id)
            .where(*_filters(environment, owner_id), _FLAGGED)
            .order_by(predictions.c.id.desc())
            .limit(limit)
        )
        return self._entries(list(self._connection.execute(query).scalars()))

    @override
    def find(
        self, session_id: UUID, *, environment: Environment, owner_id: int | None
    ) -> PastPrediction | None:
        query = _REFERRED_TO.where(
            *_filters(environment, owner_id), predictions.c.session_id == str(session_id)
        )
        row = self._connection.execute(query).one_or_none()
        if row is None:
            return None
        return PastPrediction(
            id=row.id,
            session_id=session_id,
            problem_id=row.problem_id,
            vehicle_id=UUID(row.vehicle_id),
            vin=row.vin,
            zip_code=row.zip_code,
            low=row.local_low,
            average=row.local_average,
            high=row.local_high,
        )

    @override
    def find_record(
        self, session_id: UUID, *, environment: Environment, owner_id: int | None
    ) -> PastPredictionRecord | None:
        query = (
            sa.select(predictions, problems.c.slug)
            .join(problems, problems.c.id == predictions.c.problem_id)
            .where(*_filters(environment, owner_id), predictions.c.session_id == str(session_id))
        )
        row = self._connection.execute(query).one_or_none()
        if row is None:
            return None
        cached = sa.select(remembered).where(remembered.c.id == row.remembered_id)
        answer = self._connection.execute(cached).one_or_none()
        return PastPredictionRecord(
            entry=self.get_entry(row.id),
            vehicle_id=UUID(row.vehicle_id),
            vin=row.vin,
            zip_code=row.zip_code,
            problem_slug=row.slug,
            mileage=row.mileage,
            answer=None if answer is None else read_answer(answer),
        )

    @override
    def get_entry(self, prediction_id: int) -> HistoryEntry:
        return self._entries([prediction_id])[0]

    @override
    def link_email(self, session_id: UUID, email: str) -> None:
        self._connection.execute(
            sa.update(predictions).where(predictions.c.session_id == str(session_id)).values(email=email)
        )

    @override
    def list_answered(self, environment: Environment, *, limit: int) -> Sequence[AnsweredPrediction]:
        query = (
            sa.select(predictions, transactions.c.total.label("paid"))
            .join(predictions, predictions.c.id == transactions.c.prediction_id)
            .where(
                transactions.c.environment == environment,
                transactions.c.prediction_id.is_not(None),
                transactions.c.total > 0,  # a warranty repair says nothing about its price
            )
            .order_by(transactions.c.id.desc())
            .limit(limit)
        )
        return [_answered_codec.read(row) for row in self._connection.execute(query)][::-1]

    def _entries(self, ids: Sequence[int]) -> Sequence[HistoryEntry]:
        ratings = self._rating_counts(ids)
        query = _ENTRIES.where(predictions.c.id.in_(ids)).order_by(predictions.c.id.desc())
        return [_entry(row, ratings.get(row.id, {})) for row in self._connection.execute(query)]

    def _rating_counts(self, ids: Sequence[int]) -> Mapping[int, Mapping[str, int]]:
        query = (
            sa.select(feedback.c.prediction_id, feedback.c.rating, sa.func.count().label("times"))
            .where(feedback.c.prediction_id.in_(ids))
            .group_by(feedback.c.prediction_id, feedback.c.rating)
        )
        counted: dict[int, dict[str, int]] = {}
        for row in self._connection.execute(query):
            counted.setdefault(row.prediction_id, {})[row.rating] = row.times
        return counted


def _filters(environment: Environment, owner_id: int | None) -> list[sa.ColumnElement[bool]]:
    own = [] if owner_id is None else [predictions.c.owner_id == owner_id]
    return [predictions.c.environment == environment, *own]


def _conditions(wanted: HistoryFilter) -> Iterator[sa.ColumnElement[bool]]:
    if wanted.red_flag is not None:
        yield _FLAGGED if wanted.red_flag else predictions.c.red_flag == 0
    if wanted.date_from is not None:
        yield predictions.c.created_at >= micros(_midnight(wanted.date_from))
    if wanted.date_to is not None:
        yield predictions.c.created_at <= micros(datetime.combine(wanted.date_to, time.max, UTC))
    for word in (wanted.vehicle or "").split()[:_MOST_WORDS]:
        yield _is_of_vehicle(word)
    words = (wanted.problem or "").split()[:_MOST_WORDS]
    if words:
        name = sa.func.lower(_parents.c.name + " > " + problems.c.name)
        has_all = [name.contains(word.lower(), autoescape=True) for word in words]
        named = sa.select(problems.c.id).join(_parents, _parents.c.id == problems.c.parent_id)
        yield predictions.c.problem_id.in_(named.where(*has_all))


def _is_of_vehicle(word: str) -> sa.ColumnElement[bool]:
    plain = key(word)
    if not plain:
        return sa.true()
    alike = [
        vehicles.c.make_key.contains(plain),
        vehicles.c.model_key.contains(plain),
        vehicles.c.make_key == make_key(word),
    ]
    if plain.isascii() and plain.isdecimal() and len(plain) == _YEAR_DIGITS:
        alike.append(vehicles.c.year == int(plain))
    # By the id of each prediction's vehicle: an owner has fewer predictions than there are vehicles.
    found = sa.exists().where(vehicles.c.id == predictions.c.vehicle_id, sa.or_(*alike))
    begun = sa.func.substr(predictions.c.vin, 1, len(plain)) == plain.upper()
    return sa.or_(found, begun) if len(plain) >= _FEWEST else found


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time.min, UTC)


def _entry(row: "Row[Any]", ratings: Mapping[str, int]) -> HistoryEntry:
    vin = row.vin
    if vin is None and row.vehicle_vin is not None:
        vin = mask_tail(row.vehicle_vin)
    return HistoryEntry(
        id=row.id,
        session_id=UUID(row.session_id),
        vin=vin,
        vehicle_name=" ".join(map(str, filter(None, (row.vehicle_year, row.vehicle_make, row.vehicle_model))))
        or None,
        problem_name=f"{row.parent} > {row.child}",
        red_flag=bool(row.red_flag),
        red_flag_reason=row.red_flag_reason,
        match=row.match_percentage,
        local_average=row.local_average,
        ai_average=row.ai_average,
        feedbacks=sum(ratings.values()),
        good_feedbacks=ratings.get(Rating.GOOD, 0),
        created_at=moment(row.created_at),
    )
