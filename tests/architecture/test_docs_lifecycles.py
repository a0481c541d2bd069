"""The diagrams of lives are those of the tables that decide."""

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


def drawn(lifecycle: Lifecycle[S, A]) -> list[str]:
    """Draw a table; an action that is named for the state that it leads to needs no name."""
    return [
        f"{state} --> {led_to}" + ("" if str(action) == str(led_to) else f": {action}")
        for state, actions in lifecycle.table.items()
        for action, led_to in actions.items()
    ]


def shown(page: str) -> list[str]:
    (diagram,) = re.findall(r"```mermaid\nstateDiagram-v2\n(.*?)```", (FOLDER / page).read_text(), re.DOTALL)
    return [line.strip() for line in diagram.splitlines()]


DRAWN = {
    "appointment.md": drawn(LIFECYCLE),
    "pickup-progress.md": drawn(PICKUP),
    "mobile-ride.md": drawn(LIFECYCLES[RideKind.MOBILE]),
    "tow-ride.md": drawn(LIFECYCLES[RideKind.TOW]),
    "offer.md": drawn(OFFERS),
    "request.md": drawn(REQUESTS),
    "payment.md": drawn(payments.LIFECYCLE),
    "visit.md": drawn(visits.LIFECYCLE),
}


@pytest.mark.parametrize(("page", "expected"), DRAWN.items(), ids=DRAWN)
def test_diagram_is_drawn_from_the_table(page: str, expected: list[str]) -> None:
    assert shown(page) == expected


def test_every_page_of_a_life_is_drawn_from_a_table() -> None:
    assert {page.name for page in FOLDER.glob("*.md")} - {"README.md"} == DRAWN.keys()
