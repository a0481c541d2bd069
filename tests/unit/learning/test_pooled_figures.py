"""The figures of priors: how they are exported, and converted to another installation's book, on both databases."""

import math

import pytest
from tests.unit.learning.test_pooling import TEST, record_invoices
from tests.unit.learning.test_service import NEW_TRANSACTION
from tests.unit.pricing.test_priors import document as priors_file

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.learning.refit import refit
from repaircore.pricing.book_price import book_price, book_spread
from repaircore.pricing.variances import variances_of
from repaircore.transactions.evidence import EVERY_PROBLEM, GRAIN, Cell, CellKey, Kind, grains
from repaircore.transactions.levels import Level
from repaircore.vehicle_facts.model import Factors


def _imported_cells(core: Core, problem_id: int) -> dict[tuple[Kind, Level, str], Cell]:
    """Return the imported cells of a repair, or of all repairs."""
    names = {
        (Level.PROBLEM, ""),
        (Level.MAKE, "honda"),
        (Level.MODEL, "honda|accord"),
        (Level.YEARS, "honda|accord|2012"),
        (Level.PROBLEM, "front brake pad set"),
        (Level.PROBLEM, "unknown part"),
        (Level.COUNTRY, ""),
        (Level.STATE, "OH"),
    }
    rows = [(problem_id, kind.value, level.value, key) for kind in Kind for level, key in names]
    with core.invoice_imports.read() as work:
        found = work.batches.prior_cells(TEST.environment, rows)
    return {(Kind(kind), Level(level), key): cell for (_, kind, level, key), cell in found.items()}


def _cell(count: int, mean: float) -> Cell:
    y = grains(mean)
    return Cell(count, count * y, count * y * y)


def test_imported_cells_are_relative_to_this_installations_book(core: Core) -> None:
    problem = next(one for one in core.problems.list_all() if one.slug == "brake-pads-front")
    book = book_price(problem, Factors(labor=1.0, parts=1.0), national_rate=core.pooling.rates.national)
    pads = next(part for part in book.parts if part.name == "Front brake pad set")
    file = priors_file()
    (repair,) = file["repairs"]
    repair["book"] = {"hours": 2 * book.hours, "price": book.total / 100 / 2}
    repair["parts"] = [
        {"part": " FRONT brake pad set", "book_price": 3 * pads.price / 100, "invoices": 40, "mean": 0.2},
        {"part": "Unknown part", "book_price": 3.0, "invoices": 40, "mean": 0.2},
    ]
    cheaper, longer, dearer = math.log(0.5), math.log(2), math.log(3)
    result = core.pooling.import_priors(file, TEST)

    assert _imported_cells(core, problem.id) == {
        (Kind.PRICE, Level.PROBLEM, ""): _cell(100, 0.05 + cheaper),
        (Kind.PRICE, Level.MAKE, "honda"): _cell(20, 0.1 + cheaper),
        (Kind.PRICE, Level.MODEL, "honda|accord"): _cell(10, 0.12 + cheaper),
        (Kind.PRICE, Level.YEARS, "honda|accord|2012"): _cell(5, 0.2 + cheaper),
        (Kind.HOURS, Level.PROBLEM, ""): _cell(100, -0.02 + longer),
        (Kind.SHARE, Level.PROBLEM, ""): _cell(100, 0.45),
        (Kind.PART, Level.PROBLEM, "front brake pad set"): _cell(40, 0.2 + dearer),
    }
    assert _imported_cells(core, EVERY_PROBLEM) == {
        (Kind.PRICE, Level.PROBLEM, ""): _cell(100, 0.0),
        (Kind.PRICE, Level.MAKE, "honda"): _cell(20, 0.05),
        (Kind.RATE, Level.COUNTRY, ""): _cell(100, 0.1),
        (Kind.RATE, Level.STATE, "OH"): _cell(30, -0.05),
    }
    assert (result.standing.weight, result.standing.repairs, result.standing.cells) == (20, 1, 11)


def test_imported_hours_of_a_book_without_hours_stay(core: Core) -> None:
    problem = next(one for one in core.problems.list_all() if one.slug == "brake-pads-front")
    file = priors_file()
    file["repairs"][0]["book"]["hours"] = 0.0
    core.pooling.import_priors(file, TEST)

    assert _imported_cells(core, problem.id)[Kind.HOURS, Level.PROBLEM, ""] == _cell(100, -0.02)


def test_imported_fits_have_the_ratios_of_the_file(core: Core) -> None:
    problem = next(one for one in core.problems.list_all() if one.slug == "brake-pads-front")
    book = book_price(problem, Factors(labor=1.0, parts=1.0), national_rate=core.pooling.rates.national)
    file = priors_file()
    names = ("book", "make", "model", "years", "make_index", "model_index")
    ratios = dict(zip(names, (0.5, 0.4, 0.3, 0.2, 0.1, 0.05), strict=True))
    file["spread"] = {"spread": 1.5, **ratios, "off_book": 0.1}
    core.pooling.import_priors(file, TEST)
    with core.pooling.read() as work:
        fits = work.priors.fits(TEST.environment)
    shift = math.log(250 / (book.total / 100))

    assert {*fits} == {EVERY_PROBLEM, problem.id}
    for problem_id, spread, unit, center in (
        (EVERY_PROBLEM, 1.5, 1.0, 0.1),
        (problem.id, 0.3, book_spread(problem), 0.05 + shift),
    ):
        found = fits[problem_id].variances

        assert found.within == pytest.approx(spread**2)
        assert {name: getattr(found, name) / found.within for name in names} == pytest.approx(ratios)
        assert found.unit == variances_of(unit).unit
        assert (found.center, found.root) == (grains(center), 10_000)


