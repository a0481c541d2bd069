"""Recall files: NHTSA's flat file and lists, with their rejected rows."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import RejectedRow
from repaircore.recalls.flat_file import HEAD, read_recalls, row_of
from repaircore.recalls.model import Recall, RecallSource
from repaircore.recalls.open_recalls import identity, merge_campaigns, merge_components

FLAT = Path(__file__).parents[2] / "data" / "flat_rcl_made_up.txt"
LIST = "NHTSA ID,MAKE,MODEL,MODEL YEAR,SUMMARY\n"


def flat() -> str:
    return FLAT.read_text(encoding="utf-8-sig", errors="surrogateescape")


def read(text: str) -> list[Recall | RejectedRow]:
    return list(read_recalls(text.splitlines(keepends=True)))


def good(text: str) -> list[Recall]:
    return [row for row in read(text) if isinstance(row, Recall)]


def reasons(text: str) -> list[str]:
    return [" ".join(row.reasons) for row in read(text) if isinstance(row, RejectedRow)]


def test_read_recalls_reads_the_published_form() -> None:
    first, second, hybrid, pickup, cap, old = good(flat())

    assert (first.campaign.campaign, first.campaign.reported_on) == ("24V901000", date(2024, 1, 15))
    assert first.campaign.summary is not None
    assert first.campaign.summary.endswith('"may seize".')
    assert (first.vehicle.make, first.vehicle.model, first.vehicle.year) == ("Honda", "Accord", 2019)
    assert second.vehicle.component == "ENGINE"
    assert hybrid.vehicle.model == "Accord Hybrid"
    assert (pickup.campaign.park_it, pickup.campaign.park_outside) == (True, True)
    assert (first.campaign.park_it, old.campaign.park_it) == (False, None)
    assert cap.vehicle.year is None
    assert old.campaign.summary == "MADE UP FOR TESTS. Everything stands in the notes."
    assert {row.campaign.source for row in good(flat())} == {RecallSource.FLAT_FILE}


def test_read_recalls_falls_back_to_windows_1252() -> None:
    _, _, _, pickup, cap, _ = good(flat())
    assert "battery’s cable may chafe – it" in (pickup.campaign.summary or "")
    assert "40 °C" in (cap.campaign.summary or "")
    utf8 = FLAT.read_bytes().decode("cp1252")

    assert good(utf8) == good(flat())


def test_read_recalls_accepts_added_and_missing_columns() -> None:
    line = flat().splitlines()[0]
    (row,) = good(line)
    assert good(line + "\tnew\t") == [row]
    (older,) = good("\t".join(line.split("\t")[:24]))

    assert (older.vehicle, older.campaign.summary) == (row.vehicle, row.campaign.summary)
    assert reasons("\t".join(line.split("\t")[:20])) == ["The row has too few cells."]


def test_read_recalls_reads_a_list_by_its_header() -> None:
    row, unknown = good(f'{LIST}24V901,HONDA,ACCORD,2019,"A, b"\n24v90a,BMW,CAP,9999,\n')

    assert (row.campaign.campaign, row.campaign.summary) == ("24V901000", "A, b")
    assert (row.campaign.source, row.campaign.remedy) == (RecallSource.LIST, None)
    assert (unknown.campaign.campaign, unknown.vehicle.year, unknown.campaign.summary) == (
        "24V90A000",
        None,
        None,
    )


@pytest.mark.parametrize(
    ("row", "result"),
    [
        ("X,HONDA,ACCORD,2019,x", "campaign"),
        ("24V901,,ACCORD,2019,x", "make is missing"),
        ("24V901,HONDA,ACCORD,19,x", "year"),
        ("24V901,HONDA,ACCORD,3000,x", "year"),
        ("24V901,HONDA,ACCORD,٢٠١٩,x", "year"),
        (f"24V901,HONDA,{'x' * 257},2019,x", "model is longer than 256"),
        (f"24V901,HONDA,ACCORD,2019,{'x' * 10_001}", "summary is longer than 10,000"),
        ("24V901,HONDA,ACCORD", "too few cells"),
        (",,,x,", "campaign must be a number such as 23V123000 or 23V123. The make is missing. The year"),
    ],
)
def test_read_recalls_rejects_an_invalid_row(row: str, result: str) -> None:
    (reason,) = reasons(LIST + row)

    assert result in reason


@pytest.mark.parametrize("text", ["", "\n", "make,model\n", "\x00", "a\tb\n"])
def test_read_recalls_refuses_a_file_of_another_form(text: str) -> None:
    with pytest.raises(Invalid) as result:
        read(text)

    assert list(result.value.fields) == ["file"]


@given(st.lists(st.text(max_size=40) | st.sampled_from(["\t" * 28, LIST, "24V901000"]), max_size=8))
def test_read_recalls_reads_or_rejects_any_text(lines: Iterable[str]) -> None:
    try:
        result = read("\n".join(lines))
    except Invalid:
        return

    assert all(isinstance(row, (Recall, RejectedRow)) for row in result)


def test_row_of_writes_what_read_recalls_reads() -> None:
    for row in good(flat()):
        written = row_of(Recall(campaign=row.campaign, vehicle=row.vehicle))
        quoted = ",".join('"' + cell.replace('"', '""') + '"' for cell in written)
        assert good(f"{','.join(HEAD)}\n{quoted}\n") == [row]


def test_merge_campaigns_keeps_missing_fields_and_lists_fill_only_gaps() -> None:
    (full,) = good(flat().splitlines()[3])
    (listed,) = good(f"{LIST}24V902,CHEVROLET,SILVERADO,2019,Dealer letter\n")

    assert merge_campaigns(full.campaign, listed.campaign) == full.campaign
    assert merge_campaigns(listed.campaign, full.campaign) == full.campaign
    assert merge_campaigns(full.campaign, full.campaign) == full.campaign
    assert merge_campaigns(listed.campaign, listed.campaign) == listed.campaign


def test_merge_components_names_each_component_once() -> None:
    first, second, *_ = (row.vehicle for row in good(flat()))
    assert identity(first) == identity(second)
    both = merge_components(first, second)

    assert both.component == "ENGINE; FUEL SYSTEM, GASOLINE:DELIVERY:FUEL PUMP"
    assert merge_components(both, first) == merge_components(second, first) == both


def test_empty_file_has_no_columns() -> None:
    with pytest.raises(Invalid):
        read("")


@pytest.mark.parametrize(("length", "rejected"), [(256, False), (257, True)])
def test_model_has_a_limited_length(length: int, *, rejected: bool) -> None:
    row = f"24V901000,HONDA,{'x' * length},2019,Text\n"

    assert bool(reasons(LIST + row)) is rejected


@pytest.mark.parametrize("tabs", [9, 10])
def test_file_whose_first_line_has_ten_tabs_is_flat(tabs: int) -> None:
    head = "\t".join(["CAMPNO", "MAKETXT", "MODELTXT", "YEARTXT", "DESC_DEFECT", *"abcdefgh"][: tabs + 1])
    row = "\t".join(["24V901000", "HONDA", "ACCORD", "2019", "It may seize.", *"abcdefgh"][: tabs + 1])
    if tabs < 10:
        with pytest.raises(Invalid):
            read(f"{head}\n{row}\n")
        return

    assert reasons(f"{head}\n{row}\n") == ["The row has too few cells."]
    assert [each.vehicle.make for each in good(head + "\n" + row + "\t" * 20 + "\n")] == ["Honda"]


@pytest.mark.parametrize(("name", "most"), [("MAKE", 100), ("MODEL", 256), ("SUMMARY", 10_000)])
def test_cell_may_be_as_long_as_its_column_allows(name: str, most: int) -> None:
    def with_cell(length: int) -> str:
        cells = {
            "NHTSA ID": "24V901000",
            "MAKE": "Honda",
            "MODEL": "Accord",
            "MODEL YEAR": "2019",
            "SUMMARY": "It.",
        }
        return f"{LIST}{','.join({**cells, name: 'x' * length}.values())}\n"

    assert len(good(with_cell(most))) == 1
    assert reasons(with_cell(most + 1)) == [f"The {name.lower()} is longer than {most:,} characters."]


@pytest.mark.parametrize(
    ("year", "is_valid"),
    [
        ("1899", False),
        ("1900", True),
        ("2100", True),
        ("2101", False),
        ("", True),
        ("9999", True),
        ("19000", False),
        ("190", False),
    ],
)
def test_year_is_within_two_centuries_or_unknown(year: str, *, is_valid: bool) -> None:
    found = read(f"{LIST}24V901000,Honda,Accord,{year},It may seize.\n")

    assert [isinstance(each, Recall) for each in found] == [is_valid]
