"""Validate the fields of a visit that need lookups or depend on each other."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from attrs import frozen

from repaircore.kernel.rules import FieldErrors, sentence
from repaircore.predictions.validation import NO_SUCH_PROBLEM, validate_tier, validate_vin, validate_zip
from repaircore.visits.model import LineKind

_SPECS: Final = ("year", "make", "model")
_OF_OWN_LINES: Final = ("price", "labor_hours")


@frozen(kw_only=True)
class VisitChecks:
    """Validates a visit with lookups; ``find_problem`` returns the id of a repair, or None."""

    find_problem: Callable[[str], int | None]
    is_zip_in_use: Callable[[str], bool]

    def errors(self, data: Mapping[str, Any]) -> FieldErrors:
        """Return the errors in the fields of a request; fields of a wrong type are skipped."""
        found: FieldErrors = {}
        for path, predicate in (*self._vehicle(data), *self._charges(data), *self._lines(data.get("lines"))):
            found.setdefault(path, []).append(sentence(path, predicate))
        for name, check in (("vin", validate_vin), ("zip_code", self._zip)):
            value = data.get(name)
            if isinstance(value, str) and (sentences := check(value)):
                found[name] = sentences
        return found

    def _zip(self, zip_code: str) -> list[str]:
        return validate_zip(zip_code, self.is_zip_in_use)

    @staticmethod
    def _vehicle(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        if data.get("vin") is not None:
            return
        missing = [name for name in _SPECS if data.get(name) is None]
        if len(missing) == len(_SPECS):
            yield "vin", "or a year, make and model is required"
        else:
            for name in missing:
                yield name, "is required without a VIN"

    @staticmethod
    def _charges(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        supplies, discount = data.get("shop_supplies"), data.get("discount")
        if isinstance(supplies, Mapping) and supplies.get("amount") is not None:
            for name in ("percent", "cap"):
                if supplies.get(name) is not None:
                    yield f"shop_supplies.{name}", "must not be given with an amount"
        if isinstance(discount, Mapping):
            given = [name for name in ("percent", "amount") if discount.get(name) is not None]
            if not given:
                yield "discount.percent", "or an amount is required"
            elif len(given) > 1:
                yield "discount.amount", "must not be given with a percent"

    def _lines(self, lines: object) -> Iterator[tuple[str, str]]:
        problems: dict[int, int] = {}
        ids: dict[object, int] = {}
        for place, line in enumerate(lines if isinstance(lines, Sequence) else ()):
            if not isinstance(line, Mapping):
                continue
            for name, predicate in self._line(line, place, problems):
                yield f"lines.{place}.{name}", predicate
            number = line.get("id")
            if type(number) is int and ids.setdefault(number, place) != place:
                yield f"lines.{place}.id", f"is already the id of line {ids[number] + 1}"

    def _line(
        self, line: Mapping[str, Any], place: int, problems: dict[int, int]
    ) -> Iterator[tuple[str, str]]:
        identifier, kind = line.get("problem_identifier"), line.get("kind")
        if identifier is None and kind != LineKind.REPAIR:
            yield from _own_line_errors(line, kind)
            return
        if identifier is None:
            yield "problem_identifier", "is required"
        if kind not in {None, LineKind.REPAIR} and isinstance(kind, str):
            yield "kind", "must be repair or omitted on a line with a problem identifier"
        for name in _OF_OWN_LINES:
            if line.get(name) is not None:
                yield name, "is only allowed on custom lines"
        if tier_errors := validate_tier(line.get("parts_tier")):
            yield "parts_tier", tier_errors[0].removeprefix("The parts tier field ").removesuffix(".")
        if isinstance(identifier, str):
            yield from self._problem_errors(identifier, place, problems)

    def _problem_errors(
        self, identifier: str, place: int, problems: dict[int, int]
    ) -> Iterator[tuple[str, str]]:
        problem_id = self.find_problem(identifier)
        if problem_id is None:
            yield "problem_identifier", NO_SUCH_PROBLEM
        elif problems.setdefault(problem_id, place) != place:
            yield (
                "problem_identifier",
                f"is already on line {problems[problem_id] + 1}; increase the quantity there",
            )


def _own_line_errors(line: Mapping[str, Any], kind: object) -> Iterator[tuple[str, str]]:
    description = line.get("description")
    if description is None or (isinstance(description, str) and not description.strip()):
        yield "description", "or a repair is required"
    if line.get("parts_tier") is not None:
        yield "parts_tier", "is only allowed for a repair"
    price, hours = line.get("price"), line.get("labor_hours")
    if hours is not None and kind != LineKind.LABOR:
        yield "labor_hours", "is only allowed for labor"
    elif hours is not None and price is not None:
        yield "labor_hours", "must not be given with a price"
    if price is None and hours is None:
        yield "price", "is required"
