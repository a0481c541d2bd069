"""The history as CSV, line by line."""

from collections.abc import Iterable, Iterator
from typing import Final

from repaircore.kernel.money import Cents
from repaircore.predictions.past_predictions import HistoryEntry
from repaircore_http.console.csv_lines import csv_line

COLUMNS: Final = (
    *("created_at", "vehicle", "vin", "repair", "average", "models", "red_flag", "red_flag_reason"),
    *("ratings", "good_ratings", "session_id"),
)


def csv_lines(entries: Iterable[HistoryEntry]) -> Iterator[str]:
    """Yield the header line, then a line for each entry; amounts are in dollars."""
    yield csv_line(COLUMNS)
    for entry in entries:
        yield csv_line((
            entry.created_at.isoformat(timespec="seconds"),
            entry.vehicle_name or "",
            entry.vin or "",
            entry.problem_name,
            _dollars(entry.local_average),
            _dollars(entry.ai_average),
            "yes" if entry.red_flag else "no",
            entry.red_flag_reason or "",
            str(entry.feedbacks),
            str(entry.good_feedbacks),
            str(entry.session_id),
        ))  # fmt: skip


def _dollars(amount: Cents | None) -> str:
    return "" if amount is None else f"{amount / 100:.2f}"
