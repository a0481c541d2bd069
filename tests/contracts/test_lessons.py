"""The contract of the port ``Lessons``, on both databases: sums are exact whatever was learned and unlearned."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial

import sqlalchemy as sa
from attrs import field, frozen
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.threads import at_once
from tests.unit.pricing.jobs import problem

from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.engine.work import SqlWork
from repaircore.adapters.sql.schema.learning import calibrations, cells, tallies
from repaircore.kernel.callers import Environment
from repaircore.transactions.evidence import (
    EVERY_PROBLEM,
    LARGEST,
    Cell,
    CellKey,
    Delta,
    Evidence,
    Kind,
    Lineage,
    PartEvidence,
    applied,
    deltas,
    removal,
)
from repaircore.transactions.levels import Level
from repaircore.transactions.model import Lesson
from repaircore.transactions.tally import BINS, START_ALPHA, Tally, capacity

LIVE, TEST = Environment.LIVE, Environment.TEST
PARTS = ("pad set", "rotor")

_grains = st.integers(-LARGEST, LARGEST)
_lineages = st.builds(
    Lineage,
    make=st.sampled_from(["Honda", "HONDA", "Škoda", "Ac|me"]),
    model=st.sampled_from(["Accord", "Pilot", "a  ccord"]),
    year=st.integers(1998, 2003),
)
_evidence = st.builds(
    Evidence,
    problem_id=st.sampled_from([7, 8]),
    lineage=_lineages,
    price=_grains,
    hours=st.none() | _grains,
    share=st.integers(0, 100_000),
    parts=st.lists(st.sampled_from(PARTS), unique=True).flatmap(
        lambda keys: st.tuples(*(st.builds(PartEvidence, key=st.just(key), price=_grains) for key in keys))
    ),
)
_lessons = st.tuples(
    st.sampled_from(list(Environment)), _evidence, st.integers(0, BINS - 1), st.integers(-500, 500)
)


@frozen
class Sums:
    """The sums of one environment; tallies of all generations are merged, and empty ones are left out."""

    cells: Mapping[CellKey, Cell] = field(factory=dict)
    errors: Mapping[int, Tally] = field(factory=dict)
    alpha: int = START_ALPHA

    def with_changes(
        self, changes: tuple[Delta, ...], errors: Callable[[Tally], Tally], of: int, step: int
    ) -> "Sums":
        fields = {**self.errors, **{p: errors(self.errors.get(p, Tally())) for p in (of, EVERY_PROBLEM)}}
        return Sums(
            applied(self.cells, changes), {p: t for p, t in fields.items() if t != Tally()}, self.alpha + step
        )


def stored_sums(unit: SqlWork, environment: Environment) -> Sums:
    ask = unit.connection.execute
    rows = ask(sa.select(cells).where(cells.c.environment == environment)).all()
    counted: dict[int, list[Tally]] = {}
    for row in ask(sa.select(tallies).where(tallies.c.environment == environment)):
        counted.setdefault(row.problem_id, []).append(Tally.unpacked(row.counts))
    errors = {p: Tally.merged(some) for p, some in counted.items()}
    alpha = ask(sa.select(calibrations.c.alpha).where(calibrations.c.environment == environment)).scalar()
    return Sums(
        {
            CellKey(row.problem_id, Kind(row.kind), Level(row.level), row.key): Cell(row.w, row.s, row.q)
            for row in rows
        },
        {p: tally for p, tally in errors.items() if tally != Tally()},
        START_ALPHA if alpha is None else alpha,
    )


class _Rollback(Exception):
    """Rolls a unit of work back."""


@contextmanager
def rolled_back(database: Database) -> Iterator[SqlWork]:
    """Open a unit of work that is rolled back, so that the next example starts clean."""
    with suppress(_Rollback), work.open_work(database, write=True) as unit:
        yield unit
        raise _Rollback


@given(data=st.data())
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_rows_equal_what_was_learned_and_not_unlearned(database: Database, data: st.DataObject) -> None:
    expected = dict.fromkeys(Environment, Sums())
    learned: list[tuple[Environment, Lesson]] = []
    with rolled_back(database) as unit:
        for result in data.draw(st.lists(st.none() | _lessons, max_size=12)):
            if result is not None:
                environment, one, number, step = result
                learned.append(
                    (environment, unit.lessons.learn(environment, one, bin=number, alpha_step=step))
                )
                changes, count = deltas(one, center=0), partial(Tally.plus, number=number)
            elif learned:
                environment, lesson = learned.pop(data.draw(st.integers(0, len(learned) - 1)))
                unit.lessons.unlearn(environment, lesson)
                one, number, step = lesson.evidence, lesson.surprise.bin, -lesson.surprise.alpha_step
                changes, count = removal(one, center=0), partial(Tally.minus, number=number)
            else:
                continue
            expected[environment] = expected[environment].with_changes(changes, count, one.problem_id, step)

            assert {name: stored_sums(unit, name) for name in Environment} == expected
        for environment, lesson in learned:
            unit.lessons.unlearn(environment, lesson)

        assert {name: stored_sums(unit, name) for name in Environment} == dict.fromkeys(Environment, Sums())


@given(evidence=st.lists(_evidence, max_size=8), vehicle=_lineages)
@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
def test_history_has_the_cells_of_each_level_of_the_vehicle(
    database: Database, evidence: list[Evidence], vehicle: Lineage
) -> None:
    repair = problem(parts=[(name, 1, 50_00) for name in PARTS])
    with rolled_back(database) as unit:
        for one in evidence:
            unit.lessons.learn(LIVE, one, bin=40, alpha_step=0)
        folded: Mapping[CellKey, Cell] = {}
        for one in evidence:
            folded = applied(folded, deltas(one, center=0))
        found = unit.evidence.get_history(LIVE, repair, vehicle)
        for level, key in vehicle.path():
            for kind, levels, of in (
                (Kind.PRICE, found.price, repair.id),
                (Kind.HOURS, found.hours, repair.id),
                (Kind.PRICE, found.shared, EVERY_PROBLEM),
            ):
                assert getattr(levels, level) == folded.get(CellKey(of, kind, level, key), Cell())

        assert found.share == folded.get(CellKey(repair.id, Kind.SHARE, Level.PROBLEM, ""), Cell())
        assert found.parts == {
            key.key: cell
            for key, cell in folded.items()
            if (key.problem_id, key.kind) == (repair.id, Kind.PART)
        }
        assert found.errors.w == sum(one.problem_id == repair.id for one in evidence)
        assert found.errors_of_all.w == len(evidence)
        assert unit.evidence.get_history(TEST, repair, vehicle).errors_of_all.w == 0


ONE = Evidence(
    problem_id=7, lineage=Lineage(make="Honda", model="Accord", year=2018), price=-5, hours=3, share=50_000
)


def _generation(unit: SqlWork, number: int, counts: Tally, problem_id: int = 7) -> None:
    unit.connection.execute(
        sa.insert(tallies).values(
            environment=LIVE, problem_id=problem_id, generation=number, counts=counts.packed()
        )
    )


def _many(number: int, count: int) -> Tally:
    return Tally(tuple(count * (place == number) for place in range(BINS)))


def test_full_generation_is_followed_by_the_next(database: Database) -> None:
    with rolled_back(database) as unit:
        _generation(unit, 4, _many(1, capacity(4) - 1))
        last = unit.lessons.learn(LIVE, ONE, bin=2, alpha_step=0)
        first = unit.lessons.learn(LIVE, ONE, bin=3, alpha_step=0)

        assert (last.surprise.generation, first.surprise.generation) == (4, 5)
        unit.lessons.unlearn(LIVE, last)
        history = unit.evidence.get_history(LIVE, problem(), ONE.lineage)

        assert history.errors == _many(1, capacity(4) - 1).plus(3)


def test_last_three_nonempty_generations_are_read(database: Database) -> None:
    with rolled_back(database) as unit:
        for number, count in enumerate([8, 1, 2, 0, 3, 0, 0]):
            _generation(unit, number, _many(number, count))
        found = unit.evidence.get_history(LIVE, problem(), ONE.lineage).errors

        assert [found.counts[number] for number in range(7)] == [0, 1, 2, 0, 3, 0, 0]


def test_concurrent_writers_lose_nothing(database: Database) -> None:
    def learn() -> Lesson:
        with work.open_work(database, write=True) as unit:
            return unit.lessons.learn(LIVE, ONE, bin=2, alpha_step=7)

    learned = at_once(8, learn)
    with work.open_work(database, write=False) as unit:
        sums = stored_sums(unit, LIVE)

    assert {cell.w for cell in sums.cells.values()} == {8}
    assert (sums.errors[7].counts[2], sums.errors[EVERY_PROBLEM].counts[2]) == (8, 8)
    assert sums.alpha == START_ALPHA + 56
    remaining = list(learned)

    def unlearn() -> None:
        with work.open_work(database, write=True) as unit:
            unit.lessons.unlearn(LIVE, remaining.pop())

    at_once(8, unlearn)
    with work.open_work(database, write=False) as unit:
        assert stored_sums(unit, LIVE) == Sums()
