"""Repair history in the database."""

from collections.abc import Mapping, Sequence
from functools import lru_cache, reduce
from typing import Any, Final

import sqlalchemy as sa
from attrs import fields
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.fits import latest_months, variances_in
from repaircore.adapters.sql.priors import prior_weight
from repaircore.adapters.sql.schema.learning import (
    calibrations,
    cells,
    prior_cells,
    priors,
    tallies,
    variances,
)
from repaircore.adapters.sql.schema.predictions import opinions, track_records
from repaircore.book.model import Problem
from repaircore.kernel.callers import Environment
from repaircore.predictions.ports import Evidence, TrackRecords
from repaircore.predictions.track_record import NO_TRACKS, Track, Tracks
from repaircore.pricing.aggregation import TrackRecord
from repaircore.pricing.drift import drift, rate_drift
from repaircore.pricing.places import PlaceCells
from repaircore.pricing.priors import Prior, capped, with_prior
from repaircore.pricing.variances import Variances, fitted
from repaircore.transactions.evidence import (
    EVERY_PROBLEM,
    NOTHING,
    UNPLACED,
    Cell,
    History,
    Kind,
    Levels,
    Lineage,
    Place,
    part_key,
)
from repaircore.transactions.levels import Level
from repaircore.transactions.tally import GENERATIONS_READ, NO_ERRORS, START_ALPHA, Tally, latest

_PLACE_CELLS: Final = tuple(
    attribute.name
    for attribute in fields(PlaceCells)
    if attribute.type is Cell and not attribute.name.startswith("taken_")
)

_Found = Mapping[tuple[int, str, str], Cell]

_STATEMENTS: Final = 64
"""How many statements for cells are cached: one per table and number of keys, which is below 40 in the shipped book."""


