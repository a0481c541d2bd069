"""The items of a line, and their words."""

import pytest

from repaircore.quote_text.columns import find_columns
from repaircore.quote_text.kinds import LineKind, charge_kind, kind_of
from repaircore.quote_text.model import QuoteLine
from repaircore.quote_text.money_text import read_figures
from repaircore.quote_text.prose import with_labels_first
from repaircore.quote_text.segments import has_words, split_items, stated_split, without_line_sum
from repaircore.quote_text.shop_words import significant_words
from repaircore.quote_text.text_lines import read_lines
from repaircore.quote_text.vocabulary import vocabulary_of


@pytest.mark.parametrize(
    ("text", "expected"), [("2 x ea", False), ("each", False), ("2 x pads", True), ("", False), ("a 5", True)]
)
def test_words_of_units_are_no_words(text: str, *, expected: bool) -> None:
    assert has_words(text) is expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Pads $300, rotors $280", [("Pads", [300_00]), ("rotors", [280_00])]),
        ("$300 for pads, $280 rotors", [("pads", [300_00]), ("rotors", [280_00])]),
        ("Pads 2 $150.00 $300.00", [("Pads 2", [150_00, 300_00])]),
        ("Pads 2 @ $150", [("Pads", [300_00])]),
        ("Pads 2 @ $150 $290", [("Pads", [290_00])]),
        ("6 days at 42.00 = 252.00", [("6 days at", [42_00]), ("=", [252_00])]),
        ("pads $300 and $280 for rotors", [("pads", [300_00]), ("rotors", [280_00])]),
        ("Pads", []),
        ("it is loud. you need pads $300", [("you need pads", [300_00])]),
        ("it is loud. need pads $300", [("it is loud. need pads", [300_00])]),  # too short for prose
    ],
)
def test_split_items_finds_the_words_of_each_amount(line: str, expected: list[tuple[str, list[int]]]) -> None:
    found = split_items(read_figures(line))

    assert [(item.before.strip(" ,"), [money.amount for money in item.amounts]) for item in found] == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("Brakes parts 289.00 2.0 h 579.00", ("Brakes", 289_00, 579_00)),
        ("Brakes parts 289.00 2.0 h 368.97", None),  # too little for two hours
        ("Brakes parts 289.00 2.0 h 369.00", ("Brakes", 289_00, 369_00)),
        ("Brakes parts 289.00 2.0 h @ 150 589.00", ("Brakes", 289_00, 589_00)),
        ("Brakes parts 289.00 2.0 h @ 150 590.00", ("Brakes", 289_00, 590_00)),
        ("Brakes parts 289.00 2.0 h @ 150 590.01", None),
        ("Brakes parts 289.00 total 579.00", ("Brakes", 289_00, 579_00)),
        ("Brakes parts 289.00 579.00", None),
        ("parts 289.00 total 579.00", None),
        ("Brakes parts 579.00 total 579.00", None),
        ("Brakes parts 0.00 total 579.00", None),
        ("Brakes 289.00 total 579.00", None),
        ("Brakes parts 289.00 labor 579.00", None),
        ("Brakes parts 289.00 total 579.00 589.00", None),
    ],
)
def test_stated_split_has_parts_within_the_total(line: str, expected: tuple[str, int, int] | None) -> None:
    figures = read_figures(line)
    found = stated_split(split_items(figures), figures)

    assert expected == (None if found is None else (found.words.strip(), found.parts, found.total))


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("parts 289.00 labor 330.00 619.00", [1, 1]),
        ("parts 289.00 labor 330.00 620.00", [1, 2]),
        ("labor 330.00 619.00", [2]),
        ("parts 100.00 189.00 labor 330.00 519.00", [2, 1]),
    ],
)
def test_sum_at_the_end_of_a_line_is_dropped(line: str, counts: list[int]) -> None:
    found = without_line_sum(split_items(read_figures(line)))

    assert [len(item.amounts) for item in found] == counts


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("310 for the part and 170 labor, 480 all in", "part $310 and labor $170, all in $480"),
        ("labor 170", "labor 170"),
        ("labor 170 parts $310", "labor $170 parts $310"),
        ("pads 300 dollars, 45 for wipers", "pads $300.00, $45 for wipers"),
        ("pads $300 and 45 for wipers", "pads $300 and $45 for wipers"),
        ("tax 67.2", "tax 67.20"),
        ("pads 300, tax 67.2", "pads $300, tax 67.20"),
    ],
)
def test_labels_come_before_their_amounts(line: str, expected: str) -> None:
    assert " ".join(with_labels_first(line).split()) == expected


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("Shop supplies", LineKind.SUPPLIES),
        ("Misc charges", LineKind.FEE),
        ("Sales tax", LineKind.TAX),
        ("Coupon", LineKind.DISCOUNT),
        ("Diagnosis", LineKind.DIAGNOSIS),
        ("State inspection", None),
        ("Diagnose and replace battery", None),
        ("Pads", None),
    ],
)
def test_charge_kind_is_that_of_its_words(words: str, kind: LineKind | None) -> None:
    assert charge_kind(words) is kind
    assert kind_of(words) is (kind or LineKind.REPAIR)
    assert kind_of(words, is_negative=True) is LineKind.DISCOUNT


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        (QuoteLine(total=1, kind=LineKind.FEE, description="Pads"), LineKind.FEE),
        (QuoteLine(total=1, description="Tax"), LineKind.TAX),
        (QuoteLine(total=1, description="Tax", problem_identifier="1"), LineKind.REPAIR),
        (QuoteLine(total=-1, description="Pads", problem_identifier="1"), LineKind.DISCOUNT),
        (QuoteLine(total=0, description="Tax", problem_identifier="1"), LineKind.TAX),
        (QuoteLine(total=1, description="Coupon"), LineKind.REPAIR),
        (QuoteLine(total=0, description="Coupon"), LineKind.DISCOUNT),
        (QuoteLine(total=-1, description="Coupon"), LineKind.DISCOUNT),
    ],
)
def test_kind_of_a_line_is_the_given_one_or_that_of_its_words(line: QuoteLine, kind: LineKind) -> None:
    assert line.actual_kind is kind


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Front pads", {"front", "pad"}),
        ("Gas cap", {"gas", "cap"}),
        ("Glass", {"glass"}),
        ("Coolant exchange", {"coolant", "flush"}),
        ("Coolant hose", {"coolant", "hose"}),
        ("Brake bleed", {"brake", "flush"}),
        ("Oil change", {"oil", "change"}),
        ("60k service", {"60k", "service"}),
        ("Part 12345 pads", {"pad"}),
    ],
)
def test_significant_words_name_the_repair_in_the_singular(text: str, words: set[str]) -> None:
    assert significant_words(text) == words


