from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from repaircore.transactions.evidence import (
    EVERY_PROBLEM,
    LARGEST,
    NOTHING,
    Cell,
    Evidence,
    Kind,
    Levels,
    Lineage,
    PartEvidence,
    applied,
    deltas,
    grains,
    part_key,
    removal,
)
from repaircore.transactions.levels import Level

Y = st.integers(-LARGEST, LARGEST)
ACCORD = Lineage(make=" HONDA", model="Accord  Sport", year=2015)


def _cell(ys: list[int]) -> Cell:
    cell = NOTHING
    for y in ys:
        cell = cell.plus(y)
    return cell


@given(st.lists(Y), Y)
def test_minus_undoes_plus_exactly(ys: list[int], y: int) -> None:
    assert _cell(ys).plus(y).minus(y) == _cell(ys)


@given(st.lists(Y), st.lists(Y))
def test_joined_cells_equal_the_cell_of_all_and_without_undoes_joining(ys: list[int], zs: list[int]) -> None:
    both = _cell(ys).joined(_cell(zs))

    assert both == _cell(ys + zs)
    assert both.without(_cell(zs)) == _cell(ys)


@given(st.lists(Y), Y)
def test_recentering_equals_subtracting_the_center_from_each(ys: list[int], center: int) -> None:
    assert _cell(ys).recentered(center) == _cell([y - center for y in ys])


@given(st.lists(Y, min_size=1))
def test_sum_of_squares_around_the_mean_is_never_negative(ys: list[int]) -> None:
    assert _cell(ys).within >= 0


@given(st.floats(-1e6, 1e6))
def test_grains_are_rounded_and_bounded(value: float) -> None:
    assert abs(grains(value)) <= LARGEST
    if abs(value) < 7:
        assert abs(grains(value) * 1e-5 - value) <= 0.51e-5


def test_ten_million_of_the_largest_residuals_fit_a_64_bit_integer() -> None:
    assert 10_000_000 * LARGEST**2 < 2**63


def test_path_leads_from_all_vehicles_to_the_years_of_a_model() -> None:
    assert ACCORD.path() == (
        (Level.PROBLEM, ""),
        (Level.MAKE, "honda"),
        (Level.MODEL, "honda|accord sport"),
        (Level.YEARS, "honda|accord sport|2012"),
    )
    assert (ACCORD.first_year, ACCORD.last_year) == (2012, 2015)
    assert part_key("  Brake   PAD set ") == "brake pad set"


@given(st.text(), st.text())
def test_any_name_gives_a_well_formed_key(make: str, model: str) -> None:
    keys = Lineage(make=make, model=model, year=2020).path()

    assert [key.count("|") for _, key in keys] == [0, 0, 1, 2]


def test_invoice_touches_a_handful_of_rows() -> None:
    result = Evidence(
        problem_id=7,
        lineage=ACCORD,
        price=5,
        hours=3,
        share=40_000,
        parts=(PartEvidence(key="rotor", price=9),),
    )
    rows = Counter((d.key.problem_id, d.key.kind) for d in deltas(result, center=2))

    assert rows == {
        (7, Kind.PRICE): 4,
        (EVERY_PROBLEM, Kind.PRICE): 3,
        (7, Kind.HOURS): 4,
        (7, Kind.SHARE): 1,
        (7, Kind.PART): 1,
    }
    shared = [d for d in deltas(result, center=2) if d.key.problem_id == EVERY_PROBLEM]

    assert {(d.w, d.s, d.q) for d in shared} == {(1, 3, 9)}


@given(Y, st.none() | Y, Y, st.integers(-50_000, 50_000))
def test_removal_is_the_exact_inverse(price: int, hours: int | None, share: int, center: int) -> None:
    result = Evidence(problem_id=7, lineage=ACCORD, price=price, hours=hours, share=share)
    cells = applied({}, deltas(result, center=center))

    assert cells
    assert applied(cells, removal(result, center=center)) == {}


def test_levels_apart_leave_nothing_of_a_level_whose_invoices_are_all_closer() -> None:
    model, rounded = Cell(3, 12, 50), Cell(3, 11, 50)  # figures in files are rounded
    levels = Levels(problem=Cell(5, 20, 90), make=rounded, model=model, years=NOTHING)

    assert levels.apart() == Levels(problem=Cell(2, 9, 40), make=NOTHING, model=model, years=NOTHING)
