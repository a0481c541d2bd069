"""The state diagrams in the documentation match the lifecycle tables."""

import re
from enum import StrEnum
from pathlib import Path
from typing import TypeVar

import pytest

from repaircore.appointments.lifecycle import LIFECYCLE, PICKUP
from repaircore.dispatch.lifecycle import REQUESTS
from repaircore.kernel.lifecycle import Lifecycle
from repaircore.payments import lifecycle as payments
from repaircore.rides.lifecycles import LIFECYCLES, OFFERS
from repaircore.rides.model import RideKind
from repaircore.visits import lifecycle as visits

FOLDER = Path(__file__).parents[2] / "docs" / "lifecycles"

S = TypeVar("S", bound=StrEnum)
A = TypeVar("A", bound=StrEnum)


def diagram_of(lifecycle: Lifecycle[S, A]) -> list[str]:
    """Return the transitions of a table in diagram syntax; an action named after its target state has no label."""
    return [
        f"{state} --> {led_to}" + ("" if str(action) == str(led_to) else f": {action}")
        for state, actions in lifecycle.table.items()
        for action, led_to in actions.items()
    ]


def diagram_in(page: str) -> list[str]:
    (diagram,) = re.findall(r"```mermaid\nstateDiagram-v2\n(.*?)```", (FOLDER / page).read_text(), re.DOTALL)
    return [line.strip() for line in diagram.splitlines()]


DIAGRAMS = {
    "appointment.md": diagram_of(LIFECYCLE),
    "pickup-progress.md": diagram_of(PICKUP),
    "mobile-ride.md": diagram_of(LIFECYCLES[RideKind.MOBILE]),
    "tow-ride.md": diagram_of(LIFECYCLES[RideKind.TOW]),
    "offer.md": diagram_of(OFFERS),
    "request.md": diagram_of(REQUESTS),
    "payment.md": diagram_of(payments.LIFECYCLE),
    "visit.md": diagram_of(visits.LIFECYCLE),
}


@pytest.mark.parametrize(("page", "expected"), DIAGRAMS.items(), ids=DIAGRAMS)
def test_diagram_matches_the_table(page: str, expected: list[str]) -> None:
    assert diagram_in(page) == expected


def test_every_lifecycle_page_has_a_table() -> None:
    assert {page.name for page in FOLDER.glob("*.md")} - {"README.md"} == DIAGRAMS.keys()
