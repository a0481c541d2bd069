"""The page on the partner API lists every operation and which of them can be repeated safely."""

import csv
import re
from pathlib import Path

import pytest

from repaircore.adapters.shipped.fares import read_fares
from repaircore.rides.model import CancelReason, RideOutcome, Scenario

REFERENCE = Path(__file__).parents[2] / "docs" / "reference"
PAGE = (REFERENCE / "partner-api.md").read_text("utf-8")
FARES = (REFERENCE / "fares.md").read_text("utf-8")
HOWTO = (REFERENCE.parent / "howto" / "order-a-ride.md").read_text("utf-8")
_PREFIX = "/api/v1/partner"


def operations() -> list[tuple[str, bool]]:
    with (REFERENCE / "endpoints.csv").open(newline="", encoding="utf-8") as file:
        return [
            (f"{line['method']} {line['path'].removeprefix(_PREFIX)}", line["idempotent"] == "yes")
            for line in csv.DictReader(file)
            if line["path"].startswith(_PREFIX)
        ]


def test_page_lists_every_operation() -> None:
    result = re.findall(r"`((?:GET|POST|PATCH|DELETE) /[^`]*)`( ●)?", PAGE)
    assert sorted((name, bool(mark)) for name, mark in result) == sorted(operations())


@pytest.mark.parametrize("words", [CancelReason, RideOutcome], ids=lambda one: one.__name__)
def test_page_lists_every_value_of_an_enum(words: type[CancelReason] | type[RideOutcome]) -> None:
    assert [word for word in words if f"`{word}`" not in PAGE] == []


def test_fare_table_matches_the_shipped_fares() -> None:
    result = re.findall(
        r"^\| `([\w-]+)` \| \$(\d+) \| \$([\d.]+) \| (\d+) miles \| \$(\d+) \|$", FARES, re.MULTILINE
    )
    assert {name: tuple(map(float, figures)) for name, *figures in result} == {
        name: (one.base / 100, one.per_mile / 100, one.included_miles, one.minimum / 100)
        for name, one in read_fares().services.items()
    }


def test_howto_lists_every_sandbox_scenario() -> None:
    assert set(re.findall(r"^\| `(\w+)` \| [^h]", HOWTO, re.MULTILINE)) == set(map(str, Scenario))
