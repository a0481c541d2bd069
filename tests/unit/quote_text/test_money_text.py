import pytest

from repaircore.quote_text.money_text import read_figures, repair_misreadings


@pytest.mark.parametrize(
    ("line", "amounts"),
    [
        ("Pads 10", [10_00]),
        ("Pads 9", []),  # a count
        ("Pads $9", [9_00]),
        ("Pads 9.00", [9_00]),
        ("Pads -10", [-10_00]),
        ("Pads - 10.00", [10_00]),
        ("Pads (10)", []),
        ("Pads (10.00)", [-10_00]),
        ("Pads 10.00-", [-10_00]),
        ("Fleet disc 10%   -$309.89", [-309_89]),
        ("Trade-in   -$50", [-50_00]),
        ("Trade-in   $-50.00", [-50_00]),
        ("Trade-in  (-$50.00)", [-50_00]),
        ("Pads 1.320,50", [1320_50]),
        ("Pads 300 or 2800", [300_00, 2800_00]),
        ("Pads 300 or 280.00", [280_00]),  # the other is a count where one has cents
        ("Pads $1,000,000.00", [1_000_000_00]),
        ("Pads $1,000,000.01", []),
        ("12 months warranty 300", [300_00]),
        ("Warranty 300 mi", []),
        ("1949 Camry", [1949_00]),
        ("1950 Camry", []),
        ("2040 Camry", []),
        ("2041 Camry", [2041_00]),
        ("Camry 2015", [2015_00]),
        ("$320 off tires 20.00", [20_00]),
        ("01/02/2026 300", [300_00]),
        ("(303) 555-0142 300", [300_00]),
        ("P0420 300", [300_00]),
        ("#350 300", [300_00]),
        ("50% 300", [300_00]),
        ("100,000 mi 300", [300_00]),
    ],
)
def test_read_figures_finds_amounts(line: str, amounts: list[int]) -> None:
    assert [money.amount for money in read_figures(line).money] == amounts


@pytest.mark.parametrize(("line", "is_sure"), [("Pads 300", False), ("Pads $300", True), ("Pads 3.00", True)])
def test_amount_is_sure_with_cents_or_a_dollar_sign(line: str, *, is_sure: bool) -> None:
    (money,) = read_figures(line).money

    assert money.is_sure is is_sure
    assert line[money.start : money.end].strip() == line.removeprefix("Pads ")


@pytest.mark.parametrize(
    ("line", "hours", "rate"),
    [
        ("Labor 1.5 hrs @ $160/hr 300", 1.5, 160_00),
        ("@ 160 per hour, 1.5 hrs 300", 1.5, 160_00),
        ("hours: 1.5 300", 1.5, None),
        ("rate: $160 300", None, 160_00),
        ("$160/hr 300", None, 160_00),
        ("hours: 1.5 rate: 160 $300", 1.5, 160_00),
        ("1.5 hrs hours: 2.5 $300", 1.5, None),  # the first of each
        ("1.5 hrs @ 160 rate: 180 $300", 1.5, 160_00),
        ("200 hours 300", 200.0, None),
        ("200.5 hours 300", None, None),
        ("labor 300", None, None),
    ],
)
def test_read_figures_finds_hours_and_their_rate(line: str, hours: float | None, rate: int | None) -> None:
    found = read_figures(line)

    assert (found.hours, found.rate) == (hours, rate)
    assert [money.amount for money in found.money] == [300_00]


@pytest.mark.parametrize(
    ("line", "quantity", "unit"),
    [
        ("Pads 2 x $40 $80", 2.0, 40_00),
        ("Pads 2 @ 40 = 80", 2.0, 40_00),
        ("Pads $40 ea $80", None, 40_00),
        ("Pads $80", None, None),
    ],
)
def test_read_figures_finds_a_quantity_and_the_price_of_each(
    line: str, quantity: float | None, unit: int | None
) -> None:
    found = read_figures(line)

    assert (found.quantity, found.unit, found.hours) == (quantity, unit, None)
    assert [money.amount for money in found.money] == [80_00]
    assert len(found.text) == len(line)


def test_quantity_and_price_in_a_row_of_labor_are_hours_and_their_rate() -> None:
    bare = read_figures("Labor 2 x $40 $80", is_labor=True)
    timed = read_figures("Labor 1.5 hrs 2 x $40 $80", is_labor=True)

    assert (bare.hours, bare.rate, bare.quantity, bare.unit) == (2.0, 40_00, None, None)
    assert (timed.hours, timed.rate, timed.quantity, timed.unit) == (1.5, None, 2.0, 40_00)


def test_price_of_each_is_at_most_a_million() -> None:
    assert read_figures("Pads 2 x $40,000,000 $80").unit == 1_000_000_00


WORDS = frozenset(["alternator", "bolt", "lab", "lid", "oil", "seal", "pump", "lad", "led"])


@pytest.mark.parametrize(
    ("misread", "line"),
    [
        ("Alternat0r", "alternator"),
        ("ALTERNAT0R", "ALTERNATOR"),
        ("5eal", "seal"),
        ("B0LT", "BOLT"),
        ("l8b", "lab"),
        ("l8d", "lad"),
        ("pump", "pump"),
        ("b0at", "b0at"),
        ("$ 32O.OO", "$ 320.00"),
        ("l2O.OO", "120.00"),
        ("1.O hrs", "1.0 hrs"),
        ("45. 00", "45.00"),
        ("$1, 320.00", "$1,320.00"),
    ],
)
def test_repair_misreadings_corrects_figures_and_known_words(misread: str, line: str) -> None:
    assert repair_misreadings(misread, WORDS) == line


def test_repair_misreadings_leaves_a_word_that_could_be_two() -> None:
    assert repair_misreadings("l8b", frozenset(["lab", "lbb"])) == "l8b"
