from datetime import timedelta
from typing import Any

import pytest
from attrs import evolve
from tests.unit.rides.examples import AT, FARE

from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Invalid
from repaircore.kernel.geo import Point
from repaircore.rides.fares import HONORED_FOR, Quote, require_honored
from repaircore.rides.model import RideKind

_QUOTE = Quote(
    partner_id=1,
    environment=Environment.TEST,
    kind=RideKind.MOBILE,
    service="towing",
    pickup=Point(34, -118),
    dropoff=Point(35, -118),
    fare=FARE,
    expires_at=AT + HONORED_FOR,
)


def test_quote_is_honored_until_it_expires() -> None:
    current = evolve(_QUOTE, fare=evolve(FARE, total=99_999))

    assert require_honored(_QUOTE, current, at=AT + HONORED_FOR - timedelta(seconds=1)) == FARE

    with pytest.raises(Invalid) as caught:
        require_honored(_QUOTE, current, at=AT + HONORED_FOR)

    assert "expired" in caught.value.message


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"service": "tire_change"}, "the service differs"),
        ({"pickup": Point(34.1, -118)}, "the pickup differs"),
        ({"pickup": Point(1, 1), "dropoff": Point(1, 1)}, "the pickup and the dropoff differ"),
    ],
)
def test_quote_for_another_trip_says_what_differs(changed: dict[str, Any], sentence: str) -> None:
    with pytest.raises(Invalid) as caught:
        require_honored(_QUOTE, evolve(_QUOTE, **changed), at=AT)

    assert sentence in caught.value.message


@pytest.mark.parametrize(
    "others", [{"partner_id": 2}, {"environment": Environment.LIVE}, {"kind": RideKind.TOW}]
)
def test_quote_of_another_partner_or_kind_is_refused(others: dict[str, Any]) -> None:
    for quote in (None, evolve(_QUOTE, **others)):
        with pytest.raises(Invalid) as caught:
            require_honored(quote, _QUOTE, at=AT)
        assert list(caught.value.fields) == ["estimate_id"]
