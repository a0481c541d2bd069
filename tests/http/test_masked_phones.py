"""The phones that partners, providers and mechanics see: with a gateway of masked numbers, without one, and with a failing one."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa
from attrs import evolve, frozen
from tests.contracts.appointments import a_customer, a_mechanic
from tests.contracts.dispatching import Town
from tests.http.numbers import FAILING, GIVES, NUMBER, PATH, with_gateway
from tests.http.partners import PartnerApp, after, partner_app
from tests.http.people import bearer
from tests.http.visitors import Visitor

from repaircore.adapters.sql.schema.webhooks import events
from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.masked_phones import MASKED_FOR
from repaircore.rides.model import RideKind
from repaircore.testing.upstream import MisbehavingUpstream
from repaircore_http.service import serve_core

DAY = MASKED_FOR - timedelta(seconds=1)
SECOND = timedelta(seconds=1)
GARAGE = "(614) 555-0142"


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: the phones do not depend on the database."""
    return sqlite_url


@pytest.fixture
def gateway() -> Iterator[MisbehavingUpstream]:
    with MisbehavingUpstream() as upstream:
        yield upstream


@frozen(kw_only=True)
class ShownPhones:
    """The phones shown to the partner, on the page of the provider or mechanic, and through the API or in the calendar file."""

    partner: str | None = None
    page: str | None = None
    program: str | None = None


@frozen(kw_only=True)
class Scene:
    """A business that took a tow, a mechanic, and the partner of both."""

    core: Core
    app: PartnerApp
    town: Town
    phone: Visitor

    @classmethod
    def of(cls, core: Core) -> "Scene":
        client = serve_core(core).test_client()
        app = partner_app(client, core)
        town = Town.of(core, app.caller, RideKind.TOW)
        return cls(core=core, app=app, town=town, phone=Visitor(client))

    def accepted_tow(self) -> "Tow":
        (business,) = self.town.add_providers(1, environment=Environment.TEST)
        tow = self.town.create()
        self.town.dispatch.run()
        (request,) = self.town.requests(tow.ref)
        path = f"/p/{self.town.token(request)}"
        self.phone.page(path)
        self.phone.post(f"{path}/offer", {"eta_minutes": "25"})
        answer = self.app.post(f"/tow-rides/{tow.ref}/business-offers/{business}/accept", key="once")
        assert answer.status_code == 200, answer.text
        key = self.core.provider_keys.create(business, evolve(LOCAL, environment=Environment.TEST)).text
        return Tow(scene=self, ref=tow.ref, request=request.ref, path=path, key=key)

    def later(self, time: timedelta) -> "Scene":
        return evolve(self, app=after(self.app, time))

    def accepted_appointment(self, *, before: ShownPhones | None = None) -> "Visit":
        """Book an appointment, check that it shows ``before``, and accept it as the mechanic."""
        visit = self.booked_appointment()
        assert visit.shown_phones() == (before or ShownPhones())
        self.phone.page(visit.path)
        assert self.phone.post(f"{visit.path}/accept").status_code == 303
        return visit

    def booked_appointment(self) -> "Visit":
        """Book an appointment that the mechanic has not answered."""
        garage = a_mechanic(self.core, phone=GARAGE)
        body = {
            "mechanic_ref": garage.ref,
            "customer_ref": a_customer(self.core, self.app.caller),
            "date": "2026-01-05",
            "time": "09:00",
        }
        booked = self.app.post("/appointments", body)
        assert booked.status_code == 201, booked.text
        ref = booked.get_json()["data"]["ref"]
        return Visit(scene=self, ref=ref, path=f"/m/{self.core.mechanic_responses.links.token(ref)}")


@frozen(kw_only=True)
class Tow:
    """An accepted tow."""

    scene: Scene
    ref: str
    request: str
    path: str
    key: str

    def at(self, scene: Scene) -> "Tow":
        return evolve(self, scene=scene)

    def data(self) -> Any:
        return self.scene.app.get(f"/tow-rides/{self.ref}").get_json()["data"]

    def shown_phones(self) -> ShownPhones:
        answer = self.scene.app.client.get(
            f"/api/v1/provider/requests/{self.request}", headers=bearer(self.key)
        )
        return ShownPhones(
            partner=self.data()["business"]["phone"],
            page=called_number(self.scene.phone, self.path),
            program=answer.get_json()["data"]["ride"]["customer"]["phone"],
        )

    def tracking_page(self) -> str:
        """Return the tracking page."""
        link = self.scene.app.post(f"/tow-rides/{self.ref}/tracking-link").get_json()["data"]["url"]
        return self.scene.phone.get(link.removeprefix(self.scene.core.settings.public_url)).text


