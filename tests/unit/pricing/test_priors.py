"""Priors of another installation: their weight, and their file format."""

import math
from contextlib import suppress
from typing import Any

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.pricing.jobs import ACCORD, BOOK, HOME, PADS, PILOT, Past, evidence

from repaircore.kernel.errors import Invalid
from repaircore.learning.priors_file import (
    FORMAT,
    VERSION,
    parse_priors,
    priors_document,
    rounded_count,
    shareable,
)
from repaircore.learning.refit import refit
from repaircore.pricing.credibility import arrival, vehicle_index, walk
from repaircore.pricing.estimator import LocalEstimate, estimate, outlook
from repaircore.pricing.priors import Prior, PriorFit, capped, with_prior
from repaircore.pricing.variances import variances_of
from repaircore.transactions.evidence import EVERY_PROBLEM, LARGEST, NO_LEVELS, Cell, History, Levels

VARIANCES = variances_of(0.3)


def _estimated(past: History) -> LocalEstimate:
    return estimate(outlook(BOOK, past, market=HOME, variances=VARIANCES))


_means = st.integers(-100_000, 100_000)


def _cell(w: int, y: int) -> Cell:
    return Cell(w, w * y, w * y * y)


@st.composite
def _levels(draw: st.DrawFn, most: int = 400) -> Levels:
    counts = [draw(st.integers(0, most)) for _ in range(4)]
    return Levels(*(_cell(w, draw(_means)) for w in counts)).nested()


@given(own=_levels(), prior=_levels(), weight=st.integers(1, 100))
def test_prior_counts_as_its_number_of_own_invoices(own: Levels, prior: Levels, weight: int) -> None:
    past = with_prior(History(lineage=ACCORD, price=own), Prior(weight=weight, price=prior))
    apart = prior.apart()
    virtual = Levels(
        *(capped(cell, weight) for cell in (apart.problem, apart.make, apart.model, apart.years))
    ).nested()
    found, expected = walk(past.price, VARIANCES, prior=past.prior), walk(own.joined(virtual), VARIANCES)

    assert (found.mean, found.variance) == (expected.mean, expected.variance)
    assert sum(stop.invoices for stop in found.stops) == own.problem.w
    assert all(stop.taken <= weight for stop in found.stops)
    assert arrival(own.joined(past.prior), VARIANCES) == (found.mean, found.variance)


@given(own=_levels(), prior=_levels())
def test_heavier_prior_leaves_less_variance(own: Levels, prior: Levels) -> None:
    doubts = [
        walk(own, VARIANCES, prior=with_prior(History(lineage=ACCORD), Prior(weight=w, price=prior)).prior)
        for w in (1, 5, 25, 125)
    ]
    variances = [one.variance for one in doubts]

    assert variances == sorted(variances, reverse=True)
    assert variances[0] <= walk(own, VARIANCES).variance


def test_own_invoices_gradually_outweigh_a_prior() -> None:
    prior = Prior(weight=20, price=Levels(problem=_cell(5_000, 50_000)))
    means = []
    for count in (0, 20, 200, 20_000):
        own = Levels(problem=_cell(count, -20_000) if count else Cell())
        past = with_prior(History(lineage=ACCORD, price=own), prior)
        means.append(walk(past.price, VARIANCES, prior=past.prior).mean)

    assert means == sorted(means, reverse=True)
    assert means[0] > 0.4
    assert means[-1] == pytest.approx(-0.2, abs=0.001)


