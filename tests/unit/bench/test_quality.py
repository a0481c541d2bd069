"""The estimate benchmark: synthetic worlds, baseline methods, scores and misses."""

import csv
import io
import math

import numpy as np
import pytest
from attrs import evolve
from bench.quality.baselines import backed_off, conformal, neighbors, per_problem
from bench.quality.catalog import profile_of
from bench.quality.goals import misses
from bench.quality.product import opened
from bench.quality.report import Measured, csv_text, lines
from bench.quality.runs import Result, estimated_by
from bench.quality.scores import Score, pinball, score
from bench.quality.stages import Point, Refitted, averaged
from bench.quality.vehicles import MODELS
from bench.quality.worlds import END, LEARNED, MONTHS, WORLDS, Jobs, Law, World, day_of, drawn

from repaircore.book.fit import FitOutcome, check_fit

FOREIGN = WORLDS["foreign"]
GOOD = Score(
    method="product",
    mae=100.0,
    median_error=10.0,
    pinball=0.05,
    coverage=80.0,
    width=0.5,
    bias=0.0,
    met=80.0,
    stated=82.0,
    flags_false=3.0,
    flags_found=95.0,
)
OTHER = Score(
    method="group median",
    mae=120.0,
    median_error=12.0,
    pinball=0.06,
    coverage=80.0,
    width=0.6,
    bias=0.0,
    met=70.0,
)
ORACLE = evolve(OTHER, method="oracle", mae=50.0, pinball=0.03)


def make_jobs(*problems_models_makes: tuple[int, int, int]) -> Jobs:
    problem, model, make = np.array(problems_models_makes).T
    count = len(problem)
    return Jobs(
        month=np.linspace(0, 60, count),
        problem=problem,
        model=model,
        make=make,
        year=np.full(count, 2013),
        shop=np.zeros(count, dtype=np.int64),
    )


def result(product: Score, *others: Score, size: int = 2_000) -> Result:
    return Result(world="foreign", size=size, seed=1, scores=(product, *others))


@pytest.mark.long
def test_same_seed_makes_the_same_invoices() -> None:
    one, other = (drawn(FOREIGN, 5, learned=50, tested=20) for _ in range(2))
    assert np.array_equal(one.charges.total, other.charges.total)
    assert np.array_equal(one.paid.total, other.paid.total)
    assert not np.array_equal(one.charges.total, drawn(FOREIGN, 6, learned=50, tested=20).charges.total)


@pytest.mark.long
def test_what_is_to_be_estimated_comes_after_what_is_learned_from_and_is_sound() -> None:
    trial = drawn(WORLDS["errors"], 5, learned=400, tested=200)
    assert trial.past.month.max() <= LEARNED <= trial.coming.month.min()
    assert 0.02 < trial.charges.gross.mean() < 0.12
    assert not trial.paid.gross.any()
    assert day_of(MONTHS) == END


def test_invoices_are_for_real_vehicles_and_fitting_repairs() -> None:
    law = Law(FOREIGN, 4101)
    jobs = law.jobs(400)
    for problem, model, year in zip(jobs.problem, jobs.model, jobs.year, strict=True):
        profile = profile_of(*MODELS[model], int(year))
        assert profile is not None
        verdict = check_fit(law.problems[problem], profile)
        assert verdict.outcome is not FitOutcome.DOES_NOT_FIT, verdict.reason


@pytest.mark.parametrize("name", ["foreign", "unrelated", "book", "dear"])
def test_oracle_range_holds_four_of_five_sound_invoices(name: str) -> None:
    law = Law(WORLDS[name], 8)
    jobs = law.jobs(1_000)
    low, middle, high = law.quantiles(jobs, draws=150).T
    paid = law.charged(jobs, gross_errors=0.0).total
    assert abs(np.mean((low <= paid) & (paid <= high)) - 0.8) < 0.04
    assert abs(np.mean(paid <= middle) - 0.5) < 0.05


def test_prices_rise_on_the_day_of_the_step() -> None:
    def rise(world: World) -> float:
        law = Law(world, 3)
        jobs = law.jobs(300, first=59.0, last=59.01)
        before, after = (
            law.quantiles(evolve(jobs, month=np.full(300, month)))[:, 1] for month in (59.99, 60.01)
        )
        return float(np.mean(np.log(after / before)))

    assert rise(FOREIGN) == pytest.approx(0, abs=0.01)
    assert rise(WORLDS["step"]) == pytest.approx(math.log(1.12), abs=0.01)


