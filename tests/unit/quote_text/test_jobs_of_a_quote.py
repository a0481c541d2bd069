"""Which rows of a quote form one repair, and which are sums or lines of their own."""

import pytest

from repaircore.adapters.shipped.book import book
from repaircore.quote_text.model import QuoteLine
from repaircore.quote_text.reader import read_quote
from repaircore.quotes.text_match import known_repairs

KNOWN = known_repairs(book().problems)


def summary(line: QuoteLine) -> str:
    """Return a line as ``repair 540 Alternator (Belt) parts=300 hours=2.0 rate=150``."""
    words = [str(line.kind), f"{line.total / 100:g}", line.description or ""]
    words += [f"({', '.join(line.parts)})"] if line.parts else []
    words += [f"parts={line.parts_total / 100:g}"] if line.parts_total is not None else []
    words += [f"hours={line.labor_hours}"] if line.labor_hours is not None else []
    words += [f"rate={line.labor_rate / 100:g}"] if line.labor_rate is not None else []
    return " ".join(words)


def lines(text: str) -> list[str]:
    return [summary(line) for line in read_quote(text, KNOWN).lines]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Alternator\nparts 300.00 2.0 h 540.00", "repair 540 Alternator parts=300 hours=2.0"),
        ("Alternator\n  Labor 240.00\n  Alternator 300.00", "repair 540 Alternator parts=300"),
        ("Alternator\n  Labor 240.00\n  Belt 300.00", "repair 540 Alternator (Belt) parts=300"),
        ("Alternator 300.00\nInstall alternator 240.00", "repair 540 Alternator parts=300"),
        ("Alternator 300.00\nLabor 2.0 h 240.00", "repair 540 Alternator parts=300 hours=2.0"),
        ("Job 1: Alternator\nLabor 240.00\nParts 300.00", "repair 540 Alternator parts=300"),
        ("Alternator replacement\n$540.00", "repair 540 Alternator replacement"),
    ],
)
def test_job_ends_where_the_next_item_begins(text: str, first: str) -> None:
    assert lines(f"{text}\nReplace wiper blades 20.00") == [first, "repair 20 Replace wiper blades"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Alternator 300.00\nInstall starter 240.00",
            ["repair 300 Alternator", "repair 240 Install starter"],
        ),
        ("Alternator 300.00\nInstall 240.00", ["repair 300 Alternator", "repair 240 Install"]),
        ("Alternator 300.00\n0.00 Belt", ["repair 300 Alternator"]),
        (
            "Job 1: Alternator\nLabor 240.00\nParts 300.00\nCoolant 30.00",
            ["repair 540 Alternator parts=300", "part 30 Coolant"],
        ),
        (
            "Alternator\n  Labor 240.00\n  Shop supplies 10.00\n  Alternator 300.00",
            ["repair 540 Alternator parts=300", "supplies 10 Shop supplies"],
        ),
        (
            "Alternator\n  Labor 240.00\nShop supplies 10.00\n  Alternator 300.00",
            ["repair 240 Alternator parts=0", "supplies 10 Shop supplies", "part 300 Alternator"],
        ),
    ],
)
def test_item_that_is_not_of_the_job_above_has_a_line_of_its_own(text: str, expected: list[str]) -> None:
    assert lines(text) == expected