class SqlEvidence(Evidence):
    """The sums of the repair history: a handful of rows, read by key."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._weights: dict[Environment, int] = {}

    @override
    def get_history(self, environment: Environment, problem: Problem, lineage: Lineage) -> History:
        levels = lineage.path()
        parts = [part_key(part.name) for part in problem.parts]
        good, wrong = self._opinions(environment, problem.id)
        found = self._cells(cells, environment, problem.id, levels, parts)
        past = History(
            lineage=lineage,
            price=_levels(found, problem.id, Kind.PRICE, levels),
            hours=_levels(found, problem.id, Kind.HOURS, levels),
            share=found.get((problem.id, Kind.SHARE, ""), NOTHING),
            shared=_levels(found, EVERY_PROBLEM, Kind.PRICE, levels),
            parts={
                key: found[problem.id, Kind.PART, key]
                for key in parts
                if (problem.id, Kind.PART, key) in found
            },
            drift=drift(self._months(environment, Kind.DRIFT)),
            errors=self._tally(environment, problem.id),
            errors_of_all=self._tally(environment, EVERY_PROBLEM),
            alpha=self._alpha(environment),
            good=good,
            wrong=wrong,
        )
        weight = self._weight(environment)
        return (
            past if not weight else with_prior(past, self._prior(environment, problem, levels, parts, weight))
        )

    @override
    def get_variances(self, environment: Environment, problem_id: int, *, spread: float) -> Variances:
        query = sa.select(variances).where(
            variances.c.environment == environment, variances.c.problem_id.in_((problem_id, EVERY_PROBLEM))
        )
        found = {row.problem_id: variances_in(row) for row in self._connection.execute(query)}
        return fitted(found, problem_id, spread=spread)

    @override
    def get_place_cells(self, environment: Environment, place: Place, shops: Sequence[int]) -> PlaceCells:
        keys = {
            "country": ((Level.COUNTRY, ""),),
            "unplaced": ((Level.COUNTRY, UNPLACED),),
            "state": ((Level.STATE, place.state),),
            "area": ((Level.AREA, place.area),),
            "shop": tuple((Level.SHOP, str(shop)) for shop in shops),
        }
        kinds = {"rate": Kind.RATE, "parts": Kind.PARTS_LEVEL, "hours": Kind.HOURS_LEVEL}
        wanted = {
            f"{kind}_{level}": [
                (Kind.RATE_OFF_TABLE if (kind, level) == ("rate", "state") else kinds[kind], *key)
                for key in keys[level]
            ]
            for kind, level in (name.split("_") for name in _PLACE_CELLS)
            # The price level of a shop without a state is not part of the country's.
            if kind == "rate" or level != "country" or place.state
        }
        all_keys = [(EVERY_PROBLEM, *key) for some in wanted.values() for key in some]
        found = {
            (row.kind, row.level, row.key): Cell(row.w, row.s, row.q)
            for row in self._rows(cells, environment, all_keys)
        }
        return PlaceCells(
            **self._imported_rates(environment, place.state),
            rate_drift=rate_drift(self._months(environment, Kind.RATE_DRIFT)),
            **{
                name: reduce(Cell.joined, (found[key] for key in some if key in found), NOTHING)
                for name, some in wanted.items()
            },
        )

    def _weight(self, environment: Environment) -> int:
        """Return the most invoices that an imported cell may count as; 0 if nothing was imported."""
        if environment not in self._weights:
            self._weights[environment] = prior_weight(self._connection, environment)
        return self._weights[environment]

    def _prior(
        self,
        environment: Environment,
        problem: Problem,
        levels: Sequence[tuple[Level, str]],
        parts: Sequence[str],
        weight: int,
    ) -> Prior:
        found = self._cells(prior_cells, environment, problem.id, levels, parts)
        center = sa.select(priors.c.center).where(
            priors.c.environment == environment, priors.c.problem_id == problem.id
        )
        return Prior(
            weight=weight,
            center=self._connection.execute(center).scalar_one_or_none() or 0,
            price=_levels(found, problem.id, Kind.PRICE, levels),
            shared=_levels(found, EVERY_PROBLEM, Kind.PRICE, levels),
            hours=_levels(found, problem.id, Kind.HOURS, levels),
            share=found.get((problem.id, Kind.SHARE, ""), NOTHING),
            parts={
                key: found[problem.id, Kind.PART, key]
                for key in parts
                if (problem.id, Kind.PART, key) in found
            },
        )

    def _imported_rates(self, environment: Environment, state: str) -> Mapping[str, Cell]:
        weight = self._weight(environment)
        if not weight:
            return {}
        query = sa.select(prior_cells).where(
            prior_cells.c.environment == environment,
            prior_cells.c.problem_id == EVERY_PROBLEM,
            prior_cells.c.kind == Kind.RATE,
            sa.tuple_(prior_cells.c.level, prior_cells.c.key).in_(
                [(Level.COUNTRY.value, ""), (Level.STATE.value, state)]
            ),
        )
        return {
            f"taken_{row.level}": capped(Cell(row.w, row.s, row.q), weight)
            for row in self._connection.execute(query)
        }

    def _cells(
        self,
        table: sa.Table,
        environment: Environment,
        problem_id: int,
        levels: Sequence[tuple[Level, str]],
        parts: Sequence[str],
    ) -> _Found:
        # By whole keys: with any part left open, the database would read all cells of the repair.
        wanted: list[tuple[int, str, str, str]] = [
            (problem_id, Kind.SHARE, Level.PROBLEM, ""),
            *((problem_id, kind, level, key) for kind in (Kind.PRICE, Kind.HOURS) for level, key in levels),
            *((EVERY_PROBLEM, Kind.PRICE, level, key) for level, key in levels),
            *((problem_id, Kind.PART, Level.PROBLEM, key) for key in parts),
        ]
        return {
            (row.problem_id, row.kind, row.key): Cell(row.w, row.s, row.q)
            for row in self._rows(table, environment, wanted)
        }

    def _rows(
        self, table: sa.Table, environment: Environment, keys: Sequence[tuple[int, str, str, str]]
    ) -> "sa.CursorResult[Any]":
        values = {
            f"{name}_{turn}": value
            for turn, key in enumerate(keys)
            for name, value in zip(_KEY, key, strict=True)
        }
        return self._connection.execute(_by_keys(table, len(keys)), {"environment": environment, **values})

    def _months(self, environment: Environment, kind: Kind) -> Sequence[tuple[str, Cell]]:
        return latest_months(self._connection, environment, kind)

    def _tally(self, environment: Environment, problem_id: int) -> Tally:
        # Deletions may have emptied any generation.
        query = (
            sa.select(tallies.c.counts)
            .where(
                tallies.c.environment == environment,
                tallies.c.problem_id == problem_id,
                tallies.c.counts != NO_ERRORS.packed(),
            )
            .order_by(tallies.c.generation.desc())
            .limit(GENERATIONS_READ)
        )
        return latest([Tally.unpacked(counts) for counts in self._connection.execute(query).scalars()])

    def _opinions(self, environment: Environment, problem_id: int) -> tuple[int, int]:
        query = sa.select(opinions.c.good, opinions.c.wrong).where(
            opinions.c.environment == environment, opinions.c.problem_id == problem_id
        )
        row = self._connection.execute(query).one_or_none()
        return (0, 0) if row is None else (row.good, row.wrong)

    def _alpha(self, environment: Environment) -> int:
        query = sa.select(calibrations.c.alpha).where(calibrations.c.environment == environment)
        alpha: int | None = self._connection.execute(query).scalar_one_or_none()
        return START_ALPHA if alpha is None else alpha


_KEY: Final = ("problem_id", "kind", "level", "key")


@lru_cache(maxsize=_STATEMENTS)
def _by_keys(table: sa.Table, count: int) -> "sa.Select[Any]":
    """Return the statement that reads ``count`` cells by their whole keys; building it costs more than running it."""
    of_environment = table.c.environment == sa.bindparam("environment")
    return sa.select(table).where(
        sa.or_(
            *(
                sa.and_(of_environment, *(table.c[name] == sa.bindparam(f"{name}_{turn}") for name in _KEY))
                for turn in range(count)
            )
        )
    )


def _levels(found: _Found, problem_id: int, kind: Kind, keys: Sequence[tuple[Level, str]]) -> Levels:
    return Levels(**{level: found.get((problem_id, kind, key), NOTHING) for level, key in keys})


class SqlTrackRecords(TrackRecords):
    """The stored track records."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def get(self, environment: Environment) -> Tracks:
        query = sa.select(track_records).where(track_records.c.environment == environment)
        row = self._connection.execute(query).one_or_none()
        if row is None:
            return NO_TRACKS
        return Tracks(
            model_a=Track(
                source=row.model_a_source,
                record=TrackRecord(bias=row.model_a_bias, spread=row.model_a_spread, pairs=row.model_a_pairs),
            ),
            model_b=Track(
                source=row.model_b_source,
                record=TrackRecord(bias=row.model_b_bias, spread=row.model_b_spread, pairs=row.model_b_pairs),
            ),
            correlation=row.correlation,
            flag_threshold=row.flag_threshold,
        )

    @override
    def save(self, environment: Environment, tracks: Tracks) -> None:
        columns = {
            "model_a_source": tracks.model_a.source,
            "model_a_bias": tracks.model_a.record.bias,
            "model_a_spread": tracks.model_a.record.spread,
            "model_a_pairs": tracks.model_a.record.pairs,
            "model_b_source": tracks.model_b.source,
            "model_b_bias": tracks.model_b.record.bias,
            "model_b_spread": tracks.model_b.record.spread,
            "model_b_pairs": tracks.model_b.record.pairs,
            "correlation": tracks.correlation,
            "flag_threshold": tracks.flag_threshold,
        }
        insert = upsert(self._connection, track_records).values(environment=environment, **columns)
        self._connection.execute(insert.on_conflict_do_update(index_elements=["environment"], set_=columns))
