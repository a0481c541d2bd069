import pytest
from bench.forty_cars import CARS

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.job_names import job_names
from repaircore.job_matching.repair_match import RepairMatcher
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.line_match import LineMatcher

PROBLEMS = book().problems
BY_SLUG = {problem.slug: problem for problem in PROBLEMS}
BY_NAME = {car.display_name: car.profile for car in CARS}
SEARCHED = BY_SLUG["brake-pads-front"]
MATCHER = LineMatcher(
    problems=PROBLEMS,
    repair_matcher=RepairMatcher(PROBLEMS, job_names()),
    search=lambda _: [SEARCHED],
    find_problem_id=lambda identifier: BY_SLUG[identifier].id if identifier in BY_SLUG else None,
)


def line(description: str, kind: LineKind | None = None) -> QuoteLine:
    return QuoteLine(total=100_00, description=description, kind=kind)


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        ("Front Brake Pads", "brake-pads-front"),
        ("Induction svc", "fuel-injection-cleaning"),
        ("Trans flush and filter", "transmission-fluid-service"),
        ("Mount and balance 4 tires Michelin Defender 225/65R17", "tire-replacement-set"),
        ("Oil pan reseal", "oil-pan-gasket"),
    ],
)
def test_line_is_named_as_in_the_book_or_as_on_invoices(words: str, slug: str) -> None:
    matched = MATCHER.match(line(words))
    assert matched.problem is BY_SLUG[slug]
    assert matched.suggestions == ()


@pytest.mark.parametrize("words", ["Parking brake shoes", "Fuel filter", "TPMS rebuild kits"])
def test_work_that_the_book_does_not_have_is_no_similar_repair(words: str) -> None:
    assert MATCHER.match(line(words)).problem is None


def test_several_repairs_at_one_price_are_all_suggested_and_none_is_meant() -> None:
    matched = MATCHER.match(line("VCG + OFHG reseal"))
    assert matched.problem is None
    assert matched.names_several
    assert {problem.slug for problem in matched.suggestions} == {
        "valve-cover-gasket",
        "oil-filter-housing-gasket",
    }


def test_line_that_is_not_understood_is_searched_for() -> None:
    matched = MATCHER.match(line("Misc thing"))
    assert (matched.problem, matched.names_several) == (None, False)
    assert SEARCHED in matched.suggestions


@pytest.mark.parametrize("words", ["Oil svc incl filter", "Engine oil change", "LOF"])
@pytest.mark.parametrize(
    ("car", "slug"), [("2018 Toyota Camry", "oil-change-synthetic"), ("2018 Ram 2500", "oil-change-diesel")]
)
def test_oil_change_without_an_oil_is_the_usual_one_of_the_vehicle(words: str, car: str, slug: str) -> None:
    assert MATCHER.match_for(line(words), BY_NAME[car]).problem is BY_SLUG[slug]


def test_kind_of_oil_and_an_id_mean_themselves() -> None:
    camry = BY_NAME["2018 Toyota Camry"]
    named = QuoteLine(total=60_00, problem_identifier="oil-change", description="Oil svc")
    assert (
        MATCHER.match_for(line("High mileage oil change"), camry).problem
        is BY_SLUG["oil-change-high-mileage"]
    )
    assert MATCHER.match_for(named, camry).problem is BY_SLUG["oil-change"]


@pytest.mark.parametrize("kind", [LineKind.PART, LineKind.FEE, LineKind.TAX])
def test_parts_and_charges_are_not_matched(kind: LineKind) -> None:
    matched = MATCHER.match(line("Front brake pads", kind))
    assert (matched.kind, matched.problem, matched.suggestions) == (kind, None, ())


@pytest.mark.parametrize(
    ("car", "words", "slug"),
    [
        ("2018 Ram 2500", "Oil change", "oil-change-diesel"),
        ("2018 Ram 2500", "LOF", "oil-change-diesel"),
        ("2018 Ram 2500", "Oil change 12qt Rotella", "oil-change-diesel"),
        ("2018 Ram 2500", "full synthetic oil change", "oil-change-diesel"),
        ("2018 Toyota Camry", "Oil & filter change", "oil-change-synthetic"),
        ("1995 Honda Civic", "oil change service", "oil-change"),
        ("2018 Toyota Camry", "oil change synthetic blend", None),
        ("2020 Tesla Model 3", "A/C compressor", "electric-ac-compressor"),
        ("2020 Tesla Model 3", "spark plugs", "spark-plugs"),  # nothing like it fits
        ("2018 Toyota Camry", "brake pads", None),
    ],
)
def test_words_mean_the_repair_that_the_vehicle_has(car: str, words: str, slug: str | None) -> None:
    found = MATCHER.match_for(line(words), BY_NAME[car]).problem

    assert (found and found.slug) == slug


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        ("complete front brake job", "brake-rotors-front"),  # unclear on invoices
        ("electric water pump", "inverter-coolant-pump"),  # on invoices, a water pump
    ],
)
def test_name_in_the_book_precedes_the_wording_of_invoices(words: str, slug: str) -> None:
    assert MATCHER.match(line(words)).problem is BY_SLUG[slug]


@pytest.mark.parametrize(
    ("words", "slug"),
    [
        ("Pre-purchase inspection", "pre-purchase-inspection"),
        ("Electrical diagnosis", "electrical-diagnosis"),
        ("Diagnostic scan", None),
        ("Multi-point inspection", None),
        ("Engine diagnosis", None),
        ("Alternator", None),
    ],
)
def test_diagnosis_is_a_repair_only_if_the_book_has_a_price_for_it(words: str, slug: str | None) -> None:
    matched = MATCHER.match(line(words, LineKind.DIAGNOSIS))

    assert (matched.problem and matched.problem.slug) == slug
    assert matched.suggestions == ()


def test_repair_given_by_id_and_parts_are_taken_as_they_are_whatever_the_vehicle() -> None:
    tesla, camry = BY_NAME["2020 Tesla Model 3"], BY_NAME["2018 Toyota Camry"]
    named = QuoteLine(total=60_00, problem_identifier="ac-compressor", description="A/C compressor")

    assert MATCHER.match_for(named, tesla).problem is BY_SLUG["ac-compressor"]
    assert MATCHER.match_for(line("Oil change", LineKind.PART), camry).problem is None
