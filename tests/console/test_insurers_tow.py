"""An insurer's tow from the claim to the refund, with two businesses, one of them on a phone."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import photos
from tests.console.chromium import Tab
from tests.contracts.dispatching import Town, caller_of, noted_messages
from tests.http.partners import PartnerApp, partner_app
from tests.http.rides import TOW_PRICE, create_customer

from repaircore.core import Core
from repaircore.dispatch.model import DispatchRequest
from repaircore.dispatch.requests import GiveReason, MakeOffer
from repaircore.kernel.callers import Environment
from repaircore.rides.model import RideKind
from repaircore_http.service import serve_core

pytestmark = [pytest.mark.long, pytest.mark.browser]

ELSEWHERE = {"dropoff_latitude": 34.3, "dropoff_longitude": -118.1}


class Insurer:
    """The insurer's API client, and the tow that it ordered."""

    def __init__(self, app: PartnerApp) -> None:
        self.app = app
        customer = create_customer(app)
        self.tow: str = self._data(
            app.post(
                "/tow-rides",
                {
                    **TOW_PRICE,
                    "passenger_id": customer["id"],
                    "partner_reference": "claim 4711",
                    "reason_for_tow": "The axle is broken.",
                    "pickup_address": "412 W 5th St, Los Angeles",
                    "vehicle_make": "Honda",
                    "vehicle_model": "Accord",
                    "vehicle_vin": "1HGCM82633A004352",
                    "vehicle_plate": "8ABC123",
                    "vehicle_color": "blue",
                    "sandbox": "difference_declined",
                },
            ),
            201,
        )["ref"]

    def get(self, step: str = "") -> Any:
        return self._data(self.app.get(f"/tow-rides/{self.tow}{step}"))

    def post(self, step: str, body: Any = None, status: int = 200) -> Any:
        return self._data(self.app.post(f"/tow-rides/{self.tow}{step}", body), status)

    def accept(self, business: str) -> None:
        self.post(f"/business-offers/{business}/accept")

    def _data(self, answer: Any, status: int = 200) -> Any:
        assert answer.status_code == status, answer.text
        body = answer.get_json()
        return body.get("data", body)


def dispatch_requests(town: Town, tow: str) -> list[DispatchRequest]:
    """Dispatch a tow, and return its open requests."""
    town.dispatch.run()
    return [request for request in town.requests(tow) if str(request.status) == "sent"]


def test_an_insurers_tow_from_the_claim_to_the_refund(
    open_tab: Callable[..., Tab], core: Core, tmp_path: Path
) -> None:
    insurer = Insurer(partner_app(serve_core(core).test_client(), core, "Insurer Inc"))
    town = Town.of(core, insurer.app.caller, RideKind.TOW)
    town.add_providers(2, environment=Environment.TEST)
    place = {"geolocation": {"latitude": 34.06, "longitude": -118.24}, "permissions": ["geolocation"]}
    phone, customer = open_tab("phone", **place), open_tab("phone")

    second = let_first_business_drop_out(town, insurer)
    path = let_second_business_take_over(town, insurer, second, phone)
    tracking_path = open_tracking_page(insurer, customer)
    total = change_destination(town, insurer, phone, path)
    do_the_job(phone, tmp_path)
    rate_and_refund(insurer, total)

    customer.open(tracking_path)
    assert "This link no longer works" in customer.text()
    timeline = insurer.get()["timeline"]
    assert [step["action"] for step in timeline if step["actor"] in {"provider", "partner"}] == [
        "create", "offer", "accept_offer", "drop_out", "offer", "accept_offer", "en_route", "share_link",
        "change_destination", "driver_arrived", "add_proof", "start", "add_proof", "complete", "rate_business",
        "refunded",
    ]  # fmt: skip
    notices = [(each["type"], each["to"]) for each in noted_messages(core)]
    assert ("request.changed", second) in notices


def let_first_business_drop_out(town: Town, insurer: Insurer) -> str:
    """Let the first business win the job and drop out; return the second business."""
    first, second = dispatch_requests(town, insurer.tow)
    town.provider_requests.offer(first.ref, MakeOffer(eta_minutes=20), caller_of(first))
    insurer.accept(first.provider_ref)
    town.provider_requests.drop_out(first.ref, GiveReason(reason="Engine trouble"), caller_of(first))
    released = insurer.get()

    assert (released["status"], released["payment"]["status"]) == ("pending", "voided")
    return second.provider_ref