def test_expensive_shop_charges_thirty_percent_more() -> None:
    cheap = Law(evolve(WORLDS["dear"], dearer=1e-9), 3)
    law = Law(WORLDS["dear"], 3)
    shop = law.dear_shops[0]
    jobs = law.jobs(200, first=66, shop=shop)
    ratio = np.log(law.quantiles(jobs)[:, 1] / cheap.quantiles(jobs)[:, 1])
    assert float(np.mean(ratio)) == pytest.approx(math.log(1.3), abs=0.02)


def test_pinball_loss_is_zero_when_exact_and_grows_with_the_error() -> None:
    paid = np.array([100.0, 300.0])
    exact = np.stack([paid] * 3, axis=1)
    assert pinball(exact, paid) == 0
    assert pinball(exact * 1.1, paid) == pytest.approx(math.log(1.1) * (0.9 + 0.5 + 0.1) / 3)
    assert pinball(exact * 1.2, paid) > pinball(exact * 1.1, paid)


def test_score_has_the_errors_and_the_coverage() -> None:
    actual = np.array([[80.0, 100.0, 120.0], [80.0, 100.0, 120.0], [10.0, 20.0, 30.0], [90.0, 100.0, 140.0]])
    found = score("a", actual, np.array([100.0, 140.0, 20.0, 110.0]))
    assert found.mae == pytest.approx((0 + 40 + 0 + 10) / 4)
    assert found.coverage == 75
    assert found.met == 75
    assert found.tested == 4


def test_median_per_problem_falls_back_to_all_invoices() -> None:
    fit = per_problem(make_jobs((1, 0, 0), (1, 0, 0), (1, 0, 0), (2, 0, 0)), np.array([1.0, 2.0, 9.0, 5.0]))
    assert fit(make_jobs((1, 5, 5), (2, 5, 5), (3, 5, 5)))[:, 1].tolist() == [2.0, 5.0, 3.5]


def test_group_of_fewer_than_five_backs_off_from_model_to_make_to_repair() -> None:
    past = make_jobs(*[(1, 7, 3)] * 5, *[(1, 8, 3)] * 4, *[(1, 9, 4)] * 2)
    prices = np.array([1.0] * 5 + [2.0] * 4 + [3.0] * 2)
    actual = backed_off(past, prices)(make_jobs((1, 7, 3), (1, 8, 3), (1, 9, 4)))
    assert actual[:, 1].tolist() == [1.0, 1.0, 2.0]


def test_neighbors_prefer_the_same_repair() -> None:
    past = make_jobs(*[(1, 0, 0)] * 25, *[(2, 5, 5)] * 25)
    prices = np.array([1.0] * 25 + [2.0] * 25)
    assert neighbors(past, prices)(make_jobs((2, 0, 0)))[0].tolist() == [2.0, 2.0, 2.0]


def test_conformal_ranges_hold_four_of_five_whatever_the_method() -> None:
    dice = np.random.default_rng(4)
    past, coming = (make_jobs(*[(1, 0, 0)] * 2_000) for _ in range(2))
    prices, paid = dice.normal(5, 0.3, 2_000), dice.normal(5, 0.3, 2_000)
    actual = conformal(lambda _jobs, _prices: lambda jobs: np.full((len(jobs), 3), 5.0))(past, prices)(coming)
    assert abs(np.mean((actual[:, 0] <= paid) & (paid <= actual[:, 2])) - 0.8) < 0.04


def test_method_sees_one_price_level_and_answers_in_current_dollars() -> None:
    trial = drawn(FOREIGN, 5, learned=300, tested=100)
    actual = estimated_by(per_problem, trial.past, trial.charges, trial.coming)
    off = np.abs(np.log(actual[:, 1] / trial.paid.total))
    assert float(np.median(off)) < 0.4


def test_misses_are_empty_when_only_the_oracle_is_better() -> None:
    assert not [*misses([result(GOOD, OTHER, ORACLE)], [], [])]