def test_weight_of_an_import_is_accepted_up_to_its_bounds(core: Core) -> None:
    for weight in (1, 1_000):
        result = core.pooling.import_priors(priors_file(), TEST, weight=weight, dry_run=True)

        assert result.standing.weight == weight


def _digits(value: float) -> float:
    return float(f"{value:.3g}")


def test_exported_figures_are_those_of_the_own_fit(core: Core) -> None:
    record_invoices(core)
    core.refits.refit()
    problem = next(one for one in core.problems.list_all() if one.id == NEW_TRANSACTION.problem_id)
    book = book_price(problem, Factors(labor=1.0, parts=1.0), national_rate=core.pooling.rates.national)
    with core.pooling.read() as work:
        learned = dict(work.priors.learned(LOCAL.environment))
        drift, _ = work.priors.drifts(LOCAL.environment)
    found = refit(learned.items(), {problem.id: book_spread(problem)}).variances
    of_all, own = found[EVERY_PROBLEM], found[problem.id]
    document = core.pooling.export().document
    (repair,) = document["repairs"]

    def ratio(name: str) -> float:
        return _digits(getattr(of_all, name) / of_all.within)

    assert document["made_in"] == f"{core.clock():%Y-%m}"
    assert document["spread"] == {
        "spread": _digits(math.sqrt(of_all.within)),
        **{name: ratio(name) for name in ("book", "make", "model", "years", "make_index", "model_index")},
        "off_book": round(of_all.root * GRAIN + drift, 2),
    }
    assert repair["book"] == {"hours": round(book.hours, 2), "price": round(book.total / 100, 2)}
    assert (repair["spread"], repair["off_book"]) == (
        _digits(math.sqrt(own.within)),
        round(own.center * GRAIN + drift, 2),
    )
    share = learned[CellKey(problem.id, Kind.SHARE, Level.PROBLEM, "")]
    prices = {part.name.casefold(): round(part.price / 100, 2) for part in book.parts}

    assert [[*cell][:-2] for cell in repair["prices"]] == [
        ["make"],
        ["make", "model"],
        [],
        ["make", "model", "first_year"],
    ]  # by level
    assert repair["labor_share"] == {"invoices": 5, "mean": round(share.mean, 2)}
    assert [(one["part"], one["book_price"], one["invoices"]) for one in repair["parts"]] == [
        (name, prices[name], 5) for name in ("brake hardware kit", "front brake pad set")
    ]
    for one in repair["parts"]:
        cell = learned[CellKey(problem.id, Kind.PART, Level.PROBLEM, one["part"])]

        assert one["mean"] == round(cell.mean, 2)
    # The cells that all repairs share are relative to the centers of the repairs.
    own_cells = [
        cell
        for key, cell in learned.items()
        if (key.problem_id, key.kind, key.level) == (problem.id, Kind.PRICE, Level.PROBLEM)
    ]

    assert document["vehicles"][0] == {
        "make": "honda",
        "invoices": 5,
        "mean": round(own_cells[0].recentered(own.center).mean, 2),
    }


def test_short_history_is_refitted_with_the_import_itself(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_invoices(core, caller=TEST)
    monkeypatch.setattr("repaircore.learning.refits.Refits.refit", lambda *_: None)
    core.pooling.import_priors(priors_file(), TEST)
    with core.pooling.read() as work:
        spreads = {problem.id: book_spread(problem) for problem in work.problems.list_all()}
        priors = work.priors.fits(TEST.environment)
        expected = refit(work.fits.cells(TEST.environment), spreads, priors).variances
        found, invoices = work.fits.variances(TEST.environment), work.fits.fitted(TEST.environment)

    assert (found, invoices) == (expected, 8)
    core.pooling.remove(TEST)
    with core.pooling.read() as work:
        alone = refit(work.fits.cells(TEST.environment), spreads).variances
        again = work.fits.variances(TEST.environment)

    assert again == alone != expected


@pytest.mark.parametrize(("cars", "repairs"), [(4, 0), (5, 1)])
def test_cells_of_five_invoices_are_exported(core: Core, cars: int, repairs: int) -> None:
    record_invoices(core, cars=cars)

    assert core.pooling.export().repairs == repairs


def test_refit_of_a_long_history_is_outstanding_until_it_is_done(
    core: Core, monkeypatch: pytest.MonkeyPatch
) -> None:
    record_invoices(core, caller=TEST)
    core.refits.refit(TEST)
    refitted: list[Caller] = []

    def refit_later(_: object, caller: Caller = LOCAL) -> None:
        refitted.append(caller)

    monkeypatch.setattr("repaircore.learning.refits.Refits.refit", refit_later)
    for short, outstanding in ((8, False), (7, True)):
        monkeypatch.setattr("repaircore.learning.pooling._SHORT", short)
        for use in (
            lambda: core.pooling.import_priors(priors_file(), TEST),
            lambda: core.pooling.remove(TEST),
        ):
            use()

            assert core.pooling.is_refit_outstanding(TEST) is outstanding
    # Only the long history is refitted after the transaction; the short one within it.
    assert refitted == [TEST, TEST]
