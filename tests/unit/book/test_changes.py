"""An installation's own changes to the repair book."""

import pytest

from repaircore.adapters.shipped.book import book
from repaircore.book.changes import apply_change, parse_changes
from repaircore.kernel.errors import Invalid

ROTORS = "brake-rotors-front"
PART = "Front brake rotor"
SHIPPED = next(one for one in book().problems if one.slug == ROTORS)


def test_parse_changes_keeps_only_changed_figures_of_a_part() -> None:
    row = {"slug": ROTORS, "parts": [{"name": PART, "price": 84.0}], "source": "our supplier"}
    (change,) = parse_changes([row], [SHIPPED])

    assert change.parts == {PART: (84_00, None)}
    assert apply_change(SHIPPED, change).parts[0].quantity == 2


def test_parse_changes_ignores_the_books_own_figures() -> None:
    row = {"slug": ROTORS, "labor_hours": SHIPPED.labor_hours, "source": "our supplier"}

    assert list(parse_changes([row], [SHIPPED])) == []


def test_parse_changes_reports_a_bad_figure_by_its_place() -> None:
    row = {"slug": ROTORS, "parts": [{"name": PART, "price": -1.0}]}
    with pytest.raises(Invalid) as error:
        parse_changes([row], [SHIPPED])

    assert list(error.value.fields) == ["repairs.0.parts.0.price"]


def test_parse_changes_keeps_earlier_sources_of_an_edited_export() -> None:
    row = {"slug": ROTORS, "labor_hours": 2.5, "source": "editorial", "own": {"labor_hours": "our guide"}}

    (change,) = parse_changes([row], [SHIPPED])

    assert change.source == "our guide"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("labor_hours", 10**400),
        ("labor_hours", float("nan")),
        ("labor_hours", True),
        ("low", 0),
        ("high", 0.001),
        ("high", float("inf")),
        ("source", "x\u0000y"),
        ("source", "two\nlines"),
    ],
)
def test_parse_changes_reports_invalid_figures_and_sources(field: str, value: object) -> None:
    with pytest.raises(Invalid) as error:
        parse_changes([{"slug": ROTORS, "source": "ours", field: value}], [SHIPPED])

    assert list(error.value.fields) == [f"repairs.0.{field}"]


def test_parse_changes_reports_a_duplicate_at_its_own_row() -> None:
    row = {"slug": ROTORS, "labor_hours": 2.5}
    with pytest.raises(Invalid) as error:
        parse_changes([{"slug": "no-such"}, row, row], [SHIPPED])

    assert list(error.value.fields) == ["repairs.0.slug", "repairs.2.slug"]