def test_index_of_a_make_excludes_the_repair_itself() -> None:
    price = Levels(problem=_cell(500, 0), make=_cell(100, 40_000))
    alone = with_prior(History(lineage=ACCORD), Prior(weight=20, price=price, shared=price))
    others = Levels(problem=_cell(2_000, 0), make=price.make.joined(_cell(300, 30_000)))
    more = with_prior(History(lineage=ACCORD), Prior(weight=20, price=price, shared=others))

    assert alone.prior_index == NO_LEVELS
    assert vehicle_index(NO_LEVELS, NO_LEVELS, VARIANCES, alone.prior_index).make == 0
    assert more.prior_index.make.w == 20
    assert more.prior_index.make.mean == pytest.approx(0.3)
    index = vehicle_index(NO_LEVELS, NO_LEVELS, VARIANCES, more.prior_index)

    assert index.make == pytest.approx(20 * 0.3 / (20 + VARIANCES.within / VARIANCES.make_index))
    assert (index.make_invoices, index.make_taken) == (0, 20)


def test_shared_cells_of_a_prior_are_relative_to_its_own_center() -> None:
    price = Levels(problem=_cell(100, 25_000), make=_cell(50, 25_000))
    shared = Levels(problem=_cell(100, 0).joined(_cell(100, 0)), make=_cell(50, 0).joined(_cell(50, 10_000)))
    past = with_prior(History(lineage=ACCORD), Prior(weight=200, center=25_000, price=price, shared=shared))

    assert past.prior_index.make.mean == pytest.approx(0.1)


def test_explanation_states_the_weight_of_a_prior() -> None:
    past = Past().with_evidence(evidence(10_000)).of(ACCORD)
    result = _estimated(
        with_prior(past, Prior(weight=20, price=Levels(problem=_cell(90, 30_000), make=_cell(6, 30_000))))
    )

    assert result.sample_size == 1
    assert [one.name for one in result.basis][:2] == ["the repair book", "another installation"]
    assert sum(one.weight for one in result.basis) == pytest.approx(100, abs=0.05)
    text = " ".join(step.text for step in result.steps)

    assert (
        "We have none of these on other makes, and another installation's count as 20. Together they" in text
    )
    assert "We have none of these on other models of this make, and another installation's count as 6" in text
    assert "We have 1 of these on this model's years" in text
    unlike = _estimated(
        with_prior(Past().of(PILOT), Prior(weight=20, price=Levels(problem=_cell(90, 30_000))))
    )

    assert "We have none of these on other makes, and another installation's count as 20" in " ".join(
        step.text for step in unlike.steps
    )


def test_without_a_prior_nothing_changes() -> None:
    past = Past().with_evidence(*[evidence(12_000)] * 7).of(ACCORD)

    assert _estimated(with_prior(past, Prior(weight=20))) == _estimated(past)


def test_capped_keeps_the_mean() -> None:
    assert capped(_cell(100, 12_345), 20) == _cell(20, 12_345)
    assert capped(_cell(7, 12_345), 20) == _cell(7, 12_345)


def test_refit_is_shrunk_towards_the_variances_of_a_prior() -> None:
    found = evolve(variances_of(0.5), root=7_000, center=30_000)
    of_all = evolve(variances_of(1.5), root=7_000, center=7_000)
    priors = {
        EVERY_PROBLEM: PriorFit(variances=of_all),
        PADS: PriorFit(variances=found, cell=_cell(20, 30_000)),
    }
    untaught = refit([], {PADS: 0.3}, priors).variances

    assert untaught == {EVERY_PROBLEM: of_all, PADS: found}

    cells = Past().with_evidence(evidence(10_000)).cells.items()
    alone, leaning = (refit(cells, {PADS: 0.3}, some).variances[PADS] for some in ({}, priors))

    assert alone.within == pytest.approx(variances_of(0.3).within)
    assert leaning.within == pytest.approx(found.within)
    assert alone.center < 10_000 < leaning.center

    many = Past().with_evidence(*[evidence(y) for y in (-20_000, 0, 20_000)] * 2_000).cells.items()
    alone, leaning = (refit(many, {PADS: 0.3}, some).variances[PADS] for some in ({}, priors))

    assert leaning.within == pytest.approx(alone.within, rel=0.02)