@pytest.mark.parametrize(
    ("parts", "labor"),
    [
        ("Alternator 300.00\nBelt 40.00", "Labor 2.0 h 240.00"),
        ("Alternator 300.00\nBelt 40.00", "Labor 2.0 h 240.00\nTotal labor 240.00\nTotal parts 340.00"),
    ],
)
def test_list_of_parts_with_one_row_of_labor_keeps_its_lines(parts: str, labor: str) -> None:
    assert lines(f"Parts\n{parts}\n{labor}") == [
        "part 300 Alternator parts=300",
        "part 40 Belt parts=40",
        "repair 240 Labor parts=0 hours=2.0",
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Front rotors\nLabor\nParts 30.00\nLabor 80.00", ["repair 110 Front rotors parts=30"]),
        ("Thermostat and\nParts 30.00", ["repair 30 Thermostat parts=30"]),
        ("Thermostat and\n  Labor 1.0 h 80.00", ["repair 80 Thermostat parts=0 hours=1.0"]),
        ("Coolant and\n  Belt 45.50", ["repair 45.5 Coolant and Belt"]),
        ("Labor 80.00", ["repair 80 Labor parts=0"]),
        ("Rear shocks 120.00\n  Mount 45.00", ["repair 165 Rear shocks (Mount)"]),
        (
            "Labor 1.5 h 150.00\nThermostat 30.00\nAlternator 300.00",
            ["part 30 Thermostat", "part 300 Alternator", "repair 150 Labor parts=0 hours=1.5"],
        ),
        (
            "Water pump 240.00\nReplace starter 1.5 h 150.00\nStarter 20.00",
            ["part 240 Water pump", "repair 170 Replace starter (Starter) parts=20 hours=1.5"],
        ),
        (
            "Flush coolant 1.0 h 100.00\nAlternator 45.00",
            ["repair 100 Flush coolant hours=1.0", "repair 45 Alternator"],
        ),
        (
            "Water pump 45.00\nReplace alternator 3.0 h 300.00",
            ["repair 45 Water pump", "repair 300 Replace alternator hours=3.0"],
        ),
        ("Front pads\nR&R water pump\nAlignment 2.0 h 180.00", ["repair 180 Alignment hours=2.0"]),
        ("Labor\nReplace alternator  2  240.00", ["repair 240 Replace alternator parts=0 hours=2.0"]),
        ("Labor\nReplace alternator 45.00", ["repair 45 Replace alternator"]),
        ("$80.00", ["repair 80 Line without a description"]),
        ("Front rotors 120.00\n  Labor 1.0 h 120.00", ["repair 240 Front rotors parts=120 hours=1.0"]),
        (
            "B  Rotors   3.0 hrs\nParts\nItem 2. Resurface rotors\n  Front pads 300.00",
            ["repair 300 Resurface rotors (Front pads)"],
        ),
    ],
)
def test_total_below_any_job_is_that_of_the_quote(text: str, expected: list[str]) -> None:
    paid = sum(line.total for line in read_quote(text, KNOWN).lines)
    read = read_quote(f"{text}\nTotal {paid / 100:.2f}", KNOWN)

    assert lines(text) == expected
    assert [summary(line) for line in read.lines] == expected
    assert (read.stated_total, read.sums_meet, read.unread) == (paid, True, ())


def test_list_of_parts_of_one_repair_gets_the_labor_below_it() -> None:
    read = lines("Parts\nFront pads 89.00\nFront rotors 140.00\nTotal parts 229.00\nLabor 2.0 h 300.00")

    assert read == ["repair 529 Front pads and Front rotors (Front pads, Front rotors) parts=229 hours=2.0"]


def test_labor_of_a_list_is_joined_with_the_parts_named_alike() -> None:
    text = (
        "Labor\nReplace alternator 2.0 h 240.00\nReplace water pump 3.0 h 450.00\n"
        "Parts\nAlternator 300.00\nWater pump 120.00\nClamp 5.00"
    )

    assert lines(text) == [
        "repair 540 Replace alternator (Alternator) parts=300 hours=2.0",
        "repair 570 Replace water pump (Water pump) parts=120 hours=3.0",
        "part 5 Clamp parts=5",
    ]


def test_only_labor_of_a_list_gets_all_of_its_parts() -> None:
    text = "Labor\nReplace alternator 2.0 h 240.00\nParts\nAlternator 300.00\nBelt 40.00\nGasket 12.00"

    assert lines(text) == ["repair 592 Replace alternator (Alternator, Belt, Gasket) parts=352 hours=2.0"]


def test_part_that_could_be_of_two_jobs_is_of_neither() -> None:
    text = "Labor\nReplace front pads 2.0 h 240.00\nReplace rear pads 3.0 h 450.00\nParts\nPads 300.00"

    assert lines(text) == [
        "repair 240 Replace front pads hours=2.0",
        "repair 450 Replace rear pads hours=3.0",
        "part 300 Pads parts=300",
    ]


@pytest.mark.parametrize(
    "sums",
    [
        "Total labor 340.00\nTotal parts 500.00\nTotal 840.00",
        "Labor 340.00\nParts 500.00\nTotal 840.00",
        "Parts 500.00\nLabor 340.00\nTotal 840.00",
        "Total 840.00",
    ],
)
def test_sums_of_labor_and_of_parts_are_no_lines(sums: str) -> None:
    read = read_quote(f"Alternator 300.00\nLabor 240.00\nStarter 200.00\nLabor 100.00\n{sums}", KNOWN)

    assert [summary(line) for line in read.lines] == [
        "repair 540 Alternator parts=300",
        "repair 300 Starter parts=200",
    ]
    assert (read.stated_total, read.sums_meet, read.unread) == (840_00, True, ())