def let_second_business_take_over(town: Town, insurer: Insurer, business: str, tab: Tab) -> str:
    """Let the second business answer on a phone and set out; return the path of its page."""
    (request,) = [each for each in dispatch_requests(town, insurer.tow) if each.provider_ref == business]
    page, path = tab.page, f"/p/{town.token(request)}"
    tab.open(path)
    page.get_by_label("In how many minutes can you be there?").fill("25")
    page.get_by_role("button", name="Make an offer").click()
    page.get_by_text("You offered to be there in 25 minutes.").wait_for()
    insurer.accept(business)
    tab.open(path)
    page.get_by_role("button", name="Add my location").click()
    page.get_by_text("Your location was added.").wait_for()
    page.get_by_label("Minutes until you arrive").fill("18")
    page.get_by_role("button", name="I am on the way").click()
    page.get_by_text("You are on the way.").wait_for()
    return path


def open_tracking_page(insurer: Insurer, tab: Tab) -> str:
    """Open the customer's tracking page; return its path."""
    link = insurer.post("/tracking-link")["url"]
    path = f"/t/{link.rpartition('/')[2]}"
    tab.open(path)

    for found in ("Number 1", "TOW 1", "0.9 mi from the pickup"):
        assert found in tab.text()
    assert "412 W" not in tab.text()
    tab.screenshot("tracked")
    assert tab.faults() == {}
    return path


def change_destination(town: Town, insurer: Insurer, tab: Tab, path: str) -> float:
    """Change the destination, first with a declined card; return the new price."""
    agreed = insurer.get()
    quote = insurer.post("/destination-preview", ELSEWHERE)
    accepting = {"estimate_id": quote["estimate_id"], "dropoff_address": "9 Elm St, Sylmar"}
    declined = insurer.post("/change-destination", accepting, 409)
    unchanged = insurer.get()
    changed = insurer.post("/change-destination", accepting)
    town.dispatch.run()
    tab.open(path)

    assert declined["error"]["details"]["reason"] == "payment_declined"
    assert (unchanged["dropoff"], unchanged["fare"]) == (agreed["dropoff"], agreed["fare"])
    assert changed["payment"]["amount"] == quote["fare"]["total"] > agreed["payment"]["amount"]
    assert "The customer changed the destination at" in tab.text()
    assert "9 Elm St, Sylmar" in tab.text()
    total: float = quote["fare"]["total"]
    return total


def do_the_job(tab: Tab, folder: Path) -> None:
    """Do the job, with a photo at the pickup and a signature at the dropoff."""
    page, photo = tab.page, folder / "car.png"
    photo.write_bytes(photos.png(photos.code("QR", "1HGCM82633A004352")))
    page.get_by_role("button", name="I have arrived").click()
    page.get_by_label("Photo", exact=True).set_input_files(photo)
    page.get_by_role("button", name="Add the photo").click()
    page.get_by_text("At the pickup: a photo").wait_for()
    page.get_by_role("button", name="Start the job").click()
    page.get_by_text("How did it end?").wait_for()
    tab.screenshot("provider-proof")

    assert tab.faults() == {}
    sign(tab, "Ada Byron")
    page.get_by_text("At the dropoff: signed by Ada Byron").wait_for()
    page.get_by_role("button", name="Close the job").click()
    page.get_by_role("heading", name="The job is closed").wait_for()


def rate_and_refund(insurer: Insurer, total: float) -> None:
    """Check the proofs, rate the business and refund a part."""
    proofs = insurer.get("/proofs")
    proof_files = [insurer.app.get(f"/tow-rides/{insurer.tow}/proofs/{proof['ref']}") for proof in proofs]
    ended = insurer.get()
    insurer.post("/rate-business", {"rating": 5})
    insurer.post("/refund", {"amount": 20.0, "reason": "It came late."})
    receipt = insurer.get("/receipt")

    assert [(proof["form"], proof["stage"], proof["signed_by"]) for proof in proofs] == [
        ("photo", "pickup", None),
        ("signature", "dropoff", "Ada Byron"),
    ]
    assert [proof_file.content_type for proof_file in proof_files] == ["image/jpeg", "image/png"]
    assert (ended["status"], ended["fee"], ended["vehicle"]["plate"]) == ("completed", total, "8ABC123")
    assert (receipt["captured"], receipt["refunded"]) == (total, 20.0)


def sign(tab: Tab, name: str) -> None:
    """Draw a signature with the mouse, for the dropoff."""
    page = tab.page
    page.get_by_label("Where").nth(1).select_option("At the dropoff")
    page.get_by_label("Name of the signer").fill(name)
    pad = page.get_by_role("img", name="Signature")
    pad.scroll_into_view_if_needed()
    box = pad.bounding_box()
    page.mouse.move(box["x"] + 30, box["y"] + 30)
    page.mouse.down()
    for across, down in ((90, 60), (150, 20), (220, 80)):
        page.mouse.move(box["x"] + across, box["y"] + down, steps=4)
    page.mouse.up()
    page.get_by_role("button", name="Add the signature").click()
