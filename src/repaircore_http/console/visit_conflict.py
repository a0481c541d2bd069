"""Two writers of one visit: what the second one typed, next to what the first one saved."""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.documents.wording import TIERS
from repaircore.visits.model import Visit
from repaircore_http.console.visit_form import LABELS, VisitForm, form_of, sent_texts, texts_of
from repaircore_http.console.visit_lines import FormLine

_PARTS: Final[Mapping[str, str]] = {
    "": "Usual parts",
    **{tier.value: label for tier, label in TIERS.items()},
}
_ORDER: Final = "Order of the lines"
_NUMBER: Final = re.compile(r"\d{1,8}(\.\d{0,2})?", re.ASCII)


@frozen(kw_only=True)
class Difference:
    """A field or line that differs: what was typed, and what is saved, each "" if there is nothing."""

    label: str
    typed: str
    saved: str


def differences(shown: VisitForm, visit: Visit, *, is_taxed: bool) -> Sequence[Difference]:
    """Return where a form differs from the stored visit: fields first, then lines in the order of the form."""
    stored = form_of(visit)
    return [
        *_fields(sent_texts(), texts_of(visit)),
        *_tax(typed=is_taxed, saved=visit.estimate.charges.taxed),
        *_lines(shown.lines, stored.lines),
    ]


def _fields(typed: Mapping[str, str], saved: Mapping[str, str]) -> Iterator[Difference]:
    for name, label in LABELS.items():
        mine, theirs = typed.get(name, ""), saved.get(name, "")
        if _plain(mine) != _plain(theirs):
            yield Difference(label=label, typed=mine, saved=theirs)


def _tax(*, typed: bool, saved: bool) -> Iterator[Difference]:
    if typed != saved:
        words = {True: "added", False: "left out"}
        yield Difference(label="Sales tax", typed=words[typed], saved=words[saved])


def _lines(typed: Sequence[FormLine], saved: Sequence[FormLine]) -> Iterator[Difference]:
    theirs = {_key(line): line for line in saved}
    mine = {_key(line): line for line in typed}
    for key, line in mine.items():
        before = theirs.get(key)
        if before is None or _described(before) != _described(line):
            yield Difference(
                label=line.title, typed=_described(line), saved="" if before is None else _described(before)
            )
    for key, line in theirs.items():
        if key not in mine:
            yield Difference(label=line.title, typed="", saved=_described(line))
    common = [key for key in mine if key in theirs]
    if common != [key for key in theirs if key in mine]:
        yield Difference(
            label=_ORDER, typed=_titles(mine, common), saved=_titles(theirs, theirs.keys() & mine)
        )


def _titles(lines: Mapping[str, FormLine], keys: "Sequence[str] | set[str]") -> str:
    return ", ".join(line.title.rpartition(" > ")[2] for key, line in lines.items() if key in keys)


def _key(line: FormLine) -> str:
    """Return the key of a line: its repair, which a visit has only once, or else its id, or its title if it is new."""
    identifier = line.text("problem_identifier")
    return (
        f"repair {line.name}"
        if identifier
        else f"line {line.text('id')} {'' if line.text('id') else line.title}"
    )


def _described(line: FormLine) -> str:
    quantity = line.text("quantity") or "1"
    several = "" if quantity == "1" else f"{quantity} × "
    if line.is_repair:
        parts = _PARTS.get(line.text("parts_tier"), line.text("parts_tier"))
        return f"{several}{parts}"
    price, hours = line.text("price").removeprefix("$"), line.text("labor_hours")
    texts = [
        f"{several}{line.text('description')}",
        line.text("kind"),
        f"${_plain(price)}{' each' if several else ''}" if price else "",
        f"{hours} hours" if hours else "",
    ]
    return " · ".join(filter(None, texts))


def _plain(text: str) -> str:
    """Normalize ``text`` for comparison: ``84,000`` is 84000, ``$25.5`` is 25.50, and a line break is a space."""
    number = text.removeprefix("$").replace(",", "").strip()
    if _NUMBER.fullmatch(number):
        amount = float(number)
        return f"{amount:.0f}" if amount.is_integer() else f"{amount:.2f}"
    return " ".join(text.split())