def test_miss_is_more_than_one_percent_behind() -> None:
    assert not [*misses([result(evolve(GOOD, mae=121.0), OTHER)], [], [])]
    (text,) = misses([result(evolve(GOOD, mae=122.0), OTHER)], [], [])
    assert "MAE $122.0, group median $120.0" in text


@pytest.mark.parametrize(
    ("product", "words"),
    [
        (evolve(GOOD, pinball=0.07), "pinball loss 0.0700"),
        (evolve(GOOD, coverage=70.0), "holds 70.0%"),
        (evolve(GOOD, stated=90.0), "confidence 90.0, met 80.0"),
        (evolve(GOOD, flags_false=6.0), "6.0% false red flags"),
        (evolve(GOOD, flags_found=80.0), "80.0% of bad figures found"),
    ],
)
def test_each_missed_goal_is_named(product: Score, words: str) -> None:
    (text,) = misses([result(product, OTHER)], [], [])
    assert words in text
    assert "foreign, 2,000 invoices" in text


def test_shop_with_a_bias_after_twenty_invoices_is_a_miss() -> None:
    point = Point(
        series="a shop at +30%, alone",
        invoices=5,
        bias=-0.2,
        median_error=20,
        pinball=0.1,
        coverage=80,
        width=0.5,
    )
    assert not [*misses([], [point, evolve(point, invoices=20, bias=0.04)], [])]
    assert len([*misses([], [evolve(point, invoices=20), evolve(point, invoices=100, bias=0.03)], [])]) == 2
    assert [*misses([], [evolve(point, invoices=100, bias=0.0, coverage=60.0)], [])]


def test_refit_that_widens_ranges_over_a_tenth_is_a_miss() -> None:
    one = Refitted(invoices=10_000, widest=1.05, narrowest=0.9, middle=1.0)
    assert not [*misses([], [], [one])]
    assert [*misses([], [], [evolve(one, widest=1.2)])]


def test_several_runs_are_averaged_stage_by_stage() -> None:
    one = Point(
        series="history", invoices=20, bias=0.1, median_error=10, pinball=0.06, coverage=70, width=0.6
    )
    other = evolve(one, bias=-0.2, coverage=90.0)
    late = evolve(one, invoices=50)
    first, second = averaged([[one, late], [other, late]])
    assert first.bias == pytest.approx(-0.05)
    assert (first.invoices, first.coverage) == (20, 80.0)
    assert second == late


def test_curves_round_trip_as_csv() -> None:
    point = Point(
        series="history", invoices=20, bias=0.01, median_error=12.5, pinball=0.06, coverage=79.0, width=0.6
    )
    (row,) = csv.DictReader(io.StringIO(csv_text([point])))
    assert (row["series"], row["invoices"], float(row["median_error"])) == ("history", "20", 12.5)


def test_tables_list_each_method_and_the_misses() -> None:
    text = "\n".join(lines(Measured(results=[result(evolve(GOOD, coverage=60.0), OTHER, ORACLE)])))
    assert all(f"| {one.method}" in text for one in (GOOD, OTHER, ORACLE))
    assert "- foreign, 2,000 invoices, seed 1, product: the 80% range holds 60.0%" in text


@pytest.fixture(scope="module")
def small() -> World:
    return World(name="small", text="a repair or two", problems=3, models=2, shops=2)


def test_product_learns_a_world_and_predicts_in_it(small: World) -> None:
    trial = drawn(small, 5, learned=40, tested=12)
    with opened(trial.law, seed=5) as product:
        before = product.ranges(trial.coming)
        product.learn(trial.past, trial.charges, linked=6)
        figures = product.predict(trial.coming)
        after = product.ranges(trial.coming)
        found = product.core.jobs.jobs
    assert figures.predicted.shape == (12, 3)
    assert (np.diff(figures.predicted, axis=1) >= 0).all()
    assert pinball(after, trial.paid.total) < pinball(before, trial.paid.total)
    assert any(job.name == "estimates.refit" and job.at is not None for job in found)


def test_invoices_can_be_recorded_one_by_one(small: World) -> None:
    trial = drawn(small, 5, learned=8, tested=4)
    with opened(trial.law, seed=5) as product:
        product.record(trial.past, trial.charges)
        assert product.predict(trial.coming).predicted.min() > 0
        assert product.core.refits.refit().invoices == 8
