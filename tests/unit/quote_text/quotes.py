"""The made-up quotes of ``tests/data/quotes`` with their expected lines."""

import json
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from attrs import frozen

from repaircore.kernel.money import Cents, cents
from repaircore.quote_text.kinds import LineKind

FOLDER = Path(__file__).parents[2] / "data" / "quotes"


@frozen(kw_only=True)
class ExpectedLine:
    """A line as it should be read; ``repair`` is None where its words do not clearly name one."""

    kind: LineKind
    total: Cents
    repair: str | None
    parts: Cents | None
    hours: float | None
    rate: Cents | None
    quantity: int | None


@frozen(kw_only=True)
class SampleQuote:
    """A quote's text and its lines; ``meets``: they add up to the total that it states."""

    name: str
    text: str
    lines: tuple[ExpectedLine, ...]
    meets: bool


def sample_quotes(half: str) -> list[SampleQuote]:
    return [_quote(path) for path in sorted((FOLDER / half).glob("*.txt"))]


@frozen(kw_only=True)
class VoicedQuote:
    """A quote in the words of a dealer, of an independent shop or of a chain, and its lines."""

    name: str
    text: str
    lines: tuple[ExpectedLine, ...]


def voiced_quotes(*, without: Collection[str]) -> list[VoicedQuote]:
    """Return those of the tuning half, without some."""
    return [
        VoicedQuote(
            name=data["id"],
            text=data["text"],
            lines=tuple(_voiced_line(line) for line in data["lines"] if line["amount"]),
        )
        for data in json.loads((FOLDER / "voices" / "tuning.json").read_text("utf-8"))
        if data["id"] not in without
    ]


_VOICED_KINDS = {"labor": LineKind.REPAIR, "other": LineKind.FEE}


def _voiced_line(data: Mapping[str, Any]) -> ExpectedLine:
    return ExpectedLine(
        kind=_VOICED_KINDS.get(data["kind"]) or LineKind(data["kind"]),
        total=cents(data["amount"]),
        repair=None,
        parts=None if data["parts"] is None else cents(data["parts"]),
        hours=data["hours"],
        rate=None,
        quantity=None,
    )


def _quote(path: Path) -> SampleQuote:
    text, _, rest = path.read_text("utf-8").partition("=== expected\n")
    lines, _, meets = rest.partition("=== meets\n")
    return SampleQuote(
        name=path.stem,
        text=text,
        lines=tuple(_line(line) for line in lines.splitlines()),
        meets=meets.strip() == "yes",
    )


def _line(text: str) -> ExpectedLine:
    kind, total, *rest = text.split()
    figures = dict(word.split("=") for word in rest if "=" in word)
    repairs = [word for word in rest if "=" not in word and word != "-"]
    return ExpectedLine(
        kind=LineKind(kind),
        total=cents(float(total)),
        repair=repairs[0] if repairs else None,
        parts=cents(float(figures["parts"])) if "parts" in figures else None,
        hours=float(figures["hours"]) if "hours" in figures else None,
        rate=cents(float(figures["rate"])) if "rate" in figures else None,
        quantity=int(figures["qty"]) if "qty" in figures else None,
    )
