"""The trip that a provider knew before the customer changed it."""

from datetime import datetime, timedelta

from attrs import evolve
from tests.unit.dispatch.test_waves import NOW, request

from repaircore.dispatch.jobs import PreviousTerms, previous_terms
from repaircore.dispatch.model import DispatchRequest, RequestStatus
from repaircore.kernel.geo import Point
from repaircore.kernel.timeline import Step
from repaircore.rides.lifecycles import Action
from repaircore.rides.model import PreviousTrip

MINUTE = timedelta(minutes=1)
FIRST = evolve(request("a", RequestStatus.CLOSED, "old"), id=1)
SECOND = evolve(request("a", RequestStatus.SENT), id=2, sent_at=NOW + 9 * MINUTE)


def change(minutes: int, total: float, latitude: float, action: Action = Action.UPDATE) -> Step:
    """Return the step of a changed trip."""
    detail = {"previous_total": total, "previous_latitude": latitude, "previous_longitude": -118.0}
    return Step.within("pending", action, at=NOW + minutes * MINUTE, actor="partner", detail=detail)


def trip(minutes: int, pay: int | None, latitude: float) -> PreviousTerms:
    return PreviousTerms(dropoff=Point(latitude, -118.0), pay=pay, changed_at=NOW + minutes * MINUTE)


def chosen_request(at: datetime) -> DispatchRequest:
    return evolve(request("a", RequestStatus.CHOSEN), id=1, answered_at=at)


def test_provider_asked_again_knew_the_trip_of_the_last_request() -> None:
    steps = [change(-1, 50, 34.0), change(2, 80.5, 34.1), change(4, 90, 34.2)]

    assert previous_terms(SECOND, [FIRST, SECOND], steps) == trip(2, 8050, 34.1)


def test_first_or_unchanged_request_has_no_previous_terms() -> None:
    steps = [change(2, 80, 34.1)]
    other = evolve(FIRST, provider_ref="b")
    same = evolve(FIRST, terms=SECOND.terms)

    assert previous_terms(SECOND, [other, SECOND], steps) is None
    assert previous_terms(SECOND, [same, SECOND], steps) is None
    assert previous_terms(FIRST, [FIRST, SECOND], steps) is None


def test_previous_terms_hides_another_providers_price() -> None:
    steps = [change(2, 80, 34.1, Action.CHANGE_DESTINATION)]

    assert previous_terms(SECOND, [FIRST, SECOND], steps) == trip(2, None, 34.1)


def test_chosen_provider_knew_the_trip_before_the_last_change() -> None:
    steps = [
        change(1, 50, 34.0),
        change(2, 60, 34.1, Action.CHANGE_DESTINATION),
        change(3, 70, 34.2, Action.CHANGE_DESTINATION),
    ]

    assert previous_terms(chosen_request(NOW), [chosen_request(NOW)], steps) == trip(3, 7000, 34.2)
    assert previous_terms(chosen_request(NOW + 4 * MINUTE), [chosen_request(NOW)], steps) is None


def test_steps_of_older_versions_give_no_previous_terms() -> None:
    step = Step.within(
        "pending", Action.UPDATE, at=NOW + MINUTE, actor="partner", detail={"changed": ["fare"]}
    )

    assert previous_terms(SECOND, [FIRST, SECOND], [step]) is None


def test_step_of_an_earlier_version_without_the_destination_changes_no_known_trip() -> None:
    old = evolve(change(2, 80, 34.1), detail={"previous_total": 80.0})

    assert previous_terms(SECOND, [FIRST, SECOND], [old]) is None
    assert PreviousTrip.before(old) == PreviousTrip(total=8000, dropoff=None)
    assert PreviousTrip.before(evolve(old, detail=None)) is None
