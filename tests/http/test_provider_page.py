"""The page of a job: what it shows in each state, and guessed, replayed and ended links."""

import re
from typing import Any

import pytest
from attrs import evolve
from tests.contracts.dispatching import Town
from tests.contracts.partners import add_partner
from tests.http.partners import partner_app
from tests.http.visitors import Page, Visitor

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.geo import Point
from repaircore.kernel.wording import money
from repaircore.limits.model import Limit
from repaircore.rides.model import Ride, RideKind
from repaircore.testing.clock import FrozenClock
from repaircore_http.service import serve_core


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: the page does not depend on the database."""
    return sqlite_url


@pytest.fixture
def app(core: Core) -> Any:
    return serve_core(core)


@pytest.fixture
def phone(app: Any) -> Visitor:
    return Visitor(app.test_client())


@pytest.fixture
def town(core: Core, app: Any) -> Town:
    return Town.of(core, partner_app(app.test_client(), core).caller, RideKind.MOBILE)


def request_driver(town: Town) -> tuple[Ride, str]:
    """Request a driver of the test environment; return the ride, and the path of the link."""
    town.add_providers(1, environment=Environment.TEST)
    ride = town.create(pickup_address="412 W 5th St", notes="Level 2")
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    return ride, f"/p/{town.token(request)}"


def choose(town: Town, ride: Ride) -> None:
    (request,) = town.requests(ride.ref)
    town.rides.accept_offer(ride.ref, request.provider_ref, town.partner)


@pytest.mark.parametrize("environment", [Environment.TEST, Environment.LIVE])
def test_page_promises_a_message_only_where_one_would_be_sent(
    core: Core, phone: Visitor, environment: Environment
) -> None:
    # Test messages are stored; live ones need a channel, and this installation has none.
    partner = add_partner(core.storage.database, environment=environment)
    town = Town.of(core, partner, RideKind.MOBILE)
    town.add_providers(1, environment=environment)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    path = f"/p/{town.token(request)}"
    before = phone.page(path).words
    phone.post(f"{path}/offer", {"eta_minutes": "25"})
    after = phone.page(path).words

    for words in (before, after):
        assert ("You will get a message either way." in words) is (environment is Environment.TEST)
        assert ("Check here whether you were chosen." in words) is (environment is Environment.LIVE)


def test_driver_completes_a_job_without_scripts(town: Town, phone: Visitor) -> None:
    ride, path = request_driver(town)
    request_page = phone.page(path).words
    phone.post(f"{path}/offer", {"eta_minutes": "25"})
    choose(town, ride)
    chosen_page = phone.page(path).words
    answers = [
        phone.post(f"{path}/{step}", fields)
        for step, fields in (
            ("en-route", {"eta_minutes": "12", "latitude": "", "longitude": ""}),
            ("arrived", {}),
            ("start", {}),
            ("complete", {"outcome": "completed"}),
        )
    ]

    assert "412 W 5th St" not in request_page
    assert "Ada" not in request_page
    assert "412 W 5th St" in chosen_page
    assert "Level 2" in chosen_page
    assert [answer.status_code for answer in answers] == [303] * 4
    end = phone.page(path).words
    assert "The job is closed" in end
    assert "412 W 5th St" not in end
    assert "Ada" not in end


STEPS = ("en-route", "arrived", "start", "complete")


@pytest.mark.parametrize("kind", RideKind)
def test_second_tap_of_each_step_shows_the_state(
    core: Core, town: Town, phone: Visitor, kind: RideKind
) -> None:
    town = Town.of(core, town.partner, kind)
    ride, path = request_driver(town)
    phone.get(path)
    phone.post(f"{path}/offer", {"eta_minutes": "25"})
    choose(town, ride)
    shown = {}
    for step in STEPS:
        fields = {"outcome": "completed"} if step == "complete" else {}
        answers = [phone.post(f"{path}/{step}", fields) for _ in range(2)]
        assert [answer.headers.get("Location") for answer in answers] == [path, path]
        shown[step] = phone.page(path).words

    assert "You are on the way." in shown["en-route"]
    assert "You have arrived." in shown["arrived"]
    assert "The job is in progress." in shown["start"]
    assert "The job is closed" in shown["complete"]
    assert town.steps(ride.ref).count(("complete", "provider")) == 1


@pytest.mark.parametrize(("step", "times"), [("en-route", 3), ("arrived", 2), ("start", 1), ("offer", 3)])
def test_late_repeat_of_an_earlier_step_shows_the_state(
    town: Town, phone: Visitor, step: str, times: int
) -> None:
    ride, path = request_driver(town)
    phone.get(path)
    phone.post(f"{path}/offer", {"eta_minutes": "25"})
    choose(town, ride)
    for earlier in STEPS[:3]:
        phone.post(f"{path}/{earlier}")
    answers = [phone.post(f"{path}/{step}", {"eta_minutes": "30"}) for _ in range(times)]

    assert {answer.status_code for answer in answers} == {303}
    assert "The job is in progress." in phone.page(path).words


@pytest.mark.parametrize(
    ("steps_taken", "step", "words"),
    [
        (0, "decline", 'You already have this job. If you cannot do it, choose "I cannot do this job".'),
        (0, "start", "Mark yourself as arrived first."),
        (0, "complete", "Mark yourself as arrived first."),
        (2, "complete", "Start the job before you close it as done."),
        (3, "drop-out", "The job has already started. Close it with its outcome instead."),
    ],
)
def test_impossible_step_gets_a_readable_error(
    town: Town, phone: Visitor, steps_taken: int, step: str, words: str
) -> None:
    ride, path = request_driver(town)
    phone.get(path)
    phone.post(f"{path}/offer", {"eta_minutes": "25"})
    choose(town, ride)
    for each in STEPS[:steps_taken]:
        phone.post(f"{path}/{each}")
    refused = phone.post(f"{path}/{step}", {"outcome": "completed"})

    assert refused.status_code == 409
    assert words in Page(refused.text).words
    assert "Allowed" not in refused.text
    assert "_" not in words


def test_driver_marked_as_arrived_cannot_be_on_the_way(town: Town, phone: Visitor) -> None:
    ride, path = request_driver(town)
    phone.get(path)
    phone.post(f"{path}/offer", {"eta_minutes": "25"})
    choose(town, ride)
    town.rides.arrive(ride.ref, town.partner)
    refused = phone.post(f"{path}/en-route")

    assert refused.status_code == 409
    assert "You are already marked as arrived." in Page(refused.text).words


def test_page_accepts_a_late_offer_until_the_ride_expires(
    town: Town, phone: Visitor, clock: FrozenClock
) -> None:
    ride, path = request_driver(town)
    in_time = phone.page(path).words
    clock.advance(town.dispatch.plan.wait)
    too_late = phone.page(path).words

    assert "Answer by" in in_time
    assert "The time to answer has passed." in too_late
    assert "Answer by" not in too_late
    assert "Decline" not in too_late
    assert phone.post(f"{path}/offer", {"eta_minutes": "25"}).status_code == 303
    clock.now = ride.expires_at
    ended = phone.page(path).words
    assert "Your offer was not accepted" in ended
    assert "Stop" not in ended


def test_page_of_a_cancelled_job_shows_no_personal_data(town: Town, phone: Visitor) -> None:
    ride, path = request_driver(town)
    phone.get(path)
    phone.post(f"{path}/offer", {"eta_minutes": "25"})
    choose(town, ride)
    town.rides.cancel_accepted(ride.ref, town.partner)
    answer = phone.post(f"{path}/arrived")
    words = phone.page(path).words

    assert answer.status_code == 303
    assert "This job was canceled Please do not go there." in words
    assert town.requests(ride.ref)[0].ref in words
    for private in ("412 W 5th St", "Ada", "Level 2", "+1"):
        assert private not in words


def test_page_of_a_changed_trip_shows_the_change(town: Town, phone: Visitor) -> None:
    ride, path = request_driver(town)
    old_pay = money(ride.fare.total)
    changed = town.rides.update(ride.ref, lambda _: {"dropoff": Point(34.4, -118.5)}, town.partner)
    town.dispatch.run()
    *_, request = town.requests(ride.ref)
    words = phone.page(f"/p/{town.token(request)}").words

    assert "The customer changed this job" in phone.page(path).words
    assert "If you already answered, please answer again." in words
    assert re.search(r"It was near \S.+, CA \d{5} and is now near \S.+, CA \d{5}\. The job now pays", words)
    assert f"The job now pays {money(changed.fare.total)} instead of {old_pay}." in words


@pytest.mark.parametrize("guess", ["x", "A" * 24, "ride_06dtd4e8rg0007h2m7xyz5k3wq", "%00", "\N{SNOWMAN}"])
def test_guessed_link_is_not_found(town: Town, phone: Visitor, guess: str) -> None:
    request_driver(town)
    answer = phone.get(f"/p/{guess}")

    assert answer.status_code == 404
    assert "This link no longer works" in Page(answer.text).words


def test_forms_after_a_decline_do_nothing(town: Town, phone: Visitor) -> None:
    ride, path = request_driver(town)
    phone.get(path)
    answers = [phone.post(f"{path}/decline", {"reason": "Too far away"}) for _ in range(2)]
    answers.append(phone.post(f"{path}/offer", {"eta_minutes": "25"}))

    assert [answer.status_code for answer in answers] == [303] * 3
    assert "You declined this job" in phone.page(path).words
    assert "Offer" not in phone.page(path).words
    assert town.steps(ride.ref).count(("decline", "provider")) == 1
    assert town.statuses(ride.ref) == ["declined"]


def test_provider_who_stops_requests_keeps_an_accepted_job(town: Town, phone: Visitor) -> None:
    ride, path = request_driver(town)
    phone.get(path)
    phone.post(f"{path}/offer", {"eta_minutes": "25"})
    choose(town, ride)
    answer = phone.post(f"{path}/stop", {})

    assert answer.status_code == 303
    words = phone.page(path).words
    assert "You have the job." in words
    assert "You will not get any more requests until the operator turns them back on." in words
    assert "Stop" not in words


@pytest.mark.parametrize(
    ("device", "scheme"),
    [("Mozilla/5.0 (Linux; Android 16)", "geo:"), ("Mozilla/5.0 (iPhone; CPU iPhone OS 26_0)", "maps://?q=")],
)
def test_places_open_in_the_phones_map_app(town: Town, phone: Visitor, device: str, scheme: str) -> None:
    ride, path = request_driver(town)
    phone.get(path)
    phone.post(f"{path}/offer", {"eta_minutes": "25"})
    choose(town, ride)
    page = phone.get(path, headers={"User-Agent": device}).text

    assert f'href="{scheme}{ride.pickup.latitude},{ride.pickup.longitude}' in page


def test_link_ends_when_another_provider_is_chosen(town: Town, phone: Visitor) -> None:
    ride, path = request_driver(town)
    (offer, *_) = town.rides.list_acceptable_offers(ride.ref, town.partner)
    town.rides.accept_offer(ride.ref, offer.provider_ref, town.partner)

    assert "This job went to another provider or is no longer available." in phone.page(path).words


def test_form_of_another_site_is_rejected(town: Town, phone: Visitor) -> None:
    ride, path = request_driver(town)
    phone.get(path)
    answer = phone.client.post(
        f"{path}/decline", data={}, headers={"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"}
    )

    assert answer.status_code == 403
    assert f'href="{path}"' in answer.text
    assert town.statuses(ride.ref) == ["sent"]


def test_form_with_errors_is_shown_again(town: Town, phone: Visitor) -> None:
    _, path = request_driver(town)
    phone.get(path)
    answer = phone.post(f"{path}/offer", {"eta_minutes": "1000"})

    assert answer.status_code == 422
    assert "The number of minutes" in Page(answer.text).words
    assert re.search(r'value="1000"', answer.text)


def test_guesses_from_one_address_are_limited(core: Core) -> None:
    limited = core.replacing(limits=evolve(core.limits, visitors=Limit(3)))
    phone = Visitor(serve_core(limited).test_client())
    answers = [phone.get(f"/p/{'A' * 23}{number}").status_code for number in range(5)]

    assert answers == [404, 404, 404, 429, 429]


def test_driver_can_stop_the_requests(town: Town, phone: Visitor) -> None:
    ride, path = request_driver(town)
    phone.get(path)
    answers = [phone.post(f"{path}/stop").status_code for _ in range(2)]

    (request,) = town.requests(ride.ref)
    assert answers == [303, 303]
    assert "You will not get any more requests." in phone.page(path).words
    assert not town.core.drivers.get(request.provider_ref, evolve(LOCAL, environment=Environment.TEST)).active


def test_form_url_redirects_to_the_job(town: Town, phone: Visitor) -> None:
    _, path = request_driver(town)

    assert phone.get(f"{path}/offer").headers["Location"] == path


def test_valid_link_is_limited_separately_from_its_address(core: Core, town: Town) -> None:
    town.add_providers(2, environment=Environment.TEST)
    tow = town.create()
    town.dispatch.run()
    first, second = (f"/p/{town.token(request)}" for request in town.requests(tow.ref))
    limited = core.replacing(limits=evolve(core.limits, visitors=Limit(3)))
    phones = serve_core(limited).test_client()  # all from one address
    guesses = [phones.get("/p/nothing").status_code for _ in range(4)]

    assert guesses == [404, 404, 404, 429]
    assert [phones.get(first).status_code for _ in range(4)] == [200, 200, 200, 429]
    assert phones.get(second).status_code == 200


def test_business_offers_a_lower_price_and_corrects_it(core: Core, town: Town, phone: Visitor) -> None:
    town = Town.of(core, town.partner, RideKind.TOW)
    town.add_providers(1, environment=Environment.TEST)
    tow = town.create()
    town.dispatch.run()
    path = f"/p/{town.token(town.requests(tow.ref)[0])}"
    phone.get(path)
    too_much = phone.post(f"{path}/offer", {"eta_minutes": "25", "price": "$9,999.00"})
    assert "The price must be between" in Page(too_much.text).words
    assert phone.post(f"{path}/offer", {"eta_minutes": "25", "price": "$120.50"}).status_code == 303
    assert "Change my offer" in phone.page(path).words
    assert phone.page(path).value("price") == "120.50"
    assert phone.post(f"{path}/offer", {"eta_minutes": "40", "price": "110"}).status_code == 303

    (ours,) = [
        offer for offer in town.rides.list_acceptable_offers(tow.ref, None) if offer.price != tow.fare.total
    ]
    assert (ours.price, ours.eta_minutes) == (11_000, 40)
