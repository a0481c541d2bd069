"""Recorded figures of one repair whose history has everything: a change of any formula changes some of them.

That a formula is right is tested beside it; these figures show that it stayed the same.
"""

import pytest
from attrs import evolve
from tests.unit.pricing.jobs import ACCORD, BATTERY, BOOK, CAMRY, PADS, PILOT, RATE, Past, evidence

from repaircore.pricing.estimator import estimate, outlook
from repaircore.pricing.expectation import ErrorSpread, ExpectationResult, expectation
from repaircore.pricing.places import Market
from repaircore.pricing.priors import Prior, with_prior
from repaircore.pricing.ranges import Distribution, distribution
from repaircore.pricing.variances import variances_of
from repaircore.transactions.evidence import Cell, CellKey, Kind, Levels
from repaircore.transactions.levels import Level
from repaircore.transactions.tally import NO_ERRORS, Tally, bin_of

ROTOR = CellKey(PADS, Kind.PART, Level.PROBLEM, "rotor")
SOLD = Past().with_evidence(
    *(
        evidence(price, lineage, problem_id)
        for problem_id, lineage, prices in (
            (PADS, ACCORD, (40_000, 10_000, 25_000)),
            (PADS, evolve(ACCORD, year=2018), (-5_000, 15_000)),
            (PADS, PILOT, (60_000, 35_000)),
            (PADS, CAMRY, (-30_000, -12_000, 4_000, 9_000)),
            (BATTERY, ACCORD, (20_000, 31_000)),
            (BATTERY, PILOT, (12_000,)),
            (BATTERY, CAMRY, (-22_000, -6_000)),
        )
        for price in prices
    )
)


def _tally(*errors: float) -> Tally:
    tally = NO_ERRORS
    for error in errors:
        tally = tally.plus(bin_of(error))
    return tally


OWN = _tally(-1.4, -0.7, -0.3, 0.1, 0.2, 0.4, 0.9, 1.6, 2.5, 7.0)
OTHERS = _tally(*[-2.2, -1.1, -0.6, -0.2, 0.0, 0.3, 0.7, 1.2, 1.9, 3.1] * 6)


def _cell(w: int, y: int) -> Cell:
    return Cell(w, w * y, w * y * y)


PRIOR = Prior(
    weight=8,
    center=3_000,
    price=Levels(_cell(30, 12_000), _cell(12, 20_000), _cell(5, 26_000), _cell(2, 30_000)),
    shared=Levels(_cell(90, 2_000), _cell(40, 9_000), _cell(18, 14_000), Cell()),
    hours=Levels(_cell(30, 5_000), _cell(12, 7_000), _cell(5, 9_000), _cell(2, 4_000)),
    share=_cell(20, 55_000),
    parts={"rotor": _cell(9, 8_000)},
)
PAST = with_prior(
    evolve(
        Past(
            cells={**SOLD.cells, ROTOR: _cell(5, -4_000)},
            errors={PADS: OWN, 0: Tally.merged([OWN, OTHERS])},
            alpha=23_000,
        ).of(ACCORD),
        drift=0.03,
        good=1,
        wrong=4,
    ),
    PRIOR,
)
VARIANCES = evolve(variances_of(0.27), root=4_000, center=6_000)
THERE = Market(rate=RATE + 2_000, national_rate=RATE, price_level=1.1, parts_level=0.95, hours_level=1.08)


