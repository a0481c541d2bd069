"""Tables on terminals of any width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore_cli.tables import WordWrapper, field_lines, paragraph, table_lines

WIDTHS = (40, 60, 200)
WORDS = st.text("ab1290.,$-¢é車 ", max_size=30).map(lambda text: " ".join(text.split()))


def _is_wide(char: str) -> bool:
    return char == "車"


def _columns(text: str) -> int:
    return sum(1 + _is_wide(char) for char in text)


@given(
    rows=st.integers(1, 7).flatmap(
        lambda columns: st.lists(st.lists(WORDS, min_size=columns, max_size=columns), min_size=1, max_size=5)
    ),
    width=st.sampled_from(WIDTHS),
)
def test_table_keeps_every_word_and_is_no_wider_than_necessary(rows: list[list[str]], width: int) -> None:
    heads = [f"head{number}" for number in range(len(rows[0]))]

    lines = [*table_lines(heads, rows, width=width)]

    words = [word for row in rows for text in row for word in text.split()]
    shown = " ".join(lines).split()
    assert all(shown.count(word) >= words.count(word) for word in words)
    longest = max([0, *map(_columns, words)])
    assert all(_columns(line) <= max(width, len("head0  ") + longest) for line in lines)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("figure", ["$1,234.56", "12,345 h", "-7.5%", "2026-11-27 10:00", "-1,250"])
def test_figure_is_never_split_between_lines(figure: str, width: int) -> None:
    rows = [["Front brake pads and a long name that needs two lines at least", figure] for _ in range(3)]

    lines = [*table_lines(("repair", "figure"), rows, width=width)]

    assert sum(figure in line for line in lines) == len(rows)


def test_narrow_table_becomes_records() -> None:
    row = ("brake-pads-front", "Brakes > Front Brake Pads", "$1,150-12,380")

    assert [*table_lines(("slug", "repair", "usual price"), [row, row], width=30)] == [
        "slug         brake-pads-front",
        "repair       Brakes > Front",
        "             Brake Pads",
        "usual price  $1,150-12,380",
        "─────────────",
        "slug         brake-pads-front",
        "repair       Brakes > Front",
        "             Brake Pads",
        "usual price  $1,150-12,380",
    ]


def test_reference_too_long_for_its_heading_goes_below_it() -> None:
    reference = "ride_01m8es0cxaexpr8q6zm19ng0n3"
    heads, row = ("reference", "partner", "fare ($)"), [reference, "1", "63.15"]

    assert [*table_lines(heads, [row], width=40)] == [
        "reference",
        f"  {reference}",
        "partner    1",
        "fare ($)   63.15",
    ]


@pytest.mark.parametrize("width", WIDTHS)
def test_sentence_is_wrapped_only_between_words(width: int) -> None:
    text = "2003 Honda Accord EX-V6, 1HGCM82633A004352: $2,681.31 ($2,056.36 to $3,368.87) a year"

    lines = [*paragraph(text, width, indent="  ")]

    assert " ".join(lines).split() == text.split()
    assert max(map(len, lines)) <= width


def test_value_of_a_field_is_next_to_its_label() -> None:
    fields = [("vin", "1HGCM82633A004352"), ("engine", "3.0L V6 (J-series V6)")]

    assert [*field_lines(fields, width=25)] == [
        "vin     1HGCM82633A004352",
        "engine  3.0L V6 (J-series",
        "        V6)",
    ]


def test_table_shows_control_characters_as_question_marks() -> None:
    assert [*table_lines(("name",), [["\x1b[31mred"]], width=80)][-1] == "?[31mred"


def test_empty_columns_are_left_out_of_a_table_too_wide() -> None:
    rows = [["7", "", "a-long-slug-of-one-word", ""], ["8", "", "another-slug", ""]]
    heads = ["id", "a heading", "slug", "another heading"]

    assert "another heading" in next(iter(table_lines(heads, rows, width=60)))
    assert [*table_lines(heads, rows, width=28)] == [
        "id  slug",
        "──  ───────────────────────",
        " 7  a-long-slug-of-one-word",
        " 8  another-slug",
    ]


@pytest.mark.parametrize("width", [40, 60])
def test_empty_column_takes_no_width_from_the_others(width: int) -> None:
    rows = [("oil-change", "", "Oil and filter change with a synthetic oil for " + "V" * 8)] * 2
    narrow = [*table_lines(("slug", "due", "repair"), rows, width=width)]
    wide = [*table_lines(("slug", "due", "repair"), rows, width=200)]

    assert narrow[0].split() == ["slug", "repair"]
    assert wide[0].split() == ["slug", "due", "repair"]


@pytest.mark.parametrize("width", range(20, 60))
def test_figure_in_a_sentence_stays_with_its_unit(width: int) -> None:
    text = "Labor is 66% of this job, and that moves the price by +23% of what 3.17 h cost before."
    lines = [*paragraph(text, width)]

    assert " ".join(lines) == text
    for figure in ("66%", "+23%", "3.17 h"):
        assert any(figure in line for line in lines)


def test_word_wrapper_keeps_a_long_address_whole() -> None:
    address = "https://shop.example.com/console/estimates/a-very-long-reference"

    assert WordWrapper(40).wrap(f"See {address} for more.") == ["See", address, "for more."]
