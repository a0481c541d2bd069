import pytest

from repaircore.kernel.errors import Conflict
from repaircore.rides.lifecycles import COMPLETING, LIFECYCLES, OFFERS, Action, OfferAction
from repaircore.rides.model import OfferStatus, RideKind, RideOutcome, Status

_RIDE = {
    ("pending", "update"): "pending",
    ("pending", "accept_offer"): "accepted",
    ("pending", "decline_offer"): "pending",
    ("pending", "cancel"): "cancelled",
    ("pending", "call_off"): "cancelled",
    ("pending", "expire"): "expired",
    ("accepted", "update"): "accepted",
    ("accepted", "cancel_accepted"): "cancelled",
    ("accepted", "call_off"): "cancelled",
    ("accepted", "drop_out"): "pending",
    ("accepted", "en_route"): "accepted",
    ("accepted", "change_destination"): "accepted",
    ("accepted", "driver_arrived"): "driver_arrived",
    ("driver_arrived", "update"): "driver_arrived",
    ("driver_arrived", "cancel_accepted"): "cancelled",
    ("driver_arrived", "call_off"): "cancelled",
    ("driver_arrived", "drop_out"): "pending",
    ("driver_arrived", "change_destination"): "driver_arrived",
    ("driver_arrived", "start"): "in_progress",
    ("driver_arrived", "gone_on_arrival"): "completed",
    ("driver_arrived", "unsuccessful"): "completed",
    ("driver_arrived", "convert_to_tow"): "completed",
    ("in_progress", "update"): "in_progress",
    ("in_progress", "change_destination"): "in_progress",
    ("in_progress", "call_off"): "cancelled",
    ("in_progress", "complete"): "completed",
    ("in_progress", "unsuccessful"): "completed",
    ("in_progress", "convert_to_tow"): "completed",
    ("completed", "rate_driver"): "completed",
    ("completed", "link_tow"): "completed",
}
_ONLY_MOBILE = {"decline_offer", "convert_to_tow", "rate_driver", "link_tow"}


def _tow_status(status: str) -> str:
    return status.replace("driver_arrived", "provider_arrived")


_TOW = {
    (_tow_status(status), action): _tow_status(next_status)
    for (status, action), next_status in _RIDE.items()
    if action not in _ONLY_MOBILE
} | {("completed", "rate_business"): "completed"}
_LEGAL = {RideKind.MOBILE: _RIDE, RideKind.TOW: _TOW}
_OTHER_ARRIVED = {RideKind.MOBILE: Status.PROVIDER_ARRIVED, RideKind.TOW: Status.DRIVER_ARRIVED}
_STATES = {kind: [status for status in Status if status is not _OTHER_ARRIVED[kind]] for kind in RideKind}
_PAIRS = [(kind, status, action) for kind in RideKind for status in _STATES[kind] for action in Action]


@pytest.mark.parametrize(("kind", "status", "action"), _PAIRS)
def test_ride_lifecycle_refuses_every_other_action_and_lists_the_allowed_ones(
    kind: RideKind, status: Status, action: Action
) -> None:
    next_status = _LEGAL[kind].get((str(status), str(action)))
    if next_status is not None:
        assert LIFECYCLES[kind].after(status, action) == next_status
        return
    with pytest.raises(Conflict) as caught:
        LIFECYCLES[kind].after(status, action)
    allowed = [pair[1] for pair in _LEGAL[kind] if pair[0] == status]

    assert caught.value.details is not None
    assert caught.value.details["status"] == status
    assert sorted(caught.value.details["allowed"]) == sorted(allowed)


@pytest.mark.parametrize("status", list(OfferStatus))
@pytest.mark.parametrize("action", list(OfferAction))
def test_offer_is_decided_once_and_only_an_accepted_one_can_be_withdrawn(
    status: OfferStatus, action: OfferAction
) -> None:
    legal = status is OfferStatus.OFFERED or (
        status is OfferStatus.ACCEPTED and action is OfferAction.WITHDRAW
    )
    if legal:
        assert OFFERS.after(status, action) is not OfferStatus.OFFERED
    else:
        with pytest.raises(Conflict):
            OFFERS.after(status, action)


def test_every_outcome_has_an_action() -> None:
    assert set(COMPLETING) == set(RideOutcome)