@pytest.mark.parametrize(
    ("invoices", "rounded"), [(5, 5), (9, 5), (19, 15), (20, 20), (99, 99), (123, 120), (45_678, 45_000)]
)
def test_counts_are_rounded_down(invoices: int, rounded: int) -> None:
    assert rounded_count(invoices) == rounded


def test_names_with_long_numbers_are_not_exported() -> None:
    assert shareable("honda|accord|2012")
    assert shareable("ram|2500|2016")
    assert not shareable("honda|accord 1hgcm82633a004352|2012")
    assert not shareable("ford|ada@example.com")


def document(**changes: Any) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "version": VERSION,
        "made_in": "2026-11",
        "spread": {
            **dict.fromkeys(("spread", "book", "make", "model", "years", "make_index", "model_index"), 0.5),
            "off_book": 0.1,
        },
        "repairs": [
            {
                "repair": "brake-pads-front",
                "book": {"hours": 1.2, "price": 250.0},
                "spread": 0.3,
                "off_book": 0.05,
                "prices": [
                    {"invoices": 100, "mean": 0.05},
                    {"make": "honda", "invoices": 20, "mean": 0.1},
                    {"make": "honda", "model": "accord", "invoices": 10, "mean": 0.12},
                    {"make": "honda", "model": "accord", "first_year": 2012, "invoices": 5, "mean": 0.2},
                ],
                "hours": [{"invoices": 100, "mean": -0.02}],
                "labor_share": {"invoices": 100, "mean": 0.45},
                "parts": [{"part": "pad set", "book_price": 60.0, "invoices": 40, "mean": 0.2}],
            }
        ],
        "vehicles": [{"invoices": 100, "mean": 0.0}, {"make": "honda", "invoices": 20, "mean": 0.05}],
        "labor_rates": [{"invoices": 100, "mean": 0.1}, {"state": "OH", "invoices": 30, "mean": -0.05}],
        **changes,
    }


def test_document_survives_writing_and_reading() -> None:
    file = parse_priors(document())

    assert priors_document(file) == document()
    assert file.cells == 11


@pytest.mark.parametrize("data", [None, [], 5, "x", {}, {"format": "other"}])
def test_other_files_are_refused_as_such(data: Any) -> None:
    with pytest.raises(Invalid) as caught:
        parse_priors(data)

    assert [*caught.value.fields] == ["format"]


def test_later_version_is_the_only_reported_error() -> None:
    with pytest.raises(Invalid, match="Update the program first") as caught:
        parse_priors({"format": FORMAT, "version": VERSION + 1})

    assert [*caught.value.fields] == ["version"]


def test_every_bad_field_is_reported() -> None:
    repair = document()["repairs"][0]
    bad = document(
        version="1",
        made_in=7,
        spread={**document()["spread"], "make": math.nan, "book": -1},
        repairs=[
            {
                **repair,
                "book": {"hours": True, "price": 10**400},
                "spread": None,
                "prices": [
                    {"invoices": 4, "mean": 0.0},
                    {"model": "accord", "invoices": 5, "mean": math.inf},
                    {"make": "a\nb", "invoices": 5.0, "mean": "0"},
                    17,
                ],
                "hours": {},
                "labor_share": {"invoices": 5, "mean": 1.5},
                "parts": [{"part": "x" * 81, "book_price": 0, "invoices": 5, "mean": 8}],
            },
            repair,
            repair,
        ],
        labor_rates=[{"state": "Ohio", "invoices": 5, "mean": 0}],
    )
    del bad["vehicles"]
    with pytest.raises(Invalid) as caught:
        parse_priors(bad)

    assert {*caught.value.fields} == {
        "version",
        "made_in",
        "spread.make",
        "spread.book",
        "repairs.0.book.hours",
        "repairs.0.book.price",
        "repairs.0.spread",
        "repairs.0.prices.0.invoices",
        "repairs.0.prices.1.make",
        "repairs.0.prices.1.mean",
        "repairs.0.prices.2.make",
        "repairs.0.prices.2.invoices",
        "repairs.0.prices.2.mean",
        "repairs.0.prices.3",
        "repairs.0.hours",
        "repairs.0.labor_share.mean",
        "repairs.0.parts.0.part",
        "repairs.0.parts.0.book_price",
        "repairs.0.parts.0.mean",
        "repairs.1.repair",
        "repairs.2.repair",
        "vehicles",
        "labor_rates.0.state",
    }


