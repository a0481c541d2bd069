"""Over HTTP: new destinations, proofs, tracking pages and ratings, and odd requests for them."""

from typing import Any

import pytest
from flask.testing import FlaskClient
from tests import photos
from tests.contracts.dispatching import Town, caller_of
from tests.http.partners import PartnerApp, partner_app
from tests.http.people import bearer
from tests.http.rides import TOW_PRICE, mobile, tow
from tests.http.test_partner_endpoints import ELSEWHERE
from tests.http.test_provider_requests import LIST, Provider, provider
from tests.http.visitors import Page, Visitor
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore.dispatch.requests import MakeOffer
from repaircore.kernel.callers import Environment
from repaircore.kernel.geo import Point
from repaircore.rides.model import RideKind
from repaircore_http.service import serve_core

PICTURE = photos.png(photos.code("QR", "1HGCM82633A004352"))


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: the answers do not depend on the database."""
    return sqlite_url


@pytest.fixture
def client(core: Core) -> FlaskClient:
    return serve_core(core).test_client()


@pytest.fixture
def partner(client: FlaskClient, core: Core) -> PartnerApp:
    return partner_app(client, core)


@pytest.fixture
def town(core: Core, partner: PartnerApp) -> Town:
    return Town.of(core, partner.caller, RideKind.TOW)


def arrived_tow(town: Town) -> tuple[str, str, str]:
    """Return a tow, its business, and the business's request, once the business has arrived."""
    (ref,) = town.add_providers(1, environment=Environment.TEST)
    ride = town.create()
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    town.provider_requests.offer(request.ref, MakeOffer(eta_minutes=20), caller_of(request))
    town.rides.accept_offer(ride.ref, ref, town.partner)
    town.rides.arrive(ride.ref, town.partner)
    return ride.ref, ref, request.ref


def send(business: Provider, path: str, field: str, content: bytes, **texts: str) -> TestResponse:
    # By hand: the test client leaves a file open for large forms.
    parts = [
        f'--b\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'
        for name, text in texts.items()
    ]
    head = f'--b\r\nContent-Disposition: form-data; name="{field}"; filename="picture.png"\r\n\r\n'
    body = "".join([*parts, head]).encode() + content + b"\r\n--b--\r\n"
    kind = "multipart/form-data; boundary=b"
    return business.client.post(LIST + path, data=body, content_type=kind, headers=bearer(business.key))


# Destinations


@pytest.mark.parametrize("maker", [mobile, tow], ids=["ride", "tow"])
def test_destination_is_changed_once_for_a_key(partner: PartnerApp, maker: Any) -> None:
    ride = maker.accepted(partner)
    path = f"{maker.path}/{ride['ref']}"
    quote = partner.post(f"{path}/destination-preview", ELSEWHERE).get_json()["data"]
    body = {"estimate_id": quote["estimate_id"], "dropoff_address": "9 Elm St"}
    first = partner.post(f"{path}/change-destination", body, key="once")
    again = partner.post(f"{path}/change-destination", body, key="once")
    other = partner.post(f"{path}/change-destination", body, key="twice")
    changed = first.get_json()["data"]

    assert quote["current_total"] == ride["fare"]["total"]
    assert quote["difference"] == pytest.approx(quote["fare"]["total"] - ride["fare"]["total"])
    assert changed["fare"] == quote["fare"]
    assert changed["dropoff"] == {"latitude": 34.4, "longitude": -118.1, "address": "9 Elm St"}
    assert changed["payment"] == {**ride["payment"], "amount": quote["fare"]["total"]}
    assert changed["destination_changed_at"] is not None
    assert changed["timeline"][-1]["action"] == "change_destination"
    assert "change_destination" in changed["allowed_actions"]
    assert (again.get_json(), again.headers["Idempotent-Replayed"]) == (first.get_json(), "true")
    assert other.status_code == 409
    assert "has changed since this estimate" in other.get_json()["error"]["message"]


def test_declined_difference_is_a_conflict(partner: PartnerApp) -> None:
    path = f"/tow-rides/{tow.accepted(partner, sandbox='difference_declined')['ref']}"
    quote = partner.post(f"{path}/destination-preview", ELSEWHERE).get_json()["data"]
    body = {"estimate_id": quote["estimate_id"]}
    declined = partner.post(f"{path}/change-destination", body)
    stays = partner.get(path).get_json()["data"]
    accepted = partner.post(f"{path}/change-destination", body)

    assert declined.status_code == 409
    assert declined.get_json()["error"]["details"]["reason"] == "payment_declined"
    assert stays["dropoff"]["latitude"] == TOW_PRICE["dropoff_latitude"]
    assert stays["timeline"][-1]["action"] == "destination_declined"
    assert stays["payment"]["amount"] == stays["fare"]["total"]
    assert accepted.status_code == 200


