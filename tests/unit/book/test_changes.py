"""An installation's own changes of the repair book."""

import pytest

from repaircore.adapters.shipped.book import book
from repaircore.book.changes import apply_change, parse_changes
from repaircore.kernel.errors import Invalid

ROTORS = "brake-rotors-front"
PART = "Front brake rotor"
SHIPPED = next(one for one in book().problems if one.slug == ROTORS)


def test_only_the_figure_that_was_changed_of_a_part_is_kept() -> None:
    row = {"slug": ROTORS, "parts": [{"name": PART, "price": 84.0}], "source": "our supplier"}
    (change,) = parse_changes([row], [SHIPPED])
    assert change.parts == {PART: (84_00, None)}
    assert apply_change(SHIPPED, change).parts[0].quantity == 2


def test_what_is_the_book_s_own_figure_is_no_change() -> None:
    row = {"slug": ROTORS, "labor_hours": SHIPPED.labor_hours, "source": "our supplier"}
    assert list(parse_changes([row], [SHIPPED])) == []


def test_a_bad_figure_is_named_by_its_place() -> None:
    row = {"slug": ROTORS, "parts": [{"name": PART, "price": -1.0}]}
    with pytest.raises(Invalid) as caught:
        parse_changes([row], [SHIPPED])
    assert list(caught.value.fields) == ["repairs.0.parts.0.price"]


def test_an_edited_export_keeps_the_sources_that_the_installation_gave() -> None:
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
def test_a_value_that_is_no_figure_or_no_source_is_named(field: str, value: object) -> None:
    with pytest.raises(Invalid) as caught:
        parse_changes([{"slug": ROTORS, "source": "ours", field: value}], [SHIPPED])
    assert list(caught.value.fields) == [f"repairs.0.{field}"]


def test_a_repair_that_stands_twice_is_named_by_its_own_row() -> None:
    row = {"slug": ROTORS, "labor_hours": 2.5}
    with pytest.raises(Invalid) as caught:
        parse_changes([{"slug": "no-such"}, row, row], [SHIPPED])
    assert list(caught.value.fields) == ["repairs.0.slug", "repairs.2.slug"]