@frozen(kw_only=True)
class Visit:
    """An appointment that the mechanic accepted."""

    scene: Scene
    ref: str
    path: str

    def at(self, scene: Scene) -> "Visit":
        return evolve(self, scene=scene)

    def data(self) -> Any:
        return self.scene.app.get(f"/appointments/{self.ref}").get_json()["data"]

    def customer_phone(self) -> str | None:
        """Return the customer's own phone."""
        appointment, _ = self.scene.core.appointments.get(self.ref, self.scene.app.caller)
        with self.scene.core.storage.read() as work:
            customer = work.customers.find_by_id(appointment.customer_id, appointment.caller)
        return None if customer is None else customer.phone

    def shown_phones(self) -> ShownPhones:
        file = self.scene.app.get(f"/appointments/{self.ref}/calendar.ics").text.replace("\r\n ", "")
        (description,) = [line for line in file.splitlines() if line.startswith("DESCRIPTION:")]
        phones = [part for part in description.removeprefix("DESCRIPTION:").split("\\n") if "Phone: " in part]
        return ShownPhones(
            partner=self.data()["mechanic"]["phone"],
            page=called_number(self.scene.phone, self.path),
            program=phones[0].removeprefix("Phone: ") if phones else None,
        )


def called_number(phone: Visitor, path: str) -> str | None:
    """Return the number that a page calls, or None."""
    links = [fields.get("href", "") for tag, fields in phone.page(path).tags if tag == "a"]
    numbers = [link.removeprefix("tel:") for link in links if link.startswith("tel:")]
    assert len(numbers) < 2
    return numbers[0] if numbers else None


def failures(data: Any) -> list[Any]:
    return [step["detail"] for step in data["timeline"] if step["action"] == "no_masked_phone"]


def test_both_sides_of_a_tow_see_the_number_for_a_day(core: Core, gateway: MisbehavingUpstream) -> None:
    gateway.behave(PATH, GIVES)
    scene = Scene.of(with_gateway(core, gateway))
    tow = scene.accepted_tow()
    (request,) = gateway.received(PATH)
    sent = str(payloads(core, tow.ref))
    page = tow.tracking_page()

    assert tow.shown_phones() == ShownPhones(partner=NUMBER, page=NUMBER, program=NUMBER)
    assert failures(tow.data()) == []
    for phone in request.document["between"]:
        assert phone not in str(tow.data())
        assert phone not in scene.phone.get(tow.path).text
        assert phone not in sent + page
    assert NUMBER in sent
    assert NUMBER not in page
    scene = scene.later(DAY)
    assert tow.at(scene).shown_phones() == ShownPhones(partner=NUMBER, page=NUMBER, program=NUMBER)
    scene = scene.later(SECOND)
    assert tow.at(scene).shown_phones() == ShownPhones()


def test_both_sides_of_an_appointment_see_the_number_until_a_day_after(
    core: Core, gateway: MisbehavingUpstream
) -> None:
    gateway.behave(PATH, GIVES)
    scene = Scene.of(with_gateway(core, gateway))
    visit = scene.accepted_appointment()
    (request,) = gateway.received(PATH)
    starts_at = scene.core.appointments.get(visit.ref, scene.app.caller)[0].starts_at

    assert request.document["until"] == "2026-01-06T14:00:00Z"
    assert visit.shown_phones() == ShownPhones(partner=NUMBER, page=NUMBER, program=NUMBER)
    scene = scene.later(starts_at + DAY - core.clock())
    assert visit.at(scene).shown_phones() == ShownPhones(partner=NUMBER, page=NUMBER, program=NUMBER)
    scene = scene.later(SECOND)
    assert visit.at(scene).shown_phones() == ShownPhones()