@pytest.mark.parametrize(
    ("step", "body", "fields"),
    [
        ("destination-preview", {}, {"dropoff_latitude", "dropoff_longitude"}),
        ("destination-preview", {"dropoff_latitude": 91, "dropoff_longitude": "west"}, {"dropoff_latitude", "dropoff_longitude"}),
        ("change-destination", {}, {"estimate_id"}),
        ("change-destination", {"estimate_id": "est_x", "dropoff_address": "x" * 501}, {"dropoff_address"}),
        ("change-destination", {"estimate_id": "est_\N{SNOWMAN}"}, {"estimate_id"}),
    ],
)  # fmt: skip
def test_bad_fields_of_a_destination_are_reported(
    partner: PartnerApp, step: str, body: Any, fields: set[str]
) -> None:
    answer = partner.post(f"/tow-rides/{tow.accepted(partner)['ref']}/{step}", body)

    assert answer.status_code == 400
    assert set(answer.get_json()["error"]["details"]) == fields


def test_update_of_the_destination_refers_to_its_endpoint(partner: PartnerApp) -> None:
    answer = partner.patch(f"/tow-rides/{tow.accepted(partner)['ref']}", ELSEWHERE)

    assert answer.status_code == 409
    assert "destination-preview" in answer.get_json()["error"]["message"]


# Proofs


def test_provider_sends_proofs_and_the_partner_fetches_them(
    core: Core, client: FlaskClient, partner: PartnerApp, town: Town
) -> None:
    ref, business_ref, request = arrived_tow(town)
    business = provider(core, client, business_ref)
    photo = send(business, f"/{request}/photos", "photo", PICTURE, stage="pickup")
    signed = send(business, f"/{request}/signature", "signature", PICTURE, stage="pickup", signed_by="Ada")
    listed = partner.get(f"/tow-rides/{ref}/proofs").get_json()["data"]
    picture = partner.get(f"/tow-rides/{ref}/proofs/{listed[0]['ref']}")

    assert (photo.status_code, signed.status_code) == (201, 201)
    assert listed == [photo.get_json()["data"], signed.get_json()["data"]]
    assert business.get(f"/{request}/proofs").get_json()["data"] == listed
    assert (picture.status_code, picture.content_type) == (200, "image/jpeg")
    assert picture.headers["X-Content-Type-Options"] == "nosniff"
    assert len(picture.data) == listed[0]["size"]


@pytest.mark.parametrize(
    ("sent", "field_name"),
    [
        (("photos", "photo", b"\0" * 10_000_001, {"stage": "pickup"}), "photo"),
        (("photos", "photo", b"GIF89a", {"stage": "pickup"}), "photo"),
        (("photos", "photo", PICTURE, {}), "stage"),
        (("photos", "photo", PICTURE, {"stage": "garage"}), "stage"),
        (("photos", "picture", PICTURE, {"stage": "pickup"}), "photo"),
        (("signature", "signature", b"\0" * 10_000_000, {"stage": "pickup", "signed_by": "Bo"}), "signature"),
        (("signature", "signature", PICTURE, {"stage": "pickup"}), "signed_by"),
    ],
    ids=["large", "gif", "no stage", "odd stage", "no photo", "ten megabytes", "nobody"],
)
def test_invalid_proofs_report_their_field(
    client: FlaskClient, town: Town, sent: tuple[str, str, bytes, dict[str, str]], field_name: str
) -> None:
    _, business_ref, request = arrived_tow(town)
    business = provider(town.core, client, business_ref)
    path, field, content, texts = sent
    answer = send(business, f"/{request}/{path}", field, content, **texts)

    assert answer.status_code == 400, answer.text
    assert [*answer.get_json()["error"]["details"]] == [field_name]
    assert business.get(f"/{request}/proofs").get_json()["data"] == []


def test_early_proofs_and_proofs_without_a_form_are_rejected(
    core: Core, client: FlaskClient, partner: PartnerApp, town: Town
) -> None:
    ref, business_ref, request = arrived_tow(town)
    business = provider(core, client, business_ref)
    early = send(business, f"/{request}/photos", "photo", PICTURE, stage="dropoff")

    for path, field in (("photos", "photo"), ("signature", "signature")):
        json = business.post(f"/{request}/{path}", {"stage": "pickup"})
        assert json.status_code == 400
        assert json.get_json()["error"]["message"] == (
            f"Send a form (multipart/form-data) with the file in the {field} field."
        )
    assert early.status_code == 409
    assert "after the job has started" in early.get_json()["error"]["message"]
    for odd in ("prf_x", "%00", "..%2f..", "0" * 3000):
        assert partner.get(f"/tow-rides/{ref}/proofs/{odd}").status_code in {400, 404}