def test_estimate_of_a_rich_history_gives_the_recorded_figures() -> None:
    about = outlook(BOOK, PAST, market=THERE, variances=VARIANCES)
    found = estimate(about)

    assert (about.center, about.hours, about.spread) == pytest.approx((56_393.407, 0.07654819, 0.2273800))
    assert (found.low, found.average, found.high, found.confidence) == (422_87, 567_76, 859_53, 66)
    assert (found.sample_size, found.effective_sample_size) == (11, 11.3)
    assert (found.variance, found.spread, found.labor_share) == pytest.approx(
        (0.003886616, 0.2366646, 0.5005305)
    )
    assert [(one.level, one.invoices, one.weight) for one in found.basis] == [
        (None, 0, 4.2),
        (None, 0, 54.7),
        (Level.PROBLEM, 4, 4.6),
        (Level.MAKE, 2, 4.8),
        (Level.MODEL, 2, 9.3),
        (Level.YEARS, 3, 22.4),
    ]
    assert [(line.unit_price, line.quantity) for line in found.breakdown.parts] == [(99_92, 1), (114_20, 2)]
    assert found.breakdown.labor_hours == 1.46


def test_walk_of_a_rich_history_gives_the_recorded_figures() -> None:
    about = outlook(BOOK, PAST, market=THERE, variances=VARIANCES)

    assert (about.walk.mean, about.walk.variance, about.walk.book) == pytest.approx(
        (0.2098715, 0.003886616, 0.04362182)
    )
    assert [(stop.invoices, stop.taken) for stop in about.walk.stops] == [(4, 8), (2, 7), (2, 3), (3, 2)]
    assert [stop.credibility for stop in about.walk.stops] == pytest.approx(
        [0.7597122, 0.5411422, 0.3691777, 0.3728276]
    )
    assert [stop.mean for stop in about.walk.stops] == pytest.approx(
        [0.02501658, 0.1489223, 0.1741276, 0.2098715]
    )
    index = about.index
    assert (index.make, index.model) == pytest.approx((0.03090949, 0.03347321))
    assert (index.make_invoices, index.model_invoices) == (3, 2)
    assert (index.make_taken, index.model_taken) == (8, 8)


def test_explanation_of_a_rich_history_has_each_step_with_its_figures() -> None:
    found = estimate(outlook(BOOK, PAST, market=THERE, variances=VARIANCES))

    assert [(step.name, step.value, step.text) for step in found.steps] == [
        (
            "book",
            390.0,
            (
                "The book expects 1.25 h and $210.00 of parts on a 2012 Honda Accord: $390.00 at the national rate of"
                " $144.00 an hour."
            ),
        ),
        (
            "all_repairs",
            405.92,
            (
                "Across all repairs, invoices differ from the book by +4%; that applies to repairs without invoices,"
                " too."
            ),
        ),
        (
            "problem",
            399.88,
            (
                "We have 4 of these on other makes, and another installation's count as 8. Together they make up 76% of"
                " the price; the other 24% is what the book says (the book counts as 3.8 invoices)."
            ),
        ),
        (
            "make_index",
            412.43,
            (
                "3 invoices and another installation's, which count as 8, for other jobs on Honda vehicles suggest +3%"
                " compared with those on all vehicles."
            ),
        ),
        (
            "make",
            452.63,
            (
                "We have 2 of these on other models of this make, and another installation's count as 7. Together they"
                " make up 54% of the price; the other 46% is what the job costs on all makes."
            ),
        ),
        (
            "model_index",
            468.03,
            (
                "2 invoices and another installation's, which count as 8, for other jobs on Honda Accord vehicles suggest"
                " +3% compared with those on the make."
            ),
        ),
        (
            "model",
            464.18,
            (
                "We have 2 of these on other years of this model, and another installation's count as 3. Together they"
                " make up 37% of the price; the other 63% is what the job costs on the make."
            ),
        ),
        (
            "years",
            481.07,
            (
                "We have 3 of these on this model's years, and another installation's count as 2. Together they make up"
                " 37% of the price; the other 63% is what the job costs on the model."
            ),
        ),
        (
            "drift",
            495.72,
            (
                "Prices have moved by +3% beyond the price index since these invoices, judging by their trend and by the"
                " invoices of the last 6 months; we add that."
            ),
        ),
        (
            "prices",
            506.87,
            (
                "Parts are 50% of this job, and repairs cost 10% more than in the book's base year; that moves the price"
                " by +5%. Shops here differ from shops elsewhere by −5% in parts prices and by +8% in billed hours."
            ),
        ),
        (
            "region",
            563.93,
            (
                "Labor is 50% of this job, and your area charges 14% more than the national rate ($164.00 against $144.00"
                " an hour); that moves the price by +12%."
            ),
        ),
        (
            "past_errors",
            567.76,
            (
                "Our past estimates of such jobs were off by a median of +1%, on top of what has been learned since; we"
                " add that."
            ),
        ),
        ("lines", 567.76, "1.46 h at $164.00 is $239.44, parts are $328.32: together $567.76."),
        ("range", 567.76, "About eight out of ten invoices should lie between $422.87 and $859.53."),
    ]


