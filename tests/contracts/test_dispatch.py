"""Dispatch on both databases: providers are asked in waves, answer, and are notified of the outcome."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve
from tests.contracts.dispatching import MINUTE, Town, caller_of, noted, noted_messages
from tests.contracts.partners import add_partner
from tests.contracts.rides import read_record

from repaircore.audit.model import AuditFilter
from repaircore.core import Core
from repaircore.dispatch.errors import JobConflict, NoRequest
from repaircore.dispatch.model import Delivery, DispatchRequest
from repaircore.dispatch.notices import MessageNotices
from repaircore.dispatch.requests import GiveReason, MakeOffer, ReportEnRoute
from repaircore.dispatch.service import Dispatch
from repaircore.dispatch.waves import WavePlan
from repaircore.kernel.audit import BY_PROVIDERS
from repaircore.kernel.callers import Environment, ProviderCaller
from repaircore.kernel.errors import Conflict, Invalid
from repaircore.kernel.geo import Point
from repaircore.kernel.wording import money
from repaircore.messages.model import Channel, MessageFilter, MessageState
from repaircore.providers.model import OfferMode
from repaircore.rides.model import DispatchStatus, RideKind, RideOutcome, Status
from repaircore.testing.clock import FrozenClock

SOON = MakeOffer(eta_minutes=12)


@pytest.fixture(params=[*RideKind])
def town(request: pytest.FixtureRequest, core: Core) -> Town:
    partner = add_partner(core.storage.database, environment=Environment.LIVE)
    return Town.of(core, partner, request.param)


# Waves.


def test_nearest_are_asked_first_without_automatic_offers(town: Town) -> None:
    refs = town.add_providers(10)
    ride = town.create()
    before = town.rides.list_acceptable_offers(ride.ref, town.partner)
    town.dispatch.run()

    assert before == []
    assert [request.provider_ref for request in town.requests(ride.ref)] == refs[:3]
    assert [request.distance_miles for request in town.requests(ride.ref)] == [0.1, 0.2, 0.3]
    assert noted(town.core) == [(ref, "request.requested") for ref in refs[:3]]
    assert town.ride(ride.ref).dispatch is DispatchStatus.ASKING
    assert ("ask_providers", "system") in town.steps(ride.ref)


def test_run_counts_the_requests_it_settles_and_the_providers_it_asks(town: Town) -> None:
    town.add_providers(3)
    first, second = town.create(), town.create()

    assert town.dispatch.run() == {"settled": 0, "asked": 6}
    assert town.dispatch.run() == {"settled": 0, "asked": 0}
    for request in town.requests(first.ref):
        town.provider_requests.decline(request.ref, GiveReason(), caller_of(request))
    town.rides.cancel(second.ref, town.partner)

    assert town.dispatch.run() == {"settled": 3, "asked": 0}  # nobody is left
    assert town.dispatch.run() == {"settled": 0, "asked": 0}


@pytest.mark.parametrize("minutes", [0, 29])
def test_request_waits_two_minutes_but_no_longer_than_its_ride(
    town: Town, clock: FrozenClock, minutes: int
) -> None:
    town.add_providers(1)
    ride = town.create()
    clock.advance(minutes * MINUTE)
    town.dispatch.run()
    (request,) = town.requests(ride.ref)

    assert ride.expires_at == ride.created_at + 30 * MINUTE
    assert request.sent_at == clock()
    assert request.expires_at == (clock() + 2 * MINUTE if minutes == 0 else ride.expires_at)


def test_wave_loads_requests_and_timeline_of_a_ride_once(town: Town) -> None:
    town.add_providers(8)
    reads: list[str] = []

    @sa.event.listens_for(town.core.storage.database.engine, "before_cursor_execute")
    def note(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        if statement.startswith("SELECT") and any(
            f"FROM {table}" in statement for table in ("timeline", "dispatch_requests")
        ):
            reads.append(statement)

    counts = []
    for size in (1, 8):
        ride = town.create()
        reads.clear()
        asked = evolve(town.dispatch, plan=WavePlan(sizes=(size,))).ask()
        counts.append(len(reads))
        town.rides.cancel(ride.ref, town.partner)
        town.dispatch.settle()
        assert asked == size

    assert counts[0] == counts[1] > 0


def test_next_wave_goes_out_once_all_have_declined(town: Town) -> None:
    town.add_providers(10)
    ride = town.create()
    town.dispatch.run()
    for request in town.requests(ride.ref)[:2]:
        town.provider_requests.decline(request.ref, GiveReason(reason="Flat tire"), caller_of(request))
    waiting = town.dispatch.ask()
    last = town.requests(ride.ref)[2]
    town.provider_requests.decline(last.ref, GiveReason(), caller_of(last))

    assert waiting == 0
    assert town.dispatch.ask() == 5
    assert [request.wave for request in town.requests(ride.ref)] == [1] * 3 + [2] * 5
    assert town.steps(ride.ref).count(("decline", "provider")) == 3


def test_unanswered_request_expires_and_is_in_the_timeline(town: Town, clock: FrozenClock) -> None:
    town.add_providers(4)
    ride = town.create()
    town.dispatch.run()
    clock.advance(2 * MINUTE)

    assert town.dispatch.run() == {"settled": 3, "asked": 1}
    assert town.statuses(ride.ref) == ["expired"] * 3 + ["sent"]
    assert town.steps(ride.ref).count(("no_answer", "system")) == 3


@pytest.mark.parametrize("providers", [0, 1])
def test_no_provider_left_is_a_status_and_one_event(town: Town, clock: FrozenClock, providers: int) -> None:
    town.add_providers(providers)
    ride = town.create()
    town.dispatch.run()
    clock.advance(2 * MINUTE)
    for _ in range(3):
        town.dispatch.run()

    record = read_record(town.core, town.rides, ride.ref)
    assert record.ride.dispatch is DispatchStatus.NOBODY_LEFT
    assert record.ride.status is Status.PENDING
    assert record.events.count(f"{town.kind}.no_provider") == 1
    assert town.steps(ride.ref).count(("no_provider", "system")) == 1


def test_late_offer_counts_while_the_ride_is_pending(town: Town, clock: FrozenClock) -> None:
    town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    clock.advance(3 * MINUTE)
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    town.provider_requests.offer(request.ref, SOON, caller_of(request))

    assert town.ride(ride.ref).dispatch is DispatchStatus.OFFERS
    assert len(town.rides.list_acceptable_offers(ride.ref, town.partner)) == 1


def test_decliner_is_asked_again_only_for_another_trip(town: Town) -> None:
    town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (first,) = town.requests(ride.ref)
    town.provider_requests.decline(first.ref, GiveReason(), caller_of(first))
    same = town.dispatch.ask()
    town.rides.update(ride.ref, lambda _: {"dropoff": Point(34.3, -118.0)}, town.partner)

    assert same == 0
    assert town.dispatch.ask() == 1


def test_open_requests_are_resent_when_the_trip_changes(town: Town) -> None:
    town.add_providers(2)
    ride = town.create()
    town.dispatch.run()
    town.rides.update(ride.ref, lambda _: {"dropoff": Point(34.3, -118.0)}, town.partner)
    town.dispatch.run()

    assert town.statuses(ride.ref) == ["closed", "closed", "sent", "sent"]


def _move(dropoff: Point, _: object) -> dict[str, Any]:
    return {"dropoff": dropoff}


def test_request_for_a_changed_trip_says_what_changed(town: Town, clock: FrozenClock) -> None:
    town.add_providers(2)
    ride = town.create()
    town.dispatch.run()
    offered, _ = town.requests(ride.ref)
    town.provider_requests.offer(offered.ref, SOON, caller_of(offered))
    clock.advance(timedelta(minutes=1))
    pays = [money(ride.fare.total)]
    for dropoff in (Point(34.3, -118.0), Point(34.4, -118.5)):
        changed = town.rides.update(ride.ref, partial(_move, dropoff), town.partner)
        pays.append(money(changed.fare.total))
    town.dispatch.run()
    void, *requests = noted_messages(town.core)[2:]

    assert (void["to"], void["type"]) == (offered.provider_ref, "request.not_chosen")
    assert "so your offer no longer counts" in void["text"]
    assert len(requests) == 2
    for message in requests:
        assert "Job changed." in message["text"]
        assert "instead of Pasadena, CA 91" in message["text"]
        assert f"Pays {pays[2]} instead of {pays[0]}." in message["text"]


def test_repeated_request_for_a_trip_mentions_no_change(town: Town) -> None:
    town.add_providers(2)
    ride = town.create()
    town.dispatch.run()
    for request in town.requests(ride.ref):
        town.provider_requests.offer(request.ref, SOON, caller_of(request))
    first, second = town.requests(ride.ref)
    town.rides.accept_offer(ride.ref, first.provider_ref, town.partner)
    town.dispatch.run()
    town.rides.drop_out(ride.ref)
    town.dispatch.run()
    *_, again = noted_messages(town.core)

    assert (again["to"], again["type"]) == (second.provider_ref, "request.requested")
    assert "changed" not in again["text"]
    assert "instead of" not in again["text"]


def test_automatic_offers_are_made_while_others_are_asked(town: Town) -> None:
    (asked_ref,) = town.add_providers(1)
    (automatic,) = town.add_providers(1, offers=OfferMode.AUTOMATIC, since=5)
    ride = town.create()
    town.dispatch.run()

    offers = town.rides.list_acceptable_offers(ride.ref, town.partner)
    assert [offer.provider_ref for offer in offers] == [automatic]
    assert [request.provider_ref for request in town.requests(ride.ref)] == [asked_ref]
    assert town.ride(ride.ref).dispatch is DispatchStatus.OFFERS


def test_unreachable_provider_is_not_asked(town: Town) -> None:
    near, far = town.add_providers(2)
    town.dispatch.notices.unreachable.add(near)  # type: ignore[attr-defined]
    ride = town.create()
    town.dispatch.run()

    assert [request.provider_ref for request in town.requests(ride.ref)] == [far]


def test_test_ride_gets_automatic_offers_and_asks_nobody(core: Core) -> None:
    town = Town.of(core, add_partner(core.storage.database), RideKind.TOW)
    ride = town.create()
    town.dispatch.run()

    assert town.ride(ride.ref).dispatch is DispatchStatus.OFFERS
    assert town.requests(ride.ref) == []


def test_next_wave_goes_out_when_messages_fail(town: Town) -> None:
    town.add_providers(4)
    ride = town.create()
    town.dispatch.run()
    for request in town.requests(ride.ref):
        town.dispatch.notices.deliveries[request.ref] = Delivery.FAILED  # type: ignore[attr-defined]

    assert town.dispatch.run() == {"settled": 3, "asked": 1}
    assert town.steps(ride.ref).count(("not_reached", "system")) == 3


def test_next_wave_goes_out_while_a_gateway_hangs(town: Town, clock: FrozenClock) -> None:
    town.add_providers(4)
    ride = town.create()
    town.dispatch.run()
    for request in town.requests(ride.ref):
        town.dispatch.notices.deliveries[request.ref] = Delivery.WAITING  # type: ignore[attr-defined]
    waiting = town.dispatch.run()
    clock.advance(2 * MINUTE)

    assert waiting == {"settled": 0, "asked": 0}
    assert town.dispatch.run() == {"settled": 3, "asked": 1}
    assert town.steps(ride.ref).count(("not_reached", "system")) == 3


# Messages that are stored but not sent yet.


def sms_dispatch(town: Town) -> Dispatch:
    """Return the dispatch whose messages are stored to be sent by SMS."""
    notices = MessageNotices(channels_in=lambda _: {Channel.SMS}, seal=str)
    return evolve(town.dispatch, notices=notices)


def unsent_subjects(town: Town, request: DispatchRequest) -> list[str]:
    """Return the subjects of the messages about a request that are still to be sent."""
    found = town.core.messages.list_newest(MessageFilter(about=request.ref, state=MessageState.PENDING))
    return [message.content.subject for message in found]


def test_request_message_expires_with_its_request(town: Town) -> None:
    town.add_providers(1)
    ride = town.create()
    sms_dispatch(town).run()

    (request,) = town.requests(ride.ref)
    (message,) = town.core.messages.list_about(request.ref)
    assert message.content.expires_at == request.expires_at


def test_messages_about_a_ride_include_those_to_its_providers(town: Town) -> None:
    town.add_providers(2)
    ride, other = town.create(), town.create()
    sms_dispatch(town).run()
    requests = [request.ref for request in town.requests(ride.ref)]
    newest = town.core.messages.list_newest(MessageFilter(about=ride.ref))

    assert [message.content.about for message in town.core.messages.list_about(ride.ref)] == requests
    assert sorted(message.content.about for message in newest) == sorted(requests)
    assert len(town.core.messages.list_newest(MessageFilter(about=requests[0]))) == 1
    assert len(town.core.messages.list_about(other.ref)) == 2


def test_cancelled_ride_withdraws_unsent_request_messages(town: Town) -> None:
    town.add_providers(2)
    ride = town.create()
    dispatch = sms_dispatch(town)
    dispatch.run()
    requests = town.requests(ride.ref)
    before = [len(unsent_subjects(town, request)) for request in requests]
    town.rides.cancel(ride.ref, town.partner)
    dispatch.run()

    assert before == [1, 1]
    assert [unsent_subjects(town, request) for request in requests] == [[], []]


def test_changed_trip_replaces_the_unsent_message(town: Town) -> None:
    town.add_providers(1)
    ride = town.create()
    dispatch = sms_dispatch(town)
    dispatch.run()
    town.rides.update(ride.ref, lambda _: {"dropoff": Point(34.3, -118.0)}, town.partner)
    dispatch.run()

    assert [len(unsent_subjects(town, request)) for request in town.requests(ride.ref)] == [0, 1]


def test_others_are_notified_and_no_longer_asked(town: Town) -> None:
    refs = town.add_providers(3)
    ride = town.create()
    dispatch = sms_dispatch(town)
    dispatch.run()
    requests = town.requests(ride.ref)
    for request in requests[:2]:
        town.provider_requests.offer(request.ref, SOON, caller_of(request))
    town.rides.accept_offer(ride.ref, refs[1], town.partner)
    dispatch.run()

    (subject,) = unsent_subjects(town, requests[0])
    assert subject.startswith("Not chosen: ")
    assert unsent_subjects(town, requests[2]) == []


def test_chosen_provider_gets_a_late_cancellation(town: Town, clock: FrozenClock) -> None:
    (ref,) = town.add_providers(1)
    ride = town.create()
    dispatch = sms_dispatch(town)
    dispatch.run()
    (request,) = town.requests(ride.ref)
    town.provider_requests.offer(request.ref, MakeOffer(eta_minutes=60), caller_of(request))
    town.rides.accept_offer(ride.ref, ref, town.partner)
    dispatch.run()
    clock.advance(31 * MINUTE)
    town.rides.cancel_accepted(ride.ref, town.partner)
    dispatch.run()

    last = town.core.messages.list_about(request.ref)[-1]
    assert last.content.subject.startswith("Canceled: ")
    assert last.content.expires_at is not None
    assert last.content.expires_at > clock()


# Answers.


def test_accepting_an_offer_notifies_every_offering_provider(town: Town) -> None:
    refs = town.add_providers(3)
    ride = town.create()
    town.dispatch.run()
    for request in town.requests(ride.ref)[:2]:
        town.provider_requests.offer(request.ref, SOON, caller_of(request))
    town.rides.accept_offer(ride.ref, refs[1], town.partner)
    town.dispatch.settle()

    assert town.statuses(ride.ref) == ["not_chosen", "chosen", "closed"]
    assert noted(town.core)[3:] == [(refs[0], "request.not_chosen"), (refs[1], "request.chosen")]
    assert town.steps(ride.ref).count(("offer", "provider")) == 2


def test_repeated_offer_is_unchanged_and_another_replaces_it(town: Town) -> None:
    town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    first = town.provider_requests.offer(request.ref, SOON, caller_of(request))
    again = town.provider_requests.offer(request.ref, SOON, caller_of(request))

    assert again.offer == first.offer
    corrected = town.provider_requests.offer(request.ref, MakeOffer(eta_minutes=5), caller_of(request))
    assert [offer.eta_minutes for offer in town.rides.list_acceptable_offers(ride.ref, None)] == [5]
    assert (str(corrected.request.status), town.statuses(ride.ref)) == ("offered", ["offered"])


def test_withdrawn_offer_cannot_be_accepted(town: Town) -> None:
    (ref,) = town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    town.provider_requests.offer(request.ref, SOON, caller_of(request))
    town.provider_requests.decline(request.ref, GiveReason(), caller_of(request))

    with pytest.raises(Conflict):
        town.rides.accept_offer(ride.ref, ref, town.partner)
    assert town.statuses(ride.ref) == ["declined"]


def test_cancelled_ride_takes_no_offers(town: Town) -> None:
    town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    town.rides.cancel(ride.ref, town.partner)

    with pytest.raises(JobConflict):
        town.provider_requests.offer(request.ref, SOON, caller_of(request))


@pytest.mark.parametrize("eta", [0, 601, -1])
def test_impossible_eta_is_rejected(town: Town, eta: int) -> None:
    town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)

    with pytest.raises(Invalid):
        town.provider_requests.offer(request.ref, MakeOffer(eta_minutes=eta), caller_of(request))


def test_request_of_another_provider_is_not_found(town: Town) -> None:
    mine, others = town.add_providers(2)
    ride = town.create()
    town.dispatch.run()
    request = next(each for each in town.requests(ride.ref) if each.provider_ref == mine)
    other = ProviderCaller(provider_ref=others, environment=Environment.LIVE)
    uses: list[Callable[[], object]] = [
        lambda: town.provider_requests.get(request.ref, other),
        lambda: town.provider_requests.offer(request.ref, SOON, other),
        lambda: town.provider_requests.decline(request.ref, GiveReason(), other),
        lambda: town.provider_requests.get(
            request.ref, evolve(caller_of(request), environment=Environment.TEST)
        ),
    ]

    for use in uses:
        with pytest.raises(NoRequest):
            use()


def test_page_of_requests_takes_a_fixed_number_of_statements(town: Town) -> None:
    (ref,) = town.add_providers(1)
    caller = ProviderCaller(provider_ref=ref, environment=Environment.LIVE)
    statements: list[str] = []

    @sa.event.listens_for(town.core.storage.database.engine, "before_cursor_execute")
    def note(_c: object, _cursor: object, statement: str, *_rest: object) -> None:
        statements.append(statement)

    counts = []
    for _ in range(3):
        ride = town.create()
        town.dispatch.run()
        (request,) = town.requests(ride.ref)
        town.provider_requests.offer(request.ref, SOON, caller)
        statements.clear()
        page = town.provider_requests.list_page(caller)
        counts.append(len(statements))

    assert len(set(counts)) == 1
    assert page.total == 3
    assert all(job.offer is not None and job.provider is not None for job in page)
    assert list(page) == [town.provider_requests.get(job.request.ref, caller) for job in page]


def test_provider_who_opts_out_gets_no_requests(town: Town) -> None:
    town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    town.provider_requests.stop(request.ref, caller_of(request))
    another = town.create()
    town.dispatch.run()

    assert town.statuses(ride.ref) == ["declined"]
    assert town.requests(another.ref) == []


def test_stop_is_audited_as_done_by_the_provider_and_not_by_the_installation(town: Town) -> None:
    (ref,) = town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    for _ in range(2):
        town.provider_requests.stop(request.ref, caller_of(request))
    word, plural = ("business", "businesses") if town.kind is RideKind.TOW else ("driver", "drivers")
    found = town.core.audit.list_newest(AuditFilter(action=f"{word}.stop"))

    assert [(entry.actor, entry.subject, entry.before, entry.after) for entry in found] == [
        ("provider", f"{plural}/{ref}", {"active": True}, {"active": False})
    ]
    of_installation = town.core.audit.list_newest(AuditFilter(who="installation"))
    assert not {entry.action for entry in of_installation} & BY_PROVIDERS
    assert {entry.actor for entry in of_installation} == {"installation"}


def test_crashes_can_be_tried_at_each_moment_of_dispatch(town: Town) -> None:
    town.add_providers(1)
    moments: list[str] = []
    dispatch = evolve(town.dispatch, failpoint=moments.append)
    requests = evolve(town.provider_requests, failpoint=moments.append)
    ride = town.create()
    dispatch.ask()
    (request,) = town.requests(ride.ref)
    requests.offer(request.ref, SOON, caller_of(request))
    town.rides.cancel(ride.ref, town.partner)
    dispatch.settle()
    another = town.create()
    dispatch.ask()
    requests.decline(town.requests(another.ref)[0].ref, GiveReason(), caller_of(request))

    assert moments == [
        "dispatch.ask.before_message",
        "dispatch.ask.stored",
        "dispatch.ask.committed",
        "dispatch.offer.stored",
        "dispatch.settle.stored",
        "dispatch.settle.committed",
        "dispatch.ask.before_message",
        "dispatch.ask.stored",
        "dispatch.ask.committed",
        "dispatch.decline.stored",
    ]


# The chosen provider.


def _chosen(town: Town) -> tuple[str, ProviderCaller, str]:
    """Return a ride, and the provider who was chosen for it with their request."""
    (ref,) = town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    town.provider_requests.offer(request.ref, SOON, caller_of(request))
    town.rides.accept_offer(ride.ref, ref, town.partner)
    return ride.ref, caller_of(request), request.ref


def test_provider_completes_a_ride(town: Town) -> None:
    ride_ref, caller, ref = _chosen(town)
    on_the_way = ReportEnRoute(latitude=34.06, longitude=-118.2, eta_minutes=9)
    town.provider_requests.en_route(ref, on_the_way, caller)
    here = town.ride(ride_ref)
    town.provider_requests.arrive(ref, caller)
    town.provider_requests.start(ref, caller)
    job = town.provider_requests.complete(ref, caller)

    assert here.status is Status.ACCEPTED
    assert here.position is not None
    assert here.position.latitude == 34.06
    assert here.eta_at == town.core.clock() + 9 * MINUTE
    assert town.ride(ride_ref).status is Status.COMPLETED
    assert job.request.status == "ended"
    assert [step for step in town.steps(ride_ref) if step[1] == "provider"] == [
        ("offer", "provider"),
        ("en_route", "provider"),
        ("driver_arrived", "provider"),
        ("start", "provider"),
        ("complete", "provider"),
    ]
    record = read_record(town.core, town.rides, ride_ref)
    assert f"{town.kind}.en_route" in record.events


def test_customer_is_visible_only_while_the_provider_has_the_job(town: Town) -> None:
    (ref,) = town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    before = town.job(request)
    town.provider_requests.offer(request.ref, SOON, caller_of(request))
    town.rides.accept_offer(ride.ref, ref, town.partner)
    chosen = town.job(request)
    town.rides.cancel_accepted(ride.ref, town.partner)

    assert before.customer is None
    assert chosen.customer is not None
    assert town.job(request).customer is None


def test_ride_shows_the_provider(town: Town) -> None:
    ride_ref, _, _ = _chosen(town)

    card = town.ride(ride_ref).provider_card
    assert card is not None
    assert (card.phone, card.vehicle, card.plate) == ("+12025550000", "white Ford F-450", "TOW 0")


@pytest.mark.parametrize(
    ("report", "fields"),
    [
        (
            ReportEnRoute(latitude=90.1, longitude=-180.1, eta_minutes=-1),
            {"latitude", "longitude", "eta_minutes"},
        ),
        (ReportEnRoute(latitude=34.06, longitude=-118.2, eta_minutes=601), {"eta_minutes"}),
        (ReportEnRoute(latitude=34.06), {"longitude"}),
        (ReportEnRoute(longitude=-118.2), {"latitude"}),
    ],
)
def test_impossible_report_changes_nothing(town: Town, report: ReportEnRoute, fields: set[str]) -> None:
    ride_ref, caller, ref = _chosen(town)
    before = town.ride(ride_ref)
    with pytest.raises(Invalid) as caught:
        town.provider_requests.en_route(ref, report, caller)

    assert caught.value.fields.keys() == fields
    assert town.ride(ride_ref) == before


@pytest.mark.parametrize("step", ["decline", "drop_out"])
def test_reason_that_is_too_long_is_rejected(town: Town, step: str) -> None:
    ride_ref, caller, ref = _chosen(town)
    act = getattr(town.provider_requests, step)
    with pytest.raises(Invalid) as caught:
        act(ref, GiveReason(reason="x" * 501), caller)

    assert caught.value.fields.keys() == {"reason"}
    assert town.ride(ride_ref).status is Status.ACCEPTED


def test_provider_cannot_repeat_the_partners_step(town: Town) -> None:
    ride_ref, caller, ref = _chosen(town)
    town.rides.arrive(ride_ref, town.partner)

    with pytest.raises(Conflict):
        town.provider_requests.arrive(ref, caller)


def test_provider_removed_before_notice_gets_one_message(town: Town) -> None:
    (ref,) = town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    town.provider_requests.offer(request.ref, SOON, caller_of(request))
    town.rides.accept_offer(ride.ref, ref, town.partner)
    town.rides.drop_out(ride.ref)
    town.dispatch.settle()

    assert town.statuses(ride.ref) == ["dropped_out"]
    assert noted(town.core)[1:] == [(ref, "request.dropped_out")]


def test_drop_out_frees_the_ride_and_asks_only_others(town: Town) -> None:
    ride_ref, caller, ref = _chosen(town)
    town.provider_requests.drop_out(ref, GiveReason(reason="Engine trouble"), caller)
    (other,) = town.add_providers(1, since=3)
    town.dispatch.run()

    ride = town.ride(ride_ref)
    assert (ride.status, ride.provider_ref, ride.provider_card) == (Status.PENDING, None, None)
    assert [request.provider_ref for request in town.requests(ride_ref)][1:] == [other]
    assert town.statuses(ride_ref)[0] == "dropped_out"
    with pytest.raises(Conflict):
        town.provider_requests.arrive(ref, caller)


def test_provider_is_notified_of_a_cancelled_job(town: Town) -> None:
    ride_ref, caller, _ = _chosen(town)
    town.dispatch.settle()
    town.rides.cancel_accepted(ride_ref, town.partner)
    town.dispatch.settle()

    assert noted(town.core)[-1] == (caller.provider_ref, "request.cancelled")
    assert town.dispatch.settle() == 0


def test_outcome_not_allowed_by_the_status_is_refused(town: Town) -> None:
    _, caller, ref = _chosen(town)

    with pytest.raises(Conflict):
        town.provider_requests.complete(ref, caller, outcome=RideOutcome.GONE_ON_ARRIVAL)


# Links.


def test_link_hides_the_customer_after_the_job(town: Town) -> None:
    ride_ref, _, _ = _chosen(town)
    (request,) = town.requests(ride_ref)
    token = town.token(request)
    (_, job) = town.provider_requests.open(token)
    town.rides.cancel_accepted(ride_ref, town.partner)

    (_, ended) = town.provider_requests.open(token)

    assert job.request.ref == ended.request.ref == request.ref
    assert job.customer is not None
    assert (ended.request.status, ended.customer, ended.customer_phone) == ("ended", None, None)
    assert ended.allowed_actions == []


def test_guessed_link_is_not_found(town: Town) -> None:
    ride_ref, _, ref = _chosen(town)
    (request,) = town.requests(ride_ref)
    token = town.token(request)

    for guess in ("", token[:-1], token.swapcase(), ref, ride_ref, "\N{SNOWMAN}"):
        with pytest.raises(NoRequest):
            town.provider_requests.open(guess)


def test_text_message_has_the_link_and_fits(town: Town) -> None:
    town.add_providers(1)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)

    (message,) = noted_messages(town.core)
    assert town.token(request) in message["text"]
    assert len(message["text"]) <= 320