@pytest.mark.parametrize("name", ["spread", "book", "make", "model", "years", "make_index", "model_index"])
def test_impossible_spreads_are_refused(name: str) -> None:
    for value in (0.0001, 31):
        with pytest.raises(Invalid) as caught:
            parse_priors(document(spread={**document()["spread"], name: value}))

        assert [*caught.value.fields] == [f"spread.{name}"]


@pytest.mark.parametrize("invoices", [10_000_001, 1_000_000_000])
def test_more_invoices_than_the_sums_can_hold_are_refused(invoices: int) -> None:
    cells = [{"invoices": 10_000_000, "mean": 7}, {"make": "honda", "invoices": invoices, "mean": 1.0}]
    with pytest.raises(Invalid) as caught:
        parse_priors(document(vehicles=cells))

    assert caught.value.fields == {"vehicles.1.invoices": ("It must be between 5 and 10,000,000.",)}
    assert 10_000_000 * LARGEST**2 < 2**63


def test_names_that_normalize_to_one_are_refused_as_duplicates() -> None:
    cells = [{"make": make, "invoices": 5, "mean": 0} for make in ("toyota", "Toyota", "TOYOTA ")]
    repair = document()["repairs"][0]
    part = repair["parts"][0]
    doubled = {**repair, "parts": [part, {**part, "part": "Pad  Set"}]}
    rates = [{**where, "invoices": 5, "mean": 0} for where in ({}, {"state": "OH"}, {"state": "OH"}, {})]
    with pytest.raises(Invalid) as caught:
        parse_priors(document(vehicles=cells, repairs=[doubled], labor_rates=rates))

    assert {*caught.value.fields} == {
        "vehicles.1",
        "vehicles.2",
        "repairs.0.parts.1.part",
        "labor_rates.2",
        "labor_rates.3",
    }


@pytest.mark.parametrize("state", ["Oh", "OHI", "O", "ÖH"])
def test_state_of_a_labor_rate_is_two_capital_letters(state: str) -> None:
    with pytest.raises(Invalid) as caught:
        parse_priors(document(labor_rates=[{"state": state, "invoices": 5, "mean": 0}]))

    assert [*caught.value.fields] == ["labor_rates.0.state"]


@pytest.mark.parametrize("year", [2013, 1896, 2104, 2012.0, True])
def test_first_year_begins_a_band(year: Any) -> None:
    cell = {"make": "honda", "model": "accord", "first_year": year, "invoices": 5, "mean": 0}
    with pytest.raises(Invalid) as caught:
        parse_priors(document(vehicles=[cell]))
    result = {"vehicles.0.first_year": ("It must be a year from 1900 to 2100 that is divisible by 4.",)}

    assert caught.value.fields == result


def test_at_most_fifty_bad_fields_are_reported() -> None:
    with pytest.raises(Invalid) as caught:
        parse_priors(document(vehicles=[{"make": str(n), "mean": 0} for n in range(500)]))

    assert len(caught.value.fields) == 51
    assert caught.value.fields["file"] == ("450 more fields are invalid.",)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["repair", "book", "prices", "make", "model", "invoices", "mean", "first_year"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(document(), _json)))
def test_any_file_is_read_or_refused(odd: dict[str, Any]) -> None:
    result = {**document(), **odd, "format": FORMAT}
    with suppress(Invalid):
        file = parse_priors(result)

        assert parse_priors(priors_document(file)) == file
