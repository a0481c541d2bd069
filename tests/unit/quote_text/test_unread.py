import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.adapters.shipped.book import book
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