def test_job_of_another_partner_is_not_found(
    core: Core, client: FlaskClient, partner: PartnerApp, town: Town
) -> None:
    ref, business_ref, request = arrived_tow(town)
    proof = send(
        provider(core, client, business_ref), f"/{request}/photos", "photo", PICTURE, stage="pickup"
    ).get_json()["data"]["ref"]
    other = partner_app(client, core, "Other Inc")
    answers = [
        other.get(f"/tow-rides/{ref}/proofs"),
        other.get(f"/tow-rides/{ref}/proofs/{proof}"),
        other.post(f"/tow-rides/{ref}/tracking-link"),
        other.delete(f"/tow-rides/{ref}/tracking-link"),
        other.post(f"/tow-rides/{ref}/destination-preview", ELSEWHERE),
        other.post(f"/tow-rides/{ref}/change-destination", {"estimate_id": "est_x"}),
        other.post(f"/tow-rides/{ref}/rate-business", {"rating": 1}),
        partner.get(f"/mobile-rides/{ref}/proofs/{proof}"),
        client.get(f"/api/v1/partner/tow-rides/{ref}/proofs/{proof}"),
    ]

    assert [answer.status_code for answer in answers] == [404] * 8 + [401]


# The tracking page


def test_tracking_page_shows_only_the_provider(client: FlaskClient, partner: PartnerApp, town: Town) -> None:
    (business,) = town.add_providers(1, environment=Environment.TEST)
    ride = town.create(pickup_address="412 W 5th St", dropoff_address="1 Oak Ave", notes="Gate code 4711")
    path = _tracking_path(partner, ride.ref)
    visitor = Visitor(client)
    looking = visitor.page(path).words
    town.dispatch.run()
    (request,) = town.requests(ride.ref)
    town.provider_requests.offer(request.ref, MakeOffer(eta_minutes=20), caller_of(request))
    town.rides.accept_offer(ride.ref, business, town.partner)
    town.rides.en_route(ride.ref, town.partner, position=Point(34.06, -118.24), eta_minutes=9)
    answer = visitor.get(path)
    words = Page(answer.text).words
    town.rides.arrive(ride.ref, town.partner)
    arrived = visitor.page(path).words

    assert "We are looking for a provider." in looking
    for part in ("Number 0", "white Ford F-450", "TOW 0", "On the way.", "0.9 mi from the pickup"):
        assert part in words
    written = answer.text.replace(path, "")  # a random token may well contain three letters of a name
    for secret in ("412 W", "Oak", "4711", "Ada", "Byron", "555", "$", ride.ref, business):
        assert secret not in written
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert "http://" not in answer.text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    assert "https://" not in answer.text
    assert "Arrived." in arrived
    assert "from the pickup" not in arrived


def test_tracking_link_ends_and_can_be_revoked(client: FlaskClient, partner: PartnerApp) -> None:
    visitor = Visitor(client)
    ref, done = (tow.accepted(partner)["ref"] for _ in range(2))
    path, ended = _tracking_path(partner, ref), _tracking_path(partner, done)
    open_status = visitor.get(path).status_code
    revoked = [partner.delete(f"/tow-rides/{ref}/tracking-link").get_json()["data"] for _ in range(2)]
    partner.patch(f"/tow-rides/{done}/cancel-accepted")
    statuses = [visitor.get(each).status_code for each in (path, ended, f"{path}x", "/t/x", "/t/%00")]

    assert open_status == 200
    assert revoked == [{"revoked": True}, {"revoked": False}]
    assert statuses == [404] * 5
    assert partner.post(f"/tow-rides/{done}/tracking-link").status_code == 409
    assert _tracking_path(partner, ref) != path


def _tracking_path(partner: PartnerApp, ref: str) -> str:
    url: str = partner.post(f"/tow-rides/{ref}/tracking-link").get_json()["data"]["url"]
    return f"/t/{url.rpartition('/')[2]}"


# What partners see


def test_phone_of_a_provider_is_shown_only_during_the_job(partner: PartnerApp, town: Town) -> None:
    ref, _, _ = arrived_tow(town)
    live = partner.get(f"/tow-rides/{ref}").get_json()["data"]["business"]
    town.rides.start(ref, town.partner)
    town.rides.complete(ref, town.partner)
    over = partner.get(f"/tow-rides/{ref}").get_json()["data"]["business"]

    assert live["phone"] == "+12025550000"
    assert (over["phone"], over["plate"], over["name"]) == (None, live["plate"], live["name"])


def test_business_is_rated_once_and_offers_show_the_rating(core: Core, partner: PartnerApp) -> None:
    done = tow.completed(partner)
    path = f"/tow-rides/{done['ref']}/rate-business"
    rated = partner.post(path, {"rating": 4, "comment": "Quick."})
    again = partner.post(path, {"rating": 1})
    with core.storage.read() as work:
        business = work.businesses.find(done["business"]["ref"], Environment.TEST)
    offers = partner.get(f"/tow-rides/{tow.pending(partner)['ref']}/business-offers").get_json()["data"]

    assert "rate_business" in done["allowed_actions"]
    assert (rated.get_json()["data"]["rating"], rated.get_json()["data"]["comment"]) == (4, "Quick.")
    assert "rate_business" not in rated.get_json()["data"]["allowed_actions"]
    assert again.status_code == 409
    assert business is not None
    assert (business.rating, business.rating_count) == (4.0, 1)
    assert {offer["rating"] for offer in offers if offer["business_ref"] == business.ref} == {4.0}
    assert partner.post(path, {"rating": 6}).status_code == 400