FAR = _tally(*[7.0] * 40, -0.5, 0.5)
SLIPS = _tally(*[-1.1, -0.7, -0.4, -0.2, -0.1, 0.0, 0.15, 0.3, 0.5, 0.9, 1.4] * 6, 9.0)


@pytest.mark.parametrize(
    ("errors", "quantiles", "below", "bounds"),
    [
        pytest.param(
            distribution(OWN, Tally.merged([OWN, OTHERS]), normal=1.2),
            (-2.255148, -1.343449, -0.577261, 0.184948, 0.928865, 1.912553, 3.171175),
            (0.0, 0.001424, 0.162367, 0.36602, 0.39428, 0.565095, 0.755719, 0.999577, 1.0),
            (
                (-2.312152, 0.030239, 3.253759),
                (-1.364017, 0.030239, 2.030427),
                (-0.324597, 0.030239, 0.834247),
            ),
            id="few",
        ),
        pytest.param(
            distribution(FAR, FAR),
            (-0.502247, 6.596861, 6.69092, 6.847686, 7.004451, 7.09851, 7.148675),
            (0.0, 0.000084, 0.009332, 0.034174, 0.03882, 0.045732, 0.068308, 0.077624, 1.0),
            ((-1.18924, 0.0, 7.156899), (0.0, 0.0, 7.101964), (0.0, 0.0, 6.974825)),
            id="far",
        ),
        pytest.param(
            distribution(SLIPS, SLIPS, normal=0.9),
            (-1.155148, -0.71589, -0.36819, 0.04064, 0.456122, 0.926597, 1.422625),
            (0.0, 0.0, 0.093416, 0.334376, 0.457505, 0.682055, 0.906282, 1.0, 1.0),
            ((-1.254664, 0.0176, 1.447134), (-0.862505, 0.0176, 0.931848), (-0.235574, 0.0176, 0.319936)),
            id="slips",
        ),
    ],
)
def test_distribution_of_errors_gives_the_recorded_figures(
    errors: Distribution,
    quantiles: tuple[float, ...],
    below: tuple[float, ...],
    bounds: tuple[tuple[float, float, float], ...],
) -> None:
    assert tuple(map(errors.quantile, (0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98))) == pytest.approx(
        quantiles, abs=1e-6
    )
    assert tuple(map(errors.share_below, (-30, -3, -1, -0.2, 0, 0.3, 1, 3.5, 30))) == pytest.approx(
        below, abs=1e-6
    )
    # Alpha is clamped to 2% and to 60%.
    assert errors.bounds(0) == errors.bounds(2_000) == pytest.approx(bounds[0], abs=1e-6)
    assert errors.bounds(20_000) == pytest.approx(bounds[1], abs=1e-6)
    assert errors.bounds(90_000) == errors.bounds(60_000) == pytest.approx(bounds[2], abs=1e-6)