def test_unanswered_appointment_has_the_number_from_the_day_before(
    core: Core, gateway: MisbehavingUpstream
) -> None:
    gateway.behave(PATH, GIVES)
    scene = Scene.of(with_gateway(core, gateway))
    visit = scene.booked_appointment()
    starts_at = scene.core.appointments.get(visit.ref, scene.app.caller)[0].starts_at
    scene = scene.later(starts_at - timedelta(days=1) - SECOND - core.clock())
    assert scene.core.mechanic_responses.mask_due() == 0
    assert visit.at(scene).shown_phones() == ShownPhones()

    scene = scene.later(SECOND)
    assert scene.core.mechanic_responses.mask_due() == 1
    assert scene.core.mechanic_responses.mask_due() == 0
    assert visit.at(scene).shown_phones() == ShownPhones(partner=NUMBER, page=NUMBER, program=NUMBER)
    assert NUMBER in payloads(core, visit.ref)[-1]
    gateway.behave(PATH, FAILING["is down"][0])
    assert scene.phone.post(f"{visit.path}/accept").status_code == 303
    assert visit.at(scene).shown_phones() == ShownPhones(partner=NUMBER, page=NUMBER, program=NUMBER)
    assert failures(visit.at(scene).data()) == []


@pytest.mark.parametrize("hides", [False, True], ids=["shown", "hidden"])
def test_unanswered_appointment_without_a_number_follows_the_setting(
    core: Core, gateway: MisbehavingUpstream, *, hides: bool
) -> None:
    gateway.behave(PATH, FAILING["refuses"][0])
    scene = Scene.of(with_gateway(core, gateway, hides_phones=hides))
    visit = scene.booked_appointment()
    starts_at = scene.core.appointments.get(visit.ref, scene.app.caller)[0].starts_at
    scene = scene.later(starts_at - SECOND - core.clock())

    assert scene.core.mechanic_responses.mask_due() == 1
    assert scene.core.mechanic_responses.mask_due() == 0
    assert visit.at(scene).shown_phones() == (
        ShownPhones() if hides else ShownPhones(partner=GARAGE, program=GARAGE)
    )
    (step,) = failures(visit.at(scene).data())
    assert step["phones"] == ("hidden" if hides else "shown")


@pytest.mark.parametrize("name", FAILING)
@pytest.mark.parametrize("hides", [False, True], ids=["shown", "hidden"])
def test_failing_gateway_blocks_nothing_and_is_in_the_timeline(
    core: Core, gateway: MisbehavingUpstream, name: str, *, hides: bool
) -> None:
    behavior, reason = FAILING[name]
    gateway.behave(PATH, behavior)
    scene = Scene.of(with_gateway(core, gateway, hides_phones=hides))
    tow, visit = scene.accepted_tow(), scene.accepted_appointment()
    own, other, program = (
        (shown_phones := tow.shown_phones()).partner,
        shown_phones.page,
        shown_phones.program,
    )
    expected = [{"reason": reason, "phones": "hidden" if hides else "shown"}]
    if reason == "unavailable":
        # An appointment has time: the number is requested again until an hour before the start.
        assert (failures(visit.data()), visit.shown_phones()) == ([], ShownPhones())
        starts_at = scene.core.appointments.get(visit.ref, scene.app.caller)[0].starts_at
        scene = scene.later(starts_at - timedelta(hours=1) - core.clock())
        assert scene.core.mechanic_responses.mask_due() == 1
        visit, tow = visit.at(scene), tow.at(scene)

    assert (failures(tow.data()), failures(visit.data())) == (expected, expected)
    if hides:
        assert (own, other, program) == (None, None, None)
        assert visit.shown_phones() == ShownPhones()
    else:
        assert own == "+12025550000"
        assert other == program
        assert other not in {None, own}
        assert visit.shown_phones() == ShownPhones(
            partner=GARAGE, page=visit.customer_phone(), program=GARAGE
        )


def test_phones_are_shown_without_a_gateway(core: Core) -> None:
    scene = Scene.of(core)
    tow = scene.accepted_tow()
    shown_phones = tow.shown_phones()
    visit = scene.accepted_appointment(before=ShownPhones(partner=GARAGE, program=GARAGE))

    assert shown_phones.partner == "+12025550000"
    assert shown_phones.page == shown_phones.program
    assert shown_phones.page not in {None, shown_phones.partner}
    assert visit.shown_phones() == ShownPhones(partner=GARAGE, page=visit.customer_phone(), program=GARAGE)
    assert (failures(tow.data()), failures(visit.data())) == ([], [])


def payloads(core: Core, ref: str) -> list[str]:
    """Return the events of a record, as webhooks get them."""
    query = sa.select(events.c.payload).where(events.c.subject == ref)
    with core.storage.database.transaction(write=False) as connection:
        return [*connection.execute(query).scalars()]