@pytest.mark.parametrize(
    ("first_total", "second_total"),
    [("", ""), ("Job total 540.00\n", "Job total 320.00\n"), ("Total 540.00\n", "Line total 320.00\n")],
)
def test_total_of_a_job_is_not_that_of_the_quote(first_total: str, second_total: str) -> None:
    read = read_quote(
        f"Job 1: Alternator\nLabor 2.0 240.00\nParts 300.00\n{first_total}"
        f"Job 2: Starter\nLabor 1.0 120.00\nParts 200.00\n{second_total}Total 860.00",
        KNOWN,
    )

    assert [summary(line) for line in read.lines] == [
        "repair 540 Alternator parts=300 hours=2.0",
        "repair 320 Starter parts=200 hours=1.0",
    ]
    assert (read.stated_total, read.sums_meet) == (860_00, True)


def test_total_below_a_heading_is_the_price_of_its_job() -> None:
    read = read_quote("Alternator replacement\nSubtotal 540.00\nStarter 320.00\nTotal 860.00", KNOWN)

    assert [summary(line) for line in read.lines] == [
        "repair 540 Alternator replacement",
        "repair 320 Starter",
    ]
    assert (read.stated_subtotal, read.stated_total, read.sums_meet) == (None, 860_00, True)


@pytest.mark.parametrize("word", ["due", "balance", "grand total", "out the door"])
def test_total_of_a_quote_with_one_job_is_not_that_of_the_job(word: str) -> None:
    read = read_quote(f"Alternator\n  Labor 240.00\n  Alternator 300.00\n{word} 540.00\nTax 20.00", KNOWN)

    assert [line.total for line in read.lines] == [540_00, 20_00]


@pytest.mark.parametrize(
    ("minor", "is_part"),
    [("Coolant 30.00", True), ("Thermostat 40.00", True), ("Resurface flange 30.00", True), ("Coolant flush 90.00", False),
     ("Replace thermostat 90.00", False)],
)  # fmt: skip
def test_small_parts_below_a_job_with_its_part_belong_to_it(minor: str, *, is_part: bool) -> None:
    read = lines(f"Replace water pump 2.0 h 300.00\nWater pump 120.00\n{minor}")

    assert len(read) == (1 if is_part else 2)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Good: pads 100.00\nBetter: pads 200.00\nTotal 200.00", ["Better: pads"]),
        ("Good: pads 100.00\nBetter: pads 200.00\nTotal 100.02", ["Good: pads"]),
        ("Good: pads 100.00\nBetter: pads 200.00\nTotal 100.03", ["Good: pads", "Better: pads"]),
        ("Good: pads 100.00\nBetter: pads 100.00\nTotal 100.00", ["Good: pads", "Better: pads"]),
        ("Good: pads 100.00\nBetter: pads 200.00", ["Good: pads", "Better: pads"]),
        ("Good: pads 100.00\nTires 50.00\nTotal 50.00", ["Good: pads", "Tires"]),
    ],
)
def test_choice_that_makes_up_the_total_is_the_only_one(text: str, names: list[str]) -> None:
    assert [line.description for line in read_quote(text, KNOWN).lines] == names


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (  # a row with parts and labor is a whole job
            "Alternator\n  parts 300.00 2.0 h 540.00\n  Coolant 30.00",
            ["repair 540 Alternator parts=300 hours=2.0", "repair 30 Coolant"],
        ),
        (  # a word without an amount below the first part begins no other job
            "Alternator\n  Alternator 300.00\n  Belt\n  Labor 240.00",
            ["repair 540 Alternator parts=300"],
        ),
        (
            "Alternator\n  Belt\n  Alternator 300.00\n  Labor 240.00",
            ["repair 540 Alternator parts=300"],
        ),
        (  # the total less the charges is the price of the only job
            "Replace alternator\nTax 40.00\nTotal 540.00",
            ["repair 500 Replace alternator", "tax 40 Tax"],
        ),
    ],
)
def test_heading_gathers_the_rows_below_it(text: str, expected: list[str]) -> None:
    assert lines(text) == expected


def test_line_with_hours_is_the_heading_of_a_job_that_the_book_does_not_have() -> None:
    ((line, *others), plain) = (
        read_quote(f"Blorp{hours}\n  Zorp 300.00", KNOWN).lines for hours in (" 2.0 hrs", "")
    )

    assert (others, line.parts, line.labor_hours) == ([], ("Zorp",), 2.0)
    assert [one.description for one in plain] == ["Zorp"]
