"""Validation of a quote that needs lookups, or several fields together."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from attrs import frozen

from repaircore.kernel.rules import FieldErrors, sentence
from repaircore.predictions.validation import NO_SUCH_PROBLEM, validate_vin, validate_zip
from repaircore.quote_text.kinds import LineKind
from repaircore.quotes.quote import SPECS

_CHARGES: Final = frozenset(LineKind) - {LineKind.REPAIR, LineKind.PART}


@frozen(kw_only=True)
class QuoteLookups:
    """The lookups: which ZIP codes are in use, and the ids of repairs by id or slug."""

    is_zip_in_use: Callable[[str], bool]
    find_problem_id: Callable[[str], int | None]


def quote_errors(data: Mapping[str, Any], good: Mapping[str, Any], lookups: QuoteLookups) -> FieldErrors:
    """Return the errors in a quote that only lookups, or several fields together, reveal.

    ``good`` are the well-typed fields. Lines are validated as they were sent, so that one bad field does not hide other
    errors.
    """
    errors: FieldErrors = {}
    for name, predicate in (*_vehicle_errors(data), *_content_errors(data)):
        errors.setdefault(name, []).append(sentence(name, predicate))
    if good.get("vin") is not None and (of_vin := validate_vin(good["vin"])):
        errors["vin"] = of_vin
    if good.get("zip_code") is not None and (of_zip := validate_zip(good["zip_code"], lookups.is_zip_in_use)):
        errors["zip_code"] = of_zip
    lines = data.get("lines")
    for number, line in enumerate(lines if isinstance(lines, list) else ()):
        for name, predicate in _line_errors(line, lookups) if isinstance(line, dict) else ():
            path = f"lines.{number}.{name}"
            errors[path] = [sentence(path, predicate)]
    return errors


def _vehicle_errors(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    if data.get("vin") is not None:
        return
    missing = [name for name in SPECS if data.get(name) is None]
    if len(missing) == len(SPECS):
        yield "vin", "is required unless year, make and model are given"
    else:
        for name in missing:
            yield name, "is required without a VIN"


def _content_errors(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    has_lines, has_text = data.get("lines") is not None, data.get("text") is not None
    if has_lines and has_text:
        yield "text", "must not be sent together with lines"
    if not has_lines and not has_text:
        yield "lines", "is required unless the text of the quote is given"


def _line_errors(line: Mapping[str, Any], lookups: QuoteLookups) -> Iterator[tuple[str, str]]:
    identifier, description, kind = line.get("problem_identifier"), line.get("description"), line.get("kind")
    if identifier is None and description is None and kind not in _CHARGES:
        yield "problem_identifier", "or a description is required"
    if isinstance(identifier, str) and lookups.find_problem_id(identifier) is None:
        yield "problem_identifier", NO_SUCH_PROBLEM
    if isinstance(description, str) and not description.strip():
        yield "description", "must not be empty"
    yield from _amount_errors(line, kind)


def _amount_errors(line: Mapping[str, Any], kind: object) -> Iterator[tuple[str, str]]:
    parts, total = line.get("parts_total"), line.get("total")
    if not isinstance(total, int | float) or isinstance(total, bool):
        return
    if kind == LineKind.DISCOUNT and total >= 0:
        yield "total", "must be less than 0 for a discount"
    elif abs(total) < _LEAST_DOLLARS or (total < 0 and not _may_be_discount(line)):
        yield "total", "must be at least 0.01; only a discount can be negative"
    if isinstance(parts, int | float) and parts > max(total, 0):
        yield "parts_total", "must not be greater than the total"


_LEAST_DOLLARS: Final = 0.005


def _may_be_discount(line: Mapping[str, Any]) -> bool:
    kind = line.get("kind")
    return kind == LineKind.DISCOUNT or (kind is None and line.get("problem_identifier") is None)
