"""Refits on both databases: exact, repeatable, and invoices can still be removed."""

import math
from collections.abc import Iterator
from datetime import date
from random import Random
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve
from tests.threads import at_once
from tests.unit.learning.test_service import TEST, learned_rows, new_transaction

from repaircore.core import Core
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import LOCAL
from repaircore.learning.refit import refit
from repaircore.learning.refits import off_book_percent, refit_is_due, spread_percent
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.predictions.model import PredictByVin
from repaircore.pricing.book_price import book_spread
from repaircore.pricing.variances import variances_of
from repaircore.transactions.evidence import Kind
from repaircore.transactions.model import Transaction

VINS = ("1HGCM82633A", "1HGCV1F34JA", "4T1BF1FK5GU")


@pytest.fixture
def invoices(core: Core) -> list[Transaction]:
    dice, vehicles = Random(7), [core.vehicles.resolve(vin).id for vin in VINS]  # noqa: S311 - a simulation
    return [core.transactions.record(result) for result in _new_transactions(dice, vehicles, 30)]


def _new_transactions(dice: Random, vehicles: list[UUID], count: int) -> Iterator[CreateTransaction]:
    for number in range(count):
        yield new_transaction(
            vehicles[number % len(vehicles)],
            labor_hours=round(dice.uniform(0.8, 3.0), 2),
            problem_id=dice.choice([101, 102]),
            performed_on=date(2025, 1 + number % 12, 3),
        )


def cells(core: Core) -> list[Any]:
    return [row for row in learned_rows(core) if hasattr(row, "level")]


def test_refit_changes_estimates(core: Core, invoices: list[Transaction]) -> None:
    ask = PredictByVin(vin="1HGCM82633A004352", zip_code="90210", problem_identifier="101")
    before = core.predictions.predict(ask).figures.local
    result = core.refits.refit()
    after = core.predictions.predict(evolve(ask, zip_code="90211")).figures.local

    assert result.invoices == len(invoices)
    assert {one.id for one in result.problems} == {101, 102}
    assert (after.high - after.low) != (before.high - before.low)


@pytest.mark.usefixtures("invoices")
def test_second_refit_finds_the_same(core: Core) -> None:
    first = core.refits.refit()
    rows = learned_rows(core)
    second = core.refits.refit()

    assert learned_rows(core) == rows
    assert [one.after for one in second.problems] == [one.after for one in first.problems]
    assert [one.before for one in second.problems] == [one.after for one in first.problems]


def test_removing_an_old_invoice_after_a_refit_leaves_the_sums_of_the_others(
    core: Core, invoices: list[Transaction]
) -> None:
    core.refits.refit()
    before = cells(core)
    removed, more = (
        invoices[3],
        core.transactions.record(new_transaction(invoices[0].vehicle_id, labor_hours=2.2)),
    )
    core.transactions.delete(removed.id)
    core.transactions.delete(more.id)
    back = evolve(removed, lesson=None)
    # Every remaining sum equals that of an installation that never had the invoice, at the same centers.
    with core.storage.transaction() as work:
        assert removed.lesson is not None
        work.lessons.learn(
            back.environment,
            removed.lesson.evidence,
            bin=removed.lesson.surprise.bin,
            alpha_step=removed.lesson.surprise.alpha_step,
        )

    assert cells(core) == before


def test_all_invoices_can_be_removed_without_a_trace_across_refits(
    core: Core, invoices: list[Transaction]
) -> None:
    core.refits.refit()
    for one in invoices[:20]:
        core.transactions.delete(one.id)
    core.refits.refit()
    for one in invoices[20:]:
        core.transactions.delete(one.id)

    assert learned_rows(core) == []
    assert core.refits.refit().problems == []


@pytest.mark.usefixtures("invoices")
def test_environments_are_fitted_separately(core: Core) -> None:
    with core.storage.read() as work:
        before = work.fits.variances(LOCAL.environment)

    assert core.refits.refit(TEST).problems == []
    with core.storage.read() as work:
        assert work.fits.variances(LOCAL.environment) == before
        assert work.fits.variances(TEST.environment) == {}


@pytest.mark.usefixtures("invoices")
def test_refit_is_audited(core: Core) -> None:
    core.refits.refit()
    entry = core.audit.list_newest(limit=1)[0]

    assert (entry.action, entry.subject) == ("estimates.refit", "estimates/live")
    assert entry.after is not None
    assert entry.after["repairs"] == 2


