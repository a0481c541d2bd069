"""The history as CSV, safe for spreadsheets."""

import csv
import io
from datetime import UTC, datetime
from uuid import UUID

import pytest

from repaircore.predictions.past_predictions import HistoryEntry
from repaircore_http.console.history_csv import COLUMNS, csv_lines


def an_entry(name: str) -> HistoryEntry:
    return HistoryEntry(
        id=1,
        session_id=UUID(int=1),
        vin=None,
        vehicle_name=name,
        problem_name="Brakes > Front Brake Pads",
        red_flag=True,
        red_flag_reason="They say so, twice\nover.",
        match=None,
        local_average=27265,
        ai_average=None,
        feedbacks=2,
        good_feedbacks=1,
        created_at=datetime(2026, 1, 2, 3, 4, 5, 678, tzinfo=UTC),
    )


@pytest.mark.parametrize("prefix", ["=", "+", "-", "@", "\t", "\r"])
def test_cell_is_never_a_formula(prefix: str) -> None:
    text = "".join(csv_lines([an_entry(f"{prefix}cmd|' /C calc'!A0")]))
    (row,) = csv.DictReader(io.StringIO(text, newline=""))

    assert row["vehicle"] == f"'{prefix}cmd|' /C calc'!A0"


def test_entry_is_a_row_of_plain_values() -> None:
    text = "".join(csv_lines([an_entry('2015 "Toyota", Camry')]))
    (row,) = csv.DictReader(io.StringIO(text, newline=""))

    assert tuple(row) == COLUMNS
    assert row["vehicle"] == '2015 "Toyota", Camry'
    assert (row["created_at"], row["average"], row["models"]) == ("2026-01-02T03:04:05+00:00", "272.65", "")
    assert row["red_flag_reason"] == "They say so, twice\nover."


def test_history_without_entries_has_its_columns() -> None:
    assert "".join(csv_lines([])) == ",".join(COLUMNS) + "\r\n"
