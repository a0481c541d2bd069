"""Recalls in files: what is read of NHTSA's own form and of lists, and what is refused."""

from collections.abc import Iterable
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.errors import Invalid
from repaircore.kernel.imports import RejectedRow
from repaircore.recalls.flat_file import HEAD, read_recalls, row_of
from repaircore.recalls.model import RecallCampaign, RecallRow, RecallSource
from repaircore.recalls.open_recalls import identity, merge_campaigns, merge_components

FLAT = Path(__file__).parents[2] / "data" / "flat_rcl_made_up.txt"
LIST = "NHTSA ID,MAKE,MODEL,MODEL YEAR,SUMMARY\n"


def flat() -> str:
    return FLAT.read_text(encoding="utf-8-sig", errors="surrogateescape")


def read(text: str) -> list[RecallRow | RejectedRow]:
    return list(read_recalls(text.splitlines(keepends=True)))


def good(text: str) -> list[RecallRow]:
    return [row for row in read(text) if isinstance(row, RecallRow)]


def reasons(text: str) -> list[str]:
    return [" ".join(row.reasons) for row in read(text) if isinstance(row, RejectedRow)]


def test_the_published_form_is_read() -> None:
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


def test_what_is_no_utf_8_is_windows_1252() -> None:
    _, _, _, pickup, cap, _ = good(flat())
    assert "battery’s cable may chafe – it" in (pickup.campaign.summary or "")
    assert "40 °C" in (cap.campaign.summary or "")
    utf8 = FLAT.read_bytes().decode("cp1252")
    assert good(utf8) == good(flat())


def test_columns_that_were_added_or_are_not_there_yet_do_not_matter() -> None:
    line = flat().splitlines()[0]
    (row,) = good(line)
    assert good(line + "\tnew\t") == [row]
    (older,) = good("\t".join(line.split("\t")[:24]))
    assert (older.vehicle, older.campaign.summary) == (row.vehicle, row.campaign.summary)
    assert reasons("\t".join(line.split("\t")[:20])) == ["It has too few cells."]


def test_a_list_is_read_by_its_head() -> None:
    row, unknown = good(f'{LIST}24V901,HONDA,ACCORD,2019,"A, b"\n24v90a,BMW,CAP,9999,\n')
    assert (row.campaign.campaign, row.campaign.summary) == ("24V901000", "A, b")
    assert (row.campaign.source, row.campaign.remedy) == (RecallSource.LIST, None)
    assert (unknown.campaign.campaign, unknown.vehicle.year, unknown.campaign.summary) == (
        "24V90A000",
        None,
        None,
    )


@pytest.mark.parametrize(
    ("row", "told"),
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
def test_a_row_that_says_what_cannot_be_is_refused(row: str, told: str) -> None:
    (reason,) = reasons(LIST + row)
    assert told in reason


@pytest.mark.parametrize("text", ["", "\n", "make,model\n", "\x00", "a\tb\n"])
def test_what_is_no_such_file_is_told(text: str) -> None:
    with pytest.raises(Invalid) as told:
        read(text)
    assert list(told.value.fields) == ["file"]


@given(st.lists(st.text(max_size=40) | st.sampled_from(["\t" * 28, LIST, "24V901000"]), max_size=8))
def test_any_text_is_read_or_refused(lines: Iterable[str]) -> None:
    try:
        told = read("\n".join(lines))
    except Invalid:
        return
    assert all(isinstance(row, (RecallRow, RejectedRow)) for row in told)


def test_what_is_written_is_read_again() -> None:
    for row in good(flat()):
        written = row_of(RecallCampaign.of(row.campaign, row.vehicle))
        quoted = ",".join('"' + cell.replace('"', '""') + '"' for cell in written)
        assert good(f"{','.join(HEAD)}\n{quoted}\n") == [row]


def test_what_a_newer_file_does_not_tell_stays_and_a_list_fills_only_gaps() -> None:
    (full,) = good(flat().splitlines()[3])
    (listed,) = good(f"{LIST}24V902,CHEVROLET,SILVERADO,2019,Dealer letter\n")
    assert merge_campaigns(full.campaign, listed.campaign) == full.campaign
    assert merge_campaigns(listed.campaign, full.campaign) == full.campaign
    assert merge_campaigns(full.campaign, full.campaign) == full.campaign
    assert merge_campaigns(listed.campaign, listed.campaign) == listed.campaign


def test_the_components_of_several_rows_are_named_once() -> None:
    first, second, *_ = (row.vehicle for row in good(flat()))
    assert identity(first) == identity(second)
    both = merge_components(first, second)
    assert both.component == "ENGINE; FUEL SYSTEM, GASOLINE:DELIVERY:FUEL PUMP"
    assert merge_components(both, first) == merge_components(second, first) == both
