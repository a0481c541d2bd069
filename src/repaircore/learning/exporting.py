"""Giving the kept invoices out, as a file that can be taken over elsewhere."""

from collections.abc import Iterator
from typing import Final

from attrs import frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.money import Cents
from repaircore.learning.ports import BeginImport, ExportedTransaction

_AT_ONCE: Final = 2_000

_BEFORE_PARTS: Final = (
    "vin",
    "year",
    "make",
    "model",
    "trim",
    "problem",
    "date",
    "facility",
    "zip",
    "mileage",
)
_BEHIND_PARTS: Final = ("parts_total", "labor_hours", "labor_rate", "total", "notes", "fingerprint")


@frozen(kw_only=True)
class InvoiceExports:
    """The use case of giving invoices out."""

    read: BeginImport

    def rows(self, environment: Environment = Environment.LIVE) -> Iterator[tuple[object, ...]]:
        """Give the head and a row for each invoice, the first that was kept leading; a few are read at a time."""
        with self.read() as work:
            parts = work.batches.most_parts(environment)
        yield (
            *_BEFORE_PARTS,
            *(
                f"part_{number}_{what}"
                for number in range(1, parts + 1)
                for what in ("name", "price", "quantity")
            ),
            *_BEHIND_PARTS,
        )
        last = 0
        while True:
            with self.read() as work:
                found = work.batches.exported(environment, after=last, limit=_AT_ONCE)
            if not found:
                return
            yield from (_row(one, parts) for one in found)
            last = found[-1].id


def _row(one: ExportedTransaction, parts: int) -> tuple[object, ...]:
    # An invoice that came meanwhile may have more parts than there are columns: its total counts them nevertheless.
    lines: list[object] = []
    for name, price, quantity in one.parts[:parts]:
        lines += [name, _dollars(price), quantity]
    lines += [""] * (3 * parts - len(lines))
    return (
        one.vin,
        one.year,
        one.make,
        one.model,
        one.trim,
        one.problem,
        one.date,
        one.facility,
        one.zip_code,
        one.mileage,
        *lines,
        _dollars(one.parts_total),
        f"{one.labor_hours:.6f}".rstrip("0").rstrip("."),
        _dollars(one.labor_rate),
        _dollars(one.total),
        one.notes,
        one.fingerprint,
    )


def _dollars(amount: Cents) -> str:
    return f"{amount // 100}.{amount % 100:02}"