def test_invoices_recorded_during_refits_are_not_lost(core: Core, invoices: list[Transaction]) -> None:
    vehicle, turns = invoices[0].vehicle_id, list(range(6))

    def run() -> None:
        if turns.pop() % 2:
            core.refits.refit()
        else:
            for _ in range(3):
                core.transactions.delete(core.transactions.record(new_transaction(vehicle)).id)

    core.refits.refit()
    before = cells(core)
    at_once(6, run)
    core.refits.refit()

    assert cells(core) == before


def test_upgrade_sums_what_older_invoices_taught_about_their_states(core: Core) -> None:
    vehicle = core.vehicles.resolve(VINS[0]).id
    for number, code in enumerate(("90012", "94103", "10001", "90012")):
        shop = core.facilities.create(CreateFacility(facility_name=f"Shop {number}", zip_code=code)).id
        core.transactions.record(
            new_transaction(vehicle, facility_id=shop, labor_rate=130_00 + 10_00 * number)
        )
    before = cells(core)
    core.storage.downgrade("0009")
    core.storage.upgrade()

    assert cells(core) == before
    assert {row.key for row in before if row.kind == Kind.RATE_OFF_TABLE} == {"CA", "NY"}


@pytest.mark.parametrize(
    ("fitted", "due_at"), [(0, 20), (10, 30), (20, 40), (50, 100), (100, 200), (101, 201), (5_000, 5_100)]
)
def test_refit_is_due_when_the_history_has_doubled_or_grown_by_the_most(fitted: int, due_at: int) -> None:
    assert refit_is_due(due_at, fitted, most=100)
    assert not refit_is_due(due_at - 1, fitted, most=100)


def test_report_lists_the_repair_with_the_most_invoices_first(core: Core) -> None:
    vehicle = core.vehicles.resolve(VINS[0]).id
    for problem_id, count in ((101, 1), (102, 2), (103, 2)):
        for _ in range(count):
            core.transactions.record(new_transaction(vehicle, problem_id=problem_id))
    result = core.refits.refit()
    problems = {problem.id: problem for problem in core.problems.list_all()}

    assert [(one.id, one.invoices) for one in result.problems] == [(102, 2), (103, 2), (101, 1)]
    assert result.invoices == 5
    with core.refits.read() as work:
        found = work.fits.variances(LOCAL.environment)

        assert work.fits.fitted(LOCAL.environment) == 5
    for one in result.problems:
        assert one.before == variances_of(book_spread(problems[one.id]))
        assert (one.after, one.slug) == (found[one.id], problems[one.id].slug)
    entry = core.audit.list_newest(limit=1)[0]
    spreads = [math.sqrt(found[number].within) for number in (101, 102, 103)]

    assert entry.before == {"repairs": 0, "mean_spread_percent": None}
    assert entry.after == {
        "repairs": 3,
        "mean_spread_percent": round(100 * math.expm1(sum(spreads) / 3), 1),
    }


@pytest.mark.usefixtures("invoices")
@pytest.mark.parametrize(("most", "pieces"), [(12, 3), (13, 2), (20, 2), (21, 1)])
def test_refit_written_in_pieces_is_that_written_at_once(
    core: Core, monkeypatch: pytest.MonkeyPatch, most: int, pieces: int
) -> None:
    begun: list[int] = []

    def counted() -> Any:
        begun.append(1)
        return core.refits.transaction()

    monkeypatch.setattr("repaircore.learning.refits._CELLS", most)
    with core.refits.read() as work:
        cells_of = list(work.fits.cells(LOCAL.environment))
        spreads = {problem.id: book_spread(problem) for problem in work.problems.list_all()}
    evolve(core.refits, transaction=counted).refit()
    with core.refits.read() as work:
        found = work.fits.variances(LOCAL.environment)

    # The repairs have eight cells each, and all repairs together five; the last unit of work marks the refit.
    assert len(begun) == pieces + 1
    assert found == refit(cells_of, spreads).variances


def test_percentages_of_a_fit_are_those_of_prices() -> None:
    fit = evolve(variances_of(0.3), within=0.04, center=-20_000)

    assert (spread_percent(fit), off_book_percent(fit)) == (22.1, -18.1)
