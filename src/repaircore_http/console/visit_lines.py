"""The lines of the visit form: read them from its fields, and add, move and remove lines.

Fields and errors are named as in JSON (``lines.0.price``).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import evolve, frozen

from repaircore.book.model import Problem
from repaircore.problems.fusion import SearchHit
from repaircore.visits.model import MOST_LINES, LineKind, PricedLine
from repaircore_http.console.estimate_form import find_repair, repair_error, typed_text
from repaircore_http.console.forms import form_if_any
from repaircore_http.console.repairs import OFFERED
from repaircore_http.console.visit_texts import dollars_text, number_in, shown_text
from repaircore_http.core import core

TEXTS: Final = (
    "id",
    "problem_identifier",
    "kind",
    "description",
    "parts_tier",
    "quantity",
    "price",
    "labor_hours",
)
"""The fields of a line."""

FULL: Final = f"A visit has at most {MOST_LINES} lines. Remove one before you add another."

_NUMBERS: Final = frozenset({"id", "quantity", "price", "labor_hours"})
_FIELD: Final = re.compile(r"lines\.(\d{1,3})\.(\w{1,30})", re.ASCII)
_STEP: Final = re.compile(r"(up|down|remove)-(\d{1,3})", re.ASCII)
_OWN_KINDS: Final = frozenset({LineKind.PART.value, LineKind.LABOR.value, LineKind.FEE.value})
_LONGEST_WORDS: Final = 500


@frozen(kw_only=True)
class FormLine:
    """A line in the form: the text of each field, and the name of its repair, or None."""

    texts: Mapping[str, str]
    name: str | None

    @classmethod
    def of_repair(cls, problem: Problem) -> "FormLine":
        """Return a new line for a repair."""
        return cls(texts={"problem_identifier": problem.slug}, name=problem.display_name)

    @property
    def is_repair(self) -> bool:
        """Return whether the line is a repair in the book."""
        return self.name is not None

    @property
    def title(self) -> str:
        """Return what to call the line on the page."""
        return self.name or self.text("description") or "this line"

    def text(self, field: str) -> str:
        """Return the text of a field."""
        return self.texts.get(field, "")

    def without_id(self) -> "FormLine":
        """Return the line as a new one, without its id."""
        return evolve(self, texts={name: text for name, text in self.texts.items() if name != "id"})

    def to_json(self) -> dict[str, Any]:
        """Return the line as the JSON object that the API accepts; empty fields are left out."""
        texts = {name: text for name, text in self.texts.items() if text}
        return {name: number_in(text) if name in _NUMBERS else text for name, text in texts.items()}


@frozen(kw_only=True)
class FormLines:
    """The lines after a button was pressed, the words that were not turned into a line, and what they may mean.

    ``focus`` is the id of the field or button to focus next.
    """

    lines: Sequence[FormLine]
    words: str = ""
    word_errors: Sequence[str] = ()
    matches: Sequence[SearchHit] = ()
    focus: str = ""


def read_lines() -> FormLines:
    """Return the lines of the form after its button was applied, which may add, move or remove one."""
    lines, step = [*_sent_lines()], typed_text("step")
    words = typed_text("problem")
    moved = _STEP.fullmatch(step)
    if moved is not None and int(moved[2]) < len(lines):
        return evolve(_moved(lines, moved[1], int(moved[2])), words=words)
    kind = step.removeprefix("own-")
    if step == f"own-{kind}" and kind in _OWN_KINDS:
        return evolve(_with_own(lines, kind), words=words)
    if words:
        return _with_repair(lines, words)
    return FormLines(lines=lines, focus=_FOCUS_OF.get(step, ""))


_FOCUS_OF: Final = {"add": "problem", "choices": "make"}


def lines_of(problems: Sequence[str]) -> Sequence[FormLine]:
    """Return new lines for the repairs with these ids or slugs; unknown and repeated ones are left out."""
    found = [core().problems.find(identifier) for identifier in problems[:MOST_LINES]]
    return [*{each.id: FormLine.of_repair(each) for each in found if each is not None}.values()]


def line_of(line: PricedLine) -> FormLine:
    """Return a stored line as a line of the form."""
    requested = line.requested
    values = {
        "id": requested.id,
        "problem_identifier": line.problem_slug,
        "kind": None if line.problem_slug else requested.kind.value,
        "description": requested.description,
        "parts_tier": None if requested.parts_tier is None else requested.parts_tier.value,
        "quantity": requested.quantity,
        "price": dollars_text(requested.price),
        "labor_hours": requested.hours,
    }
    return FormLine(
        texts={name: shown_text(value) for name, value in values.items() if value is not None},
        name=line.description if line.problem_slug else None,
    )


def _sent_lines() -> Iterator[FormLine]:
    sent = form_if_any()
    found: dict[int, dict[str, str]] = {}
    for name in () if sent is None else sent.texts:
        matched = _FIELD.fullmatch(name)
        if matched is not None and matched[2] in TEXTS and sent is not None:
            found.setdefault(int(matched[1]), {})[matched[2]] = sent.text(name).strip()
    book = {problem.slug: problem.display_name for problem in core().problems.list_all()}
    for place in sorted(found):
        texts = found[place]
        identifier = texts.get("problem_identifier", "")
        yield FormLine(texts=texts, name=book.get(identifier) or _name_of(identifier))


def _name_of(identifier: str) -> str | None:
    repair = core().problems.find(identifier)
    return None if repair is None else repair.display_name


def _moved(lines: list[FormLine], action: str, place: int) -> FormLines:
    line = lines.pop(place)
    if action == "remove":
        focus = f"remove-{min(place, len(lines) - 1)}" if lines else "problem"
        return FormLines(lines=lines, focus=focus)
    to = max(place - 1, 0) if action == "up" else min(place + 1, len(lines))
    lines.insert(to, line)
    # At the first or last place the pressed button is disabled; the other one can move the line back.
    end = {"up": 0, "down": len(lines) - 1}[action]
    other = {"up": "down", "down": "up"}[action]
    return FormLines(lines=lines, focus=f"{other if to == end else action}-{to}")


def _with_own(lines: list[FormLine], kind: str) -> FormLines:
    if len(lines) >= MOST_LINES:
        return FormLines(lines=lines, word_errors=[FULL], focus="problem")
    lines.append(FormLine(texts={"kind": kind}, name=None))
    return FormLines(lines=lines, focus=f"lines.{len(lines) - 1}.description")


def _with_repair(lines: list[FormLine], words: str) -> FormLines:
    repair = find_repair()
    kept = FormLines(lines=lines, words=words, focus="problem")
    if len(lines) >= MOST_LINES:
        return evolve(kept, word_errors=[FULL])
    if repair is None:
        return evolve(kept, word_errors=[repair_error()], matches=_matches(words))
    before = [place for place, line in enumerate(lines, start=1) if line.name == repair.display_name]
    if before:
        error = f"{repair.name} is already on line {before[0]}. Increase its quantity there."
        return evolve(kept, word_errors=[error])
    lines.append(FormLine.of_repair(repair))
    return FormLines(lines=lines, focus="problem")


def _matches(words: str) -> Sequence[SearchHit]:
    problems = core().problems
    words = words[:_LONGEST_WORDS]
    return problems.search(words, limit=OFFERED) if problems.can_search(words) else []
