"""An estimate as a page for people. The page is plain text, so it can be tested without a terminal."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

from repaircore.kernel.engine_names import facts_line
from repaircore.kernel.money import Cents
from repaircore.kernel.wording import money
from repaircore.predictions.model import (
    ADJUSTMENT_STEP,
    WARNING_TEXTS,
    Figures,
    MemorySource,
    ModelFigures,
    Prediction,
)
from repaircore.pricing.model import Breakdown
from repaircore_cli.tables import WordWrapper, name_with_figures
from repaircore_cli.terminal import Look

_ASCII: Final = str.maketrans(
    {
        "├": "|",
        "┤": "|",
        "┼": "+",
        "─": "-",
        "·": "-",
        "×": "x",
        "−": "-",
        "–": "-",
        "—": "-",
        "’": "'",
    }
)
_BOLD, _RED, _DIM, _OFF = "\x1b[1m", "\x1b[1;31m", "\x1b[2m", "\x1b[0m"
_LABEL: Final = 11


def page(prediction: Prediction, look: Look, *, explain: bool = False) -> str:
    """Return an estimate as text, at most ``look.width`` columns wide (a single long word may be wider).

    With ``explain``, the steps of the calculation follow.
    """
    text = _Page(look)
    text.write(prediction, explain=explain)
    return text.text()


class _Page:
    def __init__(self, look: Look) -> None:
        self._look = look
        self._lines: list[str] = []

    def text(self) -> str:
        return "".join(f"{line.rstrip()}\n" for line in self._lines)

    def write(self, prediction: Prediction, *, explain: bool) -> None:
        figures = prediction.figures
        self._lead(prediction)
        self._heading(figures)
        self._range(figures)
        self._breakdown(figures.breakdown)
        self._models(figures)
        self._notes(prediction)
        if explain:
            self._steps(figures)

    def _lead(self, prediction: Prediction) -> None:
        """Write what matters most: the price, the fair range, what it includes, and every warning."""
        figures = prediction.figures
        local, breakdown = figures.local, figures.breakdown
        low, average, high = map(money, (local.low, local.average, local.high))
        self._labeled("Price", f"{average}, usually {low} to {high}", text_style=_BOLD)
        self._labeled("Fair", "a quote in this range, for the same work and before sales tax and shop fees")
        self._labeled(
            "Includes",
            f"{money(breakdown.parts_total)} of parts and {_hours(breakdown.labor_hours)} h of labor for"
            f" {money(breakdown.labor_total)}",
        )
        if figures.red_flag:
            self._labeled("RED FLAG", figures.red_flag_reason or "", style=_RED)
        for warning in prediction.warnings:
            self._labeled("Warning", WARNING_TEXTS.get(warning, warning), style=_BOLD)
        if figures.fit.reason is not None:
            self._labeled("Fit", figures.fit.reason)
        self._gap()

    def _heading(self, figures: Figures) -> None:
        vehicle, problem, region = figures.vehicle, figures.problem, figures.region
        mechanics = facts_line(vehicle.facts) or vehicle.engine
        parts = [vehicle.display_name, mechanics, vehicle.vin and f"VIN {vehicle.vin}"]
        self._labeled("Vehicle", " · ".join(part for part in parts if part))
        self._labeled("Repair", f"{problem.display_name} · {problem.slug}")
        self._labeled("Place", f"{region.zip_code} {region.state}")
        self._labeled("Labor rate", region.labor_rate_text)

    def _range(self, figures: Figures) -> None:
        local = figures.local
        self._gap()
        last = self._look.width - 2
        place = _scale(local.low, local.high, last)
        middle = place(local.average)
        self._across(last, ("LOW", "AVERAGE", "HIGH"), middle)
        self._across(
            last, (money(local.low), money(local.average), money(local.high)), middle, (_DIM, _BOLD, _DIM)
        )
        line = ["├", *("─" * (last - 1)), "┤"]
        line[middle] = "┼"
        self._line(" " + "".join(line))
        marks = _marks([("A", figures.model_a.average), ("B", figures.model_b.average)], place, last)
        if marks:
            self._line(" " + marks)

    def _across(
        self, last: int, texts: Sequence[str], middle: int, styles: Sequence[str] = (_DIM, _DIM, _DIM)
    ) -> None:
        low, average, high = texts
        start = middle - len(average) // 2
        start = max(len(low) + 2, min(start, last + 1 - len(high) - 2 - len(average)))
        gap = last + 1 - len(high) - start - len(average)
        styled = [self._styled(text, style) for text, style in zip(texts, styles, strict=True)]
        self._line(f" {styled[0]}{' ' * (start - len(low))}{styled[1]}{' ' * gap}{styled[2]}")

    def _breakdown(self, breakdown: Breakdown) -> None:
        rows = [
            (line.name, f"{line.quantity} × {money(line.unit_price)}", money(line.total))
            for line in breakdown.parts
        ]
        rows.append(
            (
                "Labor",
                f"{_hours(breakdown.labor_hours)} h × {money(breakdown.labor_rate)}",
                money(breakdown.labor_total),
            )
        )
        total = (
            "Total",
            f"{money(breakdown.parts_total)} parts, {money(breakdown.labor_total)} labor",
            money(breakdown.total),
        )
        self._title("Breakdown")
        self._columns([*rows, total], bold=len(rows))

    def _models(self, figures: Figures) -> None:
        self._title("Models")
        rows = [_model("A", figures.model_a), _model("B", figures.model_b)]
        if figures.ai_average is not None:
            match = "" if figures.match is None else f"match {figures.match:.2f}%"
            rows.append(("Together", match, money(figures.ai_average)))
        self._columns(rows)

    def _columns(self, rows: Sequence[tuple[str, str, str]], *, bold: int | None = None) -> None:
        """Write rows of a name, a remark and an amount in columns; row number ``bold`` is bold, below a rule."""
        name, remark, amount = (max(len(row[column]) for row in rows) for column in range(3))
        room = self._look.width - 2
        is_wide = name + remark + amount + 4 <= room
        for number, (first, second, third) in enumerate(rows):
            if number == bold:
                self._line(f"  {'─' * (name + remark + amount + 4 if is_wide else room)}")
            lines = (
                [f"{first:{name}}  {second:>{remark}}  {third:>{amount}}"]
                if is_wide
                else [*name_with_figures(first, third, room), *(["  " + second] if second else [])]
            )
            for line in lines:
                self._line("  " + (self._styled(line, _BOLD) if number == bold else line))

    def _notes(self, prediction: Prediction) -> None:
        figures = prediction.figures
        self._gap()
        if not figures.red_flag:
            self._labeled("Red flag", "none")
        for step in figures.explanation:
            if step.name == ADJUSTMENT_STEP:
                self._labeled("Adjusted", step.text)
        self._labeled("Based on", "; ".join(_basis(figures)))
        self._labeled(
            "Confidence", f"{figures.local.confidence}% of such estimates come within 25% of the invoice"
        )
        self._labeled("Freshness", _freshness(prediction))

    def _steps(self, figures: Figures) -> None:
        self._title("How this was made")
        for number, step in enumerate(figures.explanation, 1):
            head = f"{number:>3}. "
            lines = _wrapped(step.text, self._look.width - len(head))
            self._line(head + lines[0])
            self._lines.extend(self._encoded(" " * len(head) + line) for line in lines[1:])

    def _title(self, text: str) -> None:
        self._gap()
        self._line(self._styled(text, _BOLD))

    def _labeled(self, label: str, text: str, *, style: str = _DIM, text_style: str = "") -> None:
        lines = _wrapped(text, self._look.width - _LABEL)
        first = self._styled(lines[0], text_style) if text_style else lines[0]
        self._line(self._styled(f"{label:{_LABEL}}", style) + first)
        for line in lines[1:]:
            self._line(" " * _LABEL + line)

    def _gap(self) -> None:
        self._lines.append("")

    def _line(self, text: str) -> None:
        self._lines.append(self._encoded(text))

    def _encoded(self, text: str) -> str:
        if self._look.unicode:
            return text
        return text.translate(_ASCII).encode("ascii", "replace").decode()

    def _styled(self, text: str, style: str) -> str:
        return f"{style}{text}{_OFF}" if self._look.color else text


def _wrapped(text: str, width: int) -> list[str]:
    # A slug or a negative figure must not be broken at its hyphen.
    return WordWrapper(width).wrap(text) or [""]


def _scale(low: Cents, high: Cents, last: int) -> Callable[[Cents], int]:
    """Return a function that maps amounts linearly to columns, with ``low`` at 0 and ``high`` at ``last``."""
    width = max(1, high - low)
    return lambda amount: round((amount - low) / width * last)


def _marks(marks: Sequence[tuple[str, Cents | None]], place: Callable[[Cents], int], last: int) -> str:
    """Return the line of letters under the bar; a letter that is out of range has an arrow toward its place."""
    texts: dict[int, str] = {}
    for letter, amount in marks:
        if amount is None:
            continue
        column = place(amount)
        text = f"< {letter}" if column < 0 else f"{letter} >" if column > last else letter
        at = max(0, min(column, last + 1 - len(text)))
        texts[at] = f"{texts[at]} {text}" if at in texts else text
    line = ""
    for at, text in sorted(texts.items()):
        start = max(at, len(line) + 1) if line else at
        line = f"{line:{start}}{text}"
    return line if len(line) <= last + 1 else f"{line.strip():>{last + 1}}"


def _model(letter: str, model: ModelFigures) -> tuple[str, str, str]:
    name = f"{letter} ({model.source})"
    if model.average is None:
        return name, f"unavailable: {model.unavailable_reason}", "none"
    return name, "" if model.match is None else f"match {model.match:.2f}%", money(model.average)


def _basis(figures: Figures) -> Iterator[str]:
    for basis in figures.local.basis:
        invoices = f" ({basis.invoices:,} invoice{'s' * (basis.invoices != 1)})" if basis.level else ""
        yield f"{basis.weight:g}% {basis.name}{invoices}"


def _freshness(prediction: Prediction) -> str:
    until = f"{prediction.expires_at:%Y-%m-%d %H:%M} UTC"
    if prediction.source is MemorySource.FRESH:
        return f"computed just now, good until {until}"
    return f"cached, {prediction.remaining:.2f}% left, good until {until}"


def _hours(hours: float) -> str:
    return f"{hours:.2f}" if round(hours, 2) == hours else f"{hours:g}"
