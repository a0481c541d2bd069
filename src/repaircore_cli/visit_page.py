"""An estimate of a visit as a plain-text page for people."""

from collections.abc import Iterator, Sequence
from typing import Final

from repaircore.kernel.money import Cents
from repaircore.kernel.wording import money
from repaircore.predictions.model import WARNING_TEXTS
from repaircore.visits.model import Estimate, LineKind, PricedLine, Totals
from repaircore_cli.tables import WordWrapper, labeled, name_with_figures
from repaircore_cli.terminal import Look

_ASCII: Final = str.maketrans({"·": "-", "×": "x", "−": "-", "–": "-", "—": "-", "─": "-", "’": "'"})
_AMOUNT: Final = 12
_HOURS: Final = 7
_WARNINGS: Final = {
    **WARNING_TEXTS,
    "sales_tax_unknown": "The sales tax rate here is not known, so no tax is added.",
}


def page(estimate: Estimate, look: Look) -> str:
    """Return an estimate as text: its lines with their savings, the totals, and the range."""
    text = "".join(f"{line.rstrip()}\n" for line in _lines(estimate, look.width))
    return text if look.unicode else text.translate(_ASCII).encode("ascii", "replace").decode()


def _lines(estimate: Estimate, width: int) -> Iterator[str]:
    vehicle, place = estimate.vehicle, estimate.place
    parts = [vehicle.display_name, vehicle.engine, vehicle.vin and f"VIN {vehicle.vin}"]
    yield from labeled("Vehicle", " · ".join(part for part in parts if part), width)
    yield from labeled("Place", f"{place.zip_code} {place.state}", width)
    yield from labeled("Labor rate", place.labor_rate_text, width)
    yield ""
    room = width - 2 * _AMOUNT - _HOURS
    yield f"{'':{max(0, room)}}{'Hours':>{_HOURS}}{'Parts':>{_AMOUNT}}{'Total':>{_AMOUNT}}"
    numbers = {line.id: number for number, line in enumerate(estimate.lines, 1)}
    for line in estimate.lines:
        yield from _line(line, numbers, width)
    yield "─" * width
    yield from _totals(estimate.totals, width)
    notes = [*_notes(estimate, numbers)]
    if notes:
        yield ""
    for note in notes:
        yield from labeled("Warning", note, width)


def _line(line: PricedLine, numbers: dict[int, int], width: int) -> Iterator[str]:
    pieces = f" ×{line.requested.quantity}" if line.requested.quantity > 1 else ""
    name = f"{numbers[line.id]}. {line.description}{pieces}"
    hours = f"{line.hours:.2f}" if line.hours else ""
    parts = money(line.parts) if line.parts else ""
    figures = f"{hours:>{_HOURS}}{parts:>{_AMOUNT}}{money(line.average):>{_AMOUNT}}"
    yield from name_with_figures(name, figures, width, indent="   ")
    if line.requested.kind is LineKind.REPAIR and line.low < line.high:  # an invoiced line has no range
        tier = "" if line.parts_tier is None else f"{line.parts_tier} parts · "
        yield from _indented(f"{tier}{money(line.low)} to {money(line.high)}", width)
    for saving in line.savings:
        amount = money(saving.labor + saving.parts)
        hours = f" ({saving.hours:.2f} h)" if saving.hours else ""
        yield from _indented(
            f"saves {amount}{hours} with line {numbers[saving.other]}: {saving.reason}", width
        )


def _totals(totals: Totals, width: int) -> Iterator[str]:
    yield from _sum("Parts", totals.parts, width)
    yield from _sum("Labor", totals.labor, width)
    if totals.fees:
        yield from _sum("Fees", totals.fees, width)
    if totals.supplies:
        yield from _sum(f"Shop supplies ({totals.supplies_text})", totals.supplies, width)
    if totals.discount:
        yield from _sum("Discount", -totals.discount, width)
    if totals.tax is not None and totals.tax.amount:
        yield from _sum(
            f"Sales tax ({totals.tax.state}, {totals.tax.percent:g}% of {money(totals.tax.base)})",
            totals.tax.amount,
            width,
        )
    yield from _sum("Total", totals.total, width)
    yield ""
    if totals.saved:
        yield from labeled(
            "Saved", f"{money(totals.saved)} by doing this in one visit, already deducted", width
        )
    if totals.low < totals.high:
        yield from labeled(
            "Range", f"eight out of ten such visits cost {money(totals.low)} to {money(totals.high)}", width
        )
    if totals.tax is not None:
        yield from labeled("Sales tax", totals.tax.text, width)


def _notes(estimate: Estimate, numbers: dict[int, int]) -> Iterator[str]:
    for warning in estimate.warnings:
        yield _WARNINGS.get(warning, warning)
    for line in estimate.lines:
        if line.fit_reason is not None:
            yield f"Line {numbers[line.id]}: {line.fit_reason}"


def _sum(name: str, amount: Cents, width: int) -> Iterator[str]:
    text = money(amount) if amount >= 0 else f"−{money(-amount)}"
    yield from name_with_figures(name, f"{text:>{_AMOUNT}}", width)


def _indented(text: str, width: int) -> Sequence[str]:
    return WordWrapper(width, initial_indent="   ", subsequent_indent="   ").wrap(text)