@pytest.mark.parametrize(
    ("errors", "worth", "made", "is_crowded", "calibration", "within"),
    [
        pytest.param(
            distribution(OWN, Tally.merged([OWN, OTHERS]), normal=1.2),
            51.886792, 19.545455, False, 0.883797, 0.540273, id="few",
        ),
        pytest.param(distribution(FAR, FAR), 72.613246, 49.682927, True, 0.422418, 0.053879, id="far"),
        pytest.param(
            distribution(SLIPS, SLIPS, normal=0.9), 97.304301, 76.392523, False, 1.671912, 0.744635, id="slips"
        ),
        pytest.param(distribution(NO_ERRORS, NO_ERRORS), None, 0, False, 1.170456, 0.595338, id="none"),
    ],
)  # fmt: skip
def test_weight_of_errors_gives_the_recorded_figures(
    *,
    errors: Distribution,
    worth: float | None,
    made: float,
    is_crowded: bool,
    calibration: float,
    within: float,
) -> None:
    assert errors.errors == pytest.approx(worth)
    assert errors.made == pytest.approx(made)
    assert errors.crowded is is_crowded
    assert errors.calibration(-1, 2) == pytest.approx(calibration, abs=1e-6)
    assert errors.share_within(0.25, spread=0.3, middle=0.1) == pytest.approx(within, abs=1e-6)


def _judged(
    parts: int, labor: int, hours: float, standardizing_rate: float | None = None
) -> ExpectationResult | None:
    errors = ErrorSpread(distribution(PAST.errors, PAST.errors_of_all, normal=VARIANCES.normal))
    expected = expectation(BOOK, PAST, variances=VARIANCES, errors=errors)
    return expected.judge(parts, labor, hours, THERE, 20_000, standardizing_rate)


@pytest.mark.parametrize(
    ("charged", "grains", "figures", "flags"),
    [
        ((210_00, 240_00, 1.4), (-1_453, 11_333, 49_263, -8_382), (-0.2281593, 37, -1.0862828, -0.2624816, -0.2101154), (False, False, False)),
        ((210_00, 240_00, 1.4, 15_000), (3_042, 11_333, 51_494, -8_382), (-0.2281593, 37, -1.0862828, -0.2624816, -0.2101154), (False, False, False)),
        ((900_00, 600_00, 0), (89_523, 83_532, 36_159, 14_382), (0.9758135, 73, 3.7702534, 1.1928056, 0.7504756), (True, True, True)),
        ((90_00, 70_00, 0.4), (-47_055, -68_222, 39_788, -8_382), (-1.2622330, 19, -5.2574872, -1.1097795, -1.4628784), (True, True, True)),
        ((300_00, 0, 0), (-33_638, None, 0, -8_382), (-0.6336244, 27, -2.7218314, 0.0941933, None), (True, False, False)),
        ((0, 300_00, 2.0), (-47_055, 47_000, 100_000, -8_382), (-0.6336244, 27, -2.7218314, None, 0.1465595), (True, False, False)),
    ],
)  # fmt: skip
def test_judgment_of_an_invoice_gives_the_recorded_figures(
    charged: tuple[int, int, float],
    grains: tuple[int | None, ...],
    figures: tuple[float | None, ...],
    flags: tuple[bool, bool, bool],
) -> None:
    found = _judged(*charged)

    assert found is not None
    assert (found.price, found.hours, found.share, found.drift) == grains
    assert (found.error, found.bin, found.z, found.parts_off, found.hours_off) == pytest.approx(figures)
    assert (found.missed, found.review, found.aside) == flags


@pytest.mark.parametrize("charged", [(0, 0, 0), (0, 0, 1.0), (210_00, 0, 1.0)])
def test_invoice_without_a_charge_or_with_free_labor_is_not_judged(charged: tuple[int, int, float]) -> None:
    assert _judged(*charged) is None


@pytest.mark.parametrize("charged", [(0, 1, 0), (1, 0, 0), (0, 1, 0.01)])
def test_invoice_of_one_cent_is_judged(charged: tuple[int, int, float]) -> None:
    assert _judged(*charged) is not None