@pytest.mark.parametrize(
    ("line", "is_header"),
    [
        ("Qty Price", False),
        ("Description Qty Price", True),
        ("Labor  Parts", True),
        ("Labor Parts", False),
        ("Description Code Tech Amount", False),
        (f"Description Qty Price{' ' * 179}", True),
        (f"Description Qty Price{' ' * 180}", False),
        ("Description Hours Rate Labor Parts Qty Unit price Total Line", True),
        ("Description Hours Rate Labor Parts Qty Unit price Total Line Tech", False),
    ],
)
def test_header_names_at_least_two_and_at_most_eight_numbers(line: str, *, is_header: bool) -> None:
    assert (find_columns(line) is not None) is is_header


@pytest.mark.parametrize(("before", "cells"), [(19, 3), (20, 0)])
def test_header_of_a_csv_file_is_one_of_the_first_twenty_lines(before: int, cells: int) -> None:
    *_, last = read_lines("note\n" * before + "Item,Qty,Amount\nPads,2,40.00", vocabulary_of(()))

    assert len(last.cells) == cells


@pytest.mark.parametrize(
    ("glued", "split"),
    [
        ("oilfilter", "oil filter"),
        ("frontoilpad", "front oil pad"),
        ("oiloiloiloiloiloil", "oil oil oil oil oil oil"),
        ("oiloiloiloiloiloiloil", "oiloiloiloiloiloiloil"),  # seven words are none
        ("oilpa", "oilpa"),
        ("oilpad", "oil pad"),
    ],
)
def test_glued_word_is_split_into_at_most_six_known_words(glued: str, split: str) -> None:
    assert vocabulary_of(()).repaired(glued) == split
