"""The page of errors lists the existing kinds, codes and statuses."""

import importlib
import pkgutil
import re
from collections.abc import Iterator

from tests.docs.examples import ROOT

import repaircore
from repaircore.kernel import errors
from repaircore.kernel.errors import Conflict, Failure, Invalid, TooMany
from repaircore_http.document.error_responses import ERROR_SHAPES
from repaircore_http.errors import Dialect, internal_error, to_error_reply
from repaircore_http.partner.dialect import partner

_PAGE = (ROOT / "docs" / "reference" / "errors.md").read_text(encoding="utf-8")
_MAIN, _PARTNER, _LIBRARY = re.split(r"^## .*$", _PAGE, flags=re.MULTILINE)
_KINDS = {kind.__name__ for kind in Failure.__subclasses__() if kind.__module__ == errors.__name__}


def _leaves() -> Iterator[type[Failure]]:
    for found in pkgutil.walk_packages(repaircore.__path__, "repaircore."):
        if found.name.endswith(".errors"):
            importlib.import_module(found.name)
    waiting = list(Failure.__subclasses__())
    while waiting:
        kind = waiting.pop()
        yield kind
        waiting += kind.__subclasses__()


def _examples() -> list[Failure]:
    special = {Invalid: Invalid({"vin": ["It is too short."]}), TooMany: TooMany(3)}
    kinds: list[type[Failure]] = [getattr(errors, name) for name in sorted(_KINDS)]
    return [special.get(kind) or kind("It cannot be done.") for kind in kinds]


def _statuses(table: str) -> set[int]:
    firsts = re.findall(r"^\| ([\d, ]+) \|", table, re.MULTILINE)
    return {int(status) for result in firsts for status in result.split(", ")}


def _statuses_of(dialect: Dialect) -> set[int]:
    refused = [to_error_reply(failure, "id") or internal_error("id") for failure in _examples()]
    return {dialect(refusal)[0] for refusal in [*refused, internal_error("id")]}


def test_page_lists_every_kind_of_failure() -> None:
    named = set(re.findall(r"`([A-Z]\w+)`", _LIBRARY.partition("```")[0]))
    assert named >= _KINDS


def test_page_lists_every_code() -> None:
    codes = {kind.code for kind in _leaves() if kind.code is not None}
    assert len(codes) >= 5
    assert {code for code in codes if f"`{code}`" not in _PAGE} == set()


def test_page_lists_only_existing_codes() -> None:
    codes = {kind.code for kind in _leaves()} | {"SERVICE_UNAVAILABLE"}
    assert set(re.findall(r"`([A-Z]+(?:_[A-Z]+)+)`", _MAIN)) <= codes


def test_page_lists_the_statuses_of_failures() -> None:
    for dialect in ERROR_SHAPES:
        table = _PARTNER if dialect is partner else _MAIN
        assert _statuses_of(dialect) <= _statuses(table)


def test_partner_answers_have_the_codes_of_the_page() -> None:
    rows = re.findall(r"^\| ([\d, ]+) \| `(\w+)` \|", _PARTNER, re.MULTILINE)
    fields = {int(status): code for statuses, code in rows for status in statuses.split(", ")}
    for failure in [*_examples(), Conflict("It is over.")]:
        refusal = to_error_reply(failure, "id")
        assert refusal is not None
        status, body = partner(refusal)
        assert fields[status] == body["error"]["code"]
    status, body = partner(internal_error("id"))
    assert fields[status] == body["error"]["code"]
