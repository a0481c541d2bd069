"""The views of a ride: its payment, its provider and what the partner stored with it."""

from typing import Any

import pytest
from tests.unit.payments.payments import make_payment
from tests.unit.rides.examples import make_ride

from repaircore.payments.model import LAPSED, Payment, PaymentState
from repaircore.rides.model import DispatchStatus, ProviderCard, RideKind, Status
from repaircore.rides.views import RidePaymentView, RideProviderView, ride_view, status_view

HELD = make_payment(PaymentState.AUTHORIZED, amount=5_000)
DECLINED = make_payment(PaymentState.DECLINED, amount=7_000)


def added(state: PaymentState, amount: int = 300, **fields: Any) -> Payment:
    return make_payment(state, part=1, amount=amount, **fields)


@pytest.mark.parametrize(
    ("payments", "expected"),
    [
        ([], None),
        ([HELD], ("authorized", 50.0, 0.0, 0.0)),
        ([DECLINED], ("declined", 70.0, 0.0, 0.0)),
        ([DECLINED, HELD], ("authorized", 50.0, 0.0, 0.0)),
        ([HELD, DECLINED], ("authorized", 50.0, 0.0, 0.0)),
        ([HELD, added(PaymentState.AUTHORIZED)], ("authorized", 53.0, 0.0, 0.0)),
        ([HELD, added(PaymentState.DECLINED)], ("authorized", 50.0, 0.0, 0.0)),
        ([HELD, added(PaymentState.VOIDED, reason="unused")], ("authorized", 50.0, 0.0, 0.0)),
        ([HELD, added(PaymentState.VOIDED, reason=LAPSED)], ("authorized", 53.0, 0.0, 0.0)),
        ([added(PaymentState.AUTHORIZED), HELD], ("authorized", 50.0, 0.0, 0.0)),
        (
            [
                make_payment(PaymentState.CAPTURED, amount=5_000, captured=4_000),
                added(PaymentState.CAPTURED, captured=200),
            ],
            ("captured", 53.0, 42.0, 0.0),
        ),
        (
            [
                make_payment(PaymentState.REFUNDED, amount=5_000, captured=5_000, refunded=1_000),
                added(PaymentState.REFUNDED, captured=300, refunded=100),
            ],
            ("refunded", 53.0, 53.0, 11.0),
        ),
    ],
)
def test_payment_includes_what_was_added_for_another_destination(
    payments: list[Payment], expected: tuple[str, float, float, float] | None
) -> None:
    view = RidePaymentView.of(payments)

    assert (
        None if view is None else (str(view.status), view.amount, view.captured, view.refunded)
    ) == expected


@pytest.mark.parametrize("metadata", [None, {"claim": "42"}])
def test_ride_has_its_metadata(metadata: dict[str, str] | None) -> None:
    assert ride_view(make_ride(service="battery_jump_start", metadata=metadata)).metadata == (metadata or {})


@pytest.mark.parametrize("kind", RideKind)
@pytest.mark.parametrize(
    ("status", "dispatch", "is_shown"),
    [
        (Status.PENDING, DispatchStatus.ASKING, True),
        (Status.PENDING, None, False),
        (Status.ACCEPTED, DispatchStatus.ASKING, False),
    ],
)
def test_dispatch_is_shown_while_a_ride_is_pending(
    kind: RideKind, status: Status, dispatch: DispatchStatus | None, *, is_shown: bool
) -> None:
    view = status_view(make_ride(kind=kind, status=status, dispatch=dispatch))

    assert (view.dispatch is not None) is is_shown


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"status": Status.ACCEPTED, "provider_name": "Ann"}, ("Ann", "+13105550123", "white Ford")),
        ({"status": Status.ACCEPTED}, ("drv_1", "+13105550123", "white Ford")),
        ({"status": Status.COMPLETED, "provider_name": "Ann"}, ("Ann", None, "white Ford")),
        ({"status": Status.ACCEPTED, "provider_card": None}, ("drv_1", None, None)),
    ],
)
def test_provider_has_a_phone_while_the_ride_is_under_way(
    fields: dict[str, Any], expected: tuple[str, str | None, str | None]
) -> None:
    card = ProviderCard(phone="+13105550123", vehicle="white Ford")
    view = RideProviderView.of(make_ride(**{"provider_ref": "drv_1", "provider_card": card, **fields}))

    assert view is not None
    assert (view.name, view.phone, view.vehicle) == expected
    assert RideProviderView.of(make_ride()) is None
