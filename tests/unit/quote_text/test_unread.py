import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.shipped.book import book
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.reader import read_quote
from repaircore.quotes.text_match import known_repairs

KNOWN = known_repairs(book().problems)


@pytest.mark.parametrize(
    "line",
    [
        "Air filter 24.9",
        "Cabin air filter 45",
        "Coolant flush 189.99 not today",
        "Declined: cabin air filter $45.00",
        "Cabin air filter 25.00 not today",
    ],
)
def test_line_with_an_unread_amount_is_listed(line: str) -> None:
    read = read_quote(f"{line}\n\nTax $12.00\nOil change $89.99\nTire rotation $25.00\nTotal $126.99", KNOWN)

    assert read.stated_total == 126_99
    assert line in read.unread


@pytest.mark.parametrize(
    "line",
    [
        "2014 Honda Civic 2.5",
        "Invoice 1234",
        "Labor rate: $145.00/hr",
        "Wiper blades 2 @ 20.00",
        "Water pump parts 180.00 labor 220.00 total 400.00",
        "Alternator  2.0 h @ $150.00/h  300.00",
        "Towing 6 days at 42.00 = 252.00",
        "Call (555) 123-4567 until 12/24/2025",
        "Tax 8.2%",
        "Diagnosis $0.00",
    ],
)
def test_line_that_is_read_or_has_no_amount_is_not_listed(line: str) -> None:
    assert read_quote(f"Oil change $89.99\nTire rotation $25.00\n{line}", KNOWN).unread == ()


def test_at_most_twenty_lines_are_listed_once_each() -> None:
    declined = "\n".join(f"Cabin filter ${number}.00 not today" for number in (*range(20, 60), 20))

    assert len(read_quote(f"Oil change $89.99\n{declined}", KNOWN).unread) == 20


@given(
    st.lists(
        st.tuples(st.sampled_from(["Oil change", "Front brake pads", "Starter"]), st.integers(20_00, 900_00))
    )
)
def test_every_amount_of_a_plain_list_is_read_or_listed(items: list[tuple[str, int]]) -> None:
    rows = [f"{name} ${cents // 100}.{cents % 100:02d}" for name, cents in items]
    read = read_quote("\n".join(rows), KNOWN)
    amounts = {line.total for line in read.lines} | {read.stated_total}

    for row, (_, cents) in zip(rows, items, strict=True):
        assert cents in amounts or row in read.unread


ALLROAD = """- t-belt svc incl thermostat, w/p, tensioner, serp belt.   7.0h  1,155 labor   parts 612.40  = 1,767.40
- R front air strut leaking (Arnott)  parts 429 lab 2.2 @165 363
- compressor air susp      parts 389   lab 1.5   247.50
- both turbos (engine out) lab 22.0 3,630.00  pts 2,698.00
- 4 wheel align $179
less 5% parts disc -206.42
tax 318.77
"""


def test_whole_numbers_with_labels_are_amounts_beside_cents() -> None:
    read = read_quote(ALLROAD, KNOWN)
    amounts = [(line.total, line.parts_total, line.labor_hours) for line in read.lines]

    assert amounts == [
        (1767_40, 612_40, 7.0),
        (792_00, 429_00, 2.2),
        (636_50, 389_00, 1.5),
        (6328_00, 2698_00, 22.0),
        (179_00, None, None),
        (-206_42, None, None),
        (318_77, None, None),
    ]
    assert read.lines[0].description is not None
    assert read.lines[0].description.startswith("t-belt svc incl thermostat")
    assert read.unread == ()


@pytest.mark.parametrize(
    "line",
    [
        "Gizmo overhaul parts 429 lab 2.2 at 165 399",
        "Gizmo overhaul, 480 parts, see notes",
        "Gizmo overhaul         120",
    ],
)
def test_whole_number_that_was_not_used_is_listed_though_no_repair_is_named(line: str) -> None:
    read = read_quote(
        f"{line}\nTax $12.00\nOil change $89.99\nTire rotation $25.00\nAlternator $489.00\nWater pump $611.50\n",
        KNOWN,
    )
    used = {line.total for line in read.lines}

    assert " ".join(line.split()) in read.unread or used & {828_00, 480_00}


@pytest.mark.parametrize(
    ("line", "amount"),
    [
        ("Fleet disc 10%      -$309.89", -309_89),
        ("Fleet disc 10%       309.89", -309_89),
        ("10% disc    $30.00", -30_00),
        ("Senior disc    $20.00", -20_00),
        ("Rear disc brakes    $320.00", 320_00),
        ("Brake disc   $120.00", 120_00),
    ],
)
def test_discount_is_taken_off_however_its_sign_is_written(line: str, amount: int) -> None:
    read = read_quote(f"Alternator  $489.00\nWater pump  $611.50\n{line}\n", KNOWN)

    assert [line.total for line in read.lines] == [489_00, 611_50, amount]


def test_sublet_machine_shop_is_a_line_of_its_own_and_no_diagnosis() -> None:
    read = read_quote(
        "HEAD GASKET JOB (engine out)\n"
        "   Labor          14.0 hr   1,960.00\n"
        "   MLS head gaskets          137.00\n"
        "SUBLET - machine shop, resurface and pressure test 2 heads    380.00\n",
        KNOWN,
    )

    assert [line.total for line in read.lines] == [2097_00, 380_00]
    assert read.lines[1].kind is not LineKind.DIAGNOSIS
