"""Who may see which page of the console, what a form must send, and the headers of every answer."""

import io
import re
import shutil
from base64 import b64encode
from collections.abc import Iterator, Mapping
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve, frozen
from tests import photos
from tests.conftest import SECRET_KEY, OpenCore
from tests.contracts.appointments import a_mechanic, book_next_slot
from tests.contracts.dispatching import Town, caller_of
from tests.contracts.partners import add_partner
from tests.contracts.rides import create_ride
from tests.http.people import ACCORD
from tests.http.visitors import PASSWORD, Page, Visitor, visitor
from tests.installations import sale
from tests.paper_invoices import INVOICES, as_pdf
from tests.reports import report

from repaircore.core import Core
from repaircore.dispatch.requests import MakeOffer
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import ANONYMOUS, LOCAL, Environment
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.keys import digest
from repaircore.predictions.model import PredictByVin
from repaircore.rides.model import RideKind
from repaircore.settings import Settings
from repaircore.shops.model import SaveShop
from repaircore.testing.clock import FrozenClock
from repaircore.testing.core import a_core
from repaircore.testing.models import CountingPanel
from repaircore.vehicle_bills.validation import RecordBill
from repaircore.visits.lifecycle import Action
from repaircore.visits.requests import CreateVisit
from repaircore.webhooks.model import AccountSubscriber, CreateAccountSubscription, CreateSubscription
from repaircore_http.console import Console
from repaircore_http.console.forms import FORM_BYTES
from repaircore_http.console.pages import PageRule, Pages
from repaircore_http.console.site import PAGES, PUBLIC_PAGES, Mounted
from repaircore_http.guards import Auth
from repaircore_http.routes import UndeclaredAuth
from repaircore_http.service import serve_core

STATIC = Path(__file__).parents[2] / "src" / "repaircore_http" / "console" / "static"
PARTNER = {"partner": "Ada's Rides"}
ASK = {"vin": ACCORD, "zip_code": "90210", "problem": "brake-pads-front"}
_PHOTO = photos.png(photos.code("QR", ACCORD))
VISIT = {"vin": ACCORD, "zip_code": "90210", "lines.0.problem_identifier": "brake-pads-front"}
_CSV = b"vin,problem,date,labor_hours,labor_rate,total\n"
_CARS = f"vin,zip,repair\n{ACCORD},90210,oil-change\n".encode()
QUOTE = {"vin": ACCORD, "zip_code": "90210"}
QUOTE_LINE = {
    "line_words": "Front brake pads",
    "line_kind": "repair",
    "line_repair": "",
    "line_parts": "",
    "line_parts_total": "",
    "line_labor_hours": "",
    "line_labor_rate": "",
    "line_total": "279.00",
}
SAME_ORIGIN = {"Sec-Fetch-Site": "same-origin"}


@frozen
class Call:
    """A page or a form: its method, its pattern and the auth that it needs."""

    method: str
    rule: str
    need: Auth


def calls() -> list[Call]:
    console = Console(lambda _: LOCAL, public_url="http://localhost")
    for pages in (*PAGES, *PUBLIC_PAGES):
        console.register_blueprint(pages)
    found = []
    for rule in console.url_map.iter_rules():
        assert isinstance(rule, PageRule)
        assert rule.auth is not None
        found += [Call(method, rule.rule, rule.auth) for method in sorted((rule.methods or set()) - {"HEAD"})]
    return sorted(found, key=lambda call: (call.rule, call.method))


CALLS = calls()
FORMS = [call for call in CALLS if call.method == "POST"]


@frozen
class Seed:
    """A database with some of every record, and the sessions of its users."""

    file: Path
    sessions: Mapping[str, str]


@pytest.fixture(scope="module")
def seed(_sqlite_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Seed:
    """Seed a database once, to be copied: seeding takes longer than most tests."""
    folder = tmp_path_factory.mktemp("installation")
    file = Path(shutil.copy(_sqlite_template, folder / "repaircore.db"))
    settings = Settings(
        secret_key=SECRET_KEY, database_url=f"sqlite:///{file}", state_folder=folder / "state"
    )
    core = a_core(settings, clock=FrozenClock(), panel=CountingPanel())
    for environment in ("test", "live"):
        core.partners.create(PARTNER["partner"], environment)
    app = serve_core(core)
    owners = {
        "user": visitor(app.test_client(), "Ada"),
        "admin": visitor(app.test_client(), "Root", core=core),
    }
    for owner in owners.values():
        caller = core.accounts.caller_for(owner.email)
        core.shops.save(SaveShop(name="Ada's Garage"), caller)
        core.shops.set_logo(io.BytesIO(_PHOTO), caller)
        core.partner_members.add(PARTNER["partner"], owner.email)
    core.close()
    return Seed(file, {name: owner.session for name, owner in owners.items()})


@pytest.fixture
def database_url(request: pytest.FixtureRequest, sqlite_url: str, tmp_path: Path) -> str:
    """Use SQLite only: the guards do not depend on the database."""
    if "installation" in request.fixturenames:
        shutil.copy(request.getfixturevalue("seed").file, tmp_path / "repaircore.db")
    return sqlite_url


class Installation:
    """A core with some of every record, and valid calls for it."""

    def __init__(self, core: Core, sessions: Mapping[str, str]) -> None:
        self.core = core = core.replacing(passwords=evolve(core.passwords, sends_mails=True))
        self.app = serve_core(core)
        self._numbers = count()
        self._bill = ""
        self._event = ""
        self.people: dict[str, Visitor] = {
            "nobody": Visitor(self.app.test_client()),
            "user": Visitor.returning(self.app.test_client(), "Ada", sessions["user"]),
            "admin": Visitor.returning(self.app.test_client(), "Root", sessions["admin"]),
        }

    def path(self, rule: str, user: Visitor) -> str:
        """Fill in the parameters of a pattern with records of a visitor."""
        if rule.endswith("/<digest>/<name>"):
            return str(re.findall(r'href="([^"]+console\.css)"', user.get("/console/login").text)[0])
        for name, value in self._parameters(rule, user).items():
            rule = re.sub(rf"<(?:int:)?{name}>", str(value), rule)
        return rule

    def form(self, rule: str) -> dict[str, Any]:
        """Return a valid form."""
        forms: dict[str, dict[str, Any]] = {
            "/console/login": {"email": "ada@example.org", "password": PASSWORD},
            "/console/register": {"name": "Bo", "email": "bo@example.org", "password": PASSWORD},
            "/console/forgot": {"email": "ada@example.org"},
            "/console/reset/<token>": {"password": PASSWORD},
            "/console/setup/<token>": {"name": "Bo", "email": "bo@example.org", "password": PASSWORD},
            "/console/account/password": {"current_password": PASSWORD, "password": PASSWORD},
            "/console/account/webhooks": {"url": "https://example.com/hooks", "events": "visit.sent"},
            "/console/keys/<int:key_id>/rename": {"new_name": "front desk"},
            "/console/keys/<int:key_id>/rotate": {"overlap_hours": "24"},
            "/console/environment": {"environment": "live"},
            "/console/keys": {"name": "shop", "environment": "test"},
            "/console/estimates": ASK,
            "/console/estimates/<session_id>/feedback": {"rating": "good"},
            "/console/vehicles/vin.json": {"vin": ACCORD},
            "/console/estimates/<session_id>/again": {"parts_tier": "oem"},
            "/estimate": ASK,
            "/estimate/vehicle.json": {"vin": ACCORD},
            "/console/vehicles/plate": {"plate": "TEST123", "state": "CA"},
            "/console/vehicles/photo": {"image": (io.BytesIO(_PHOTO), "vin.png")},
            "/console/links/stop": {"quote": "00"},
            "/console/shop": {"name": "Ada's Garage"},
            "/console/garage/add": {"vins": "1FT7W2B60GEB96643", "zip_code": "60601"},
            "/console/garage/add/plate": {"plate": "TEST123", "state": "CA"},
            "/console/garage/add/file": {"file": (io.BytesIO(b"vin\n1FT7W2B60GEB96643\n"), "vehicles.csv")},
            "/console/garage/vehicles/<vehicle>": {"nickname": "Blue"},
            "/console/garage/vehicles/<vehicle>/odometer": {"miles": "81,500"},
            "/console/garage/vehicles/<vehicle>/done": {"service": "tire-rotation"},
            "/console/garage/vehicles/<vehicle>/bills": {
                "on": "2025-01-02",
                "total": "58.20",
                "title": "Tires",
            },
            "/console/garage/vehicles/<vehicle>/bills/remove": {"bill": self._bill},
            "/console/shop/logo": {"logo": (io.BytesIO(_PHOTO), "logo.png")},
            "/console/visits/new": VISIT,
            "/console/visits/<number>/edit": {**VISIT, "version": "1"},
            "/console/visits/<number>/send": {"version": "1"},
            "/console/visits/<number>/act": {"version": "1", "action": "cancel"},
            "/console/visits/<number>/approve": {"version": "1", "name": "Grace"},
            "/console/visits/<number>/invoice": {"version": "2"},
            "/console/visits/<number>/delete": {"version": "1"},
            "/m/<token>/accept": {"moves": "0"},
            "/m/<token>/decline": {"moves": "0"},
            "/m/<token>/no-show": {"moves": "0"},
            "/p/<token>/offer": {"eta_minutes": "25"},
            "/p/<token>/complete": {"outcome": "completed"},
            "/v/<token>": {"version": "2", "name": "Grace", "all": "approved"},
            "/console/admin/import": {"file": (io.BytesIO(_CSV), "invoices.csv")},
            "/console/admin/invoices": {"file": (io.BytesIO(as_pdf(INVOICES[1])), "invoice.pdf")},
            "/console/admin/invoices/<number>": {"step": "add"},
            "/quote": {**QUOTE, "text": "Front brake pads $279.00"},
            "/quote/lines": {**QUOTE, **QUOTE_LINE},
            "/quote/share": {**QUOTE, **QUOTE_LINE},
            "/console/admin/partners": {"name": "Bo's Rides", "environment": "live"},
            "/console/admin/partners/rotate": {**PARTNER, "rotate_environment": "test"},
            "/console/admin/partners/suspend": PARTNER,
            "/console/admin/partners/resume": PARTNER,
            "/console/admin/partners/members/add": {**PARTNER, "email": "ada@example.org"},
            "/console/admin/partners/members/remove": {**PARTNER, "email": "ada@example.org"},
            "/console/partner/webhooks": {"url": "https://example.com/hooks", "events": "ride.*"},
            "/console/partner/webhooks/<ref>/replay": {"event": self._event},
            "/console/partner/webhooks/<ref>/change": {"url": "https://example.com/hooks", "events": "*"},
            "/console/partner/keys/rotate": {"hours": "1", "end_sessions": "true"},
            "/console/admin/prices": {"percent": "0"},
            "/console/admin/backups": {"current_password": PASSWORD},
            "/console/admin/backups/later": {"current_password": PASSWORD},
            "/console/tasks/<int:task_id>/backup": {"current_password": PASSWORD},
            "/console/tasks/start": {"kind": "refit"},
            "/p/<token>/photo": {"stage": "pickup", "photo": (io.BytesIO(_PHOTO), "car.png")},
            "/p/<token>/signature": {
                "stage": "pickup",
                "signed_by": "Bo",
                "signature": f"data:image/png;base64,{b64encode(_PHOTO).decode()}",
            },
            "/console/admin/import/review": {"text": "fix it", "words": "brakes"},
            "/console/batch": {"file": (io.BytesIO(_CARS), "cars.csv")},
            "/console/admin/users/new": {"name": "Bo", "email": "bo@example.org", "mail": "false"},
            "/console/admin/users/<int:user_id>/promote": {"current_password": PASSWORD},
            "/console/admin/users/<int:user_id>/link": {"current_password": PASSWORD},
            "/console/admin/webhooks/replay": {"event": "evt_none"},
            "/diagnose": {"words": "squeals when I brake", "codes": "P0420"},
            "/repairs/<slug>": {"vin": ACCORD, "zip_code": "90210"},
            "/console/admin/regions/new": {"facility_name": "Garage"},
            "/console/admin/regions/<int:facility_id>": {"facility_name": "Garage"},
        }
        return forms.get(rule, {})

    def open(self, call: Call, user: Visitor, **options: Any) -> Any:
        """Make a valid call, with the form token of this visitor."""
        path = self.path(call.rule, user)
        query = "?q=brakes" if call.rule.endswith("/repairs.json") else ""
        if call.method == "GET":
            return user.get(path + query)
        # The form token of a public page is that of the session, if there is one.
        pages = {Auth.NONE: "/console/login", Auth.OPTIONAL: "/diagnose"}
        user.get(pages.get(call.need, "/console/keys"))
        return user.post(path, self.form(call.rule), **options)

    def _parameters(self, rule: str, user: Visitor) -> Mapping[str, object]:
        if "<session_id>" in rule:
            is_login = rule.startswith("/console/account/")
            return {"session_id": self._another_session(user) if is_login else self._an_estimate(user)}
        if rule.startswith(("/m/", "/p/", "/t/")):
            return self._linked_records(rule)
        if "<number>" in rule or rule.startswith(("/v/", "/quote/", "/e/")):
            return self._shared_records(rule, user)
        if "<int:key_id>" in rule:
            owner = self.people["admin" if user is self.people["admin"] else "user"]
            caller = self.core.accounts.caller_for(owner.email)
            created = self.core.accounts.create_key(name="shop", environment="test", caller=caller)
            return {"key_id": created.key.id}
        if "<int:facility_id>" in rule:
            return {"facility_id": self.core.facilities.create(CreateFacility(facility_name="Garage")).id}
        slug = "brake-pads-front"
        return {
            "task_id": self._task(rule, user) if "<int:task_id>" in rule else 0,
            "import_id": self._import(user) if "<int:import_id>" in rule else 0,
            "transaction_id": self._transaction() if "<int:transaction_id>" in rule else 0,
            "identifier": slug,
            "slug": slug,
            "token": "0" * 43,
            "name": "messages.prune",
            "ref": self._ref(rule, user) if "<ref>" in rule else "",
            "month": "2026-01",
            "step": "test",
            "vehicle": self._vehicle(user) if "<vehicle>" in rule else "",
            "user_id": self._another_user() if "<int:user_id>" in rule else 0,
        }

    def _linked_records(self, rule: str) -> Mapping[str, object]:
        if rule.startswith("/t/"):
            return {"token": self._tracking_token()}
        is_mechanic = rule.startswith("/m/")
        token = self._appointment_token(rule) if is_mechanic else self._job_token(rule)
        return {"token": token, "step": "accept" if is_mechanic else "offer"}

    def _shared_records(self, rule: str, user: Visitor) -> Mapping[str, object]:
        if "/admin/invoices/" in rule:
            return {"number": self._draft()}
        if not rule.startswith(("/quote/", "/e/")):
            return {"number": self._visit(user, rule), "token": self._token(rule)}
        if rule.startswith("/e/"):
            request = PredictByVin(vin=ACCORD, zip_code="90210", problem_identifier="brake-pads-front")
            return {"token": self.core.shared_estimates.share(self.core.predictions.predict(request)).token}
        sharer = self.core.accounts.caller_for(user.email) if user.email else ANONYMOUS
        link = self.core.shared_quotes.share(report(), sharer)
        return {"token": link.token, "secret": link.deletion_secret}

    def _job_token(self, rule: str) -> str:
        """Return the token of a provider's job, in the state in which a form of its page is valid."""
        number = next(self._numbers)
        partner = add_partner(self.core.storage.database, f"Towify {number}")
        town = Town.of(self.core, partner, RideKind.TOW)
        town.add_providers(1, environment=Environment.TEST, since=number)
        tow = town.create()
        town.dispatch.run()
        request = town.requests(tow.ref)[0]
        caller, step = caller_of(request), rule.rpartition("/")[2]
        if step in {"en-route", "arrived", "start", "photo", "signature", "complete", "drop-out"}:
            town.provider_requests.offer(request.ref, MakeOffer(eta_minutes=20), caller)
            town.rides.accept_offer(tow.ref, request.provider_ref, town.partner)
        if step in {"start", "photo", "signature", "complete"}:
            town.provider_requests.arrive(request.ref, caller)
        if step == "complete":
            town.provider_requests.start(request.ref, caller)
        return town.token(request)

    def _tracking_token(self) -> str:
        """Return the token of a link to follow a tow."""
        partner = add_partner(self.core.storage.database, f"Towify {next(self._numbers)}")
        tow = create_ride(self.core, self.core.tows, partner)
        return self.core.tracking.share(tow.kind, tow.ref, partner).address.rpartition("/")[2]

    def _appointment_token(self, rule: str) -> str:
        """Return the token of an appointment that its mechanic has not answered; one that has started, to end it."""
        caller = add_partner(self.core.storage.database, f"Bookify {self.core.new_id()}")
        garage = a_mechanic(self.core, hours="mon-sun 00:00-24:00")
        booked = book_next_slot(self.core, caller, garage)
        if rule.endswith("/no-show"):
            assert isinstance(self.core.clock, FrozenClock)
            self.core.clock.advance(booked.starts_at - self.core.clock())
        return self.core.mechanic_responses.links.token(booked.ref)

    def _an_estimate(self, user: Visitor) -> str:
        owner = user if user is not self.people["nobody"] else self.people["user"]
        owner.get("/console")
        return str(owner.post("/console/estimates", ASK).headers["Location"].rsplit("/", 1)[1])

    def _ref(self, rule: str, user: Visitor) -> str:
        """Return the reference of a webhook of the visitor's, or of a webhook or a job of their partner."""
        if "/partner/" not in rule:
            return self._webhook(user)
        member = self.core.accounts.caller_for(user.email or self.people["user"].email)
        _, own = self.core.partner_members.get(member)
        if "/jobs/" in rule:
            return Town.of(self.core, own, RideKind.TOW).create().ref
        data = CreateSubscription(url="https://example.com/hooks", events=("*",))
        ref = self.core.webhooks.create(data, own).subscription.ref
        self._event = self.core.webhooks.enqueue_test(ref, own)
        return ref

    def _webhook(self, user: Visitor) -> str:
        caller = self.core.accounts.caller_for(user.email or self.people["user"].email)
        data = CreateAccountSubscription(url="https://example.com/hooks", events=("*",))
        return self.core.webhooks.create(data, AccountSubscriber.of(caller)).subscription.ref

    def _another_session(self, user: Visitor) -> str:
        email = user.email or self.people["user"].email
        started = self.core.accounts.login(email=email, password=PASSWORD, address="192.0.2.1")
        return digest(started.session_token)[:8].hex()

    def _token(self, rule: str) -> str:
        if "<token>" not in rule:
            return ""
        owner = self.core.accounts.caller_for(self.people["admin"].email)
        number = self._visit(self.people["admin"], rule)
        sent = self.core.documents.send(number, owner, version=1, by_mail=False)
        return sent.link.rsplit("/", 1)[1]

    def _vehicle(self, user: Visitor) -> str:
        """Return the VIN of a vehicle in a visitor's garage."""
        owner = self.people["admin" if user is self.people["admin"] else "user"]
        caller = self.core.accounts.caller_for(owner.email)
        self.core.garage_additions.add_many([{"vin": ACCORD, "zip_code": "60601"}], caller)
        bill = RecordBill(on=date(2025, 1, 2), total=58.2, title="Tires")
        self._bill = str(self.core.vehicle_bills.record(ACCORD, bill, caller).id)
        return ACCORD

    def _another_user(self) -> int:
        email = f"{len(self.core.accounts.list_users())}@example.org"
        return self.core.accounts.create_user(name="Bo", email=email, password=PASSWORD).id

    def _task(self, rule: str, user: Visitor) -> int:
        owner = user if user is not self.people["nobody"] else self.people["user"]
        admin = self.core.accounts.caller_for(self.people["admin"].email)
        starts = self.core.task_starts
        if rule.startswith("/console/admin/import"):
            task = starts.check_file("invoices.csv", io.BytesIO(_CSV), admin)
        elif rule.endswith("/backup"):
            task = starts.back_up(admin)
        else:
            caller = self.core.accounts.caller_for(owner.email)
            task = starts.predict_file("cars.csv", io.BytesIO(_CARS), caller)
        if not rule.endswith("/cancel"):
            self.core.task_worker.run_due()
        return task.id

    def _import(self, user: Visitor) -> int:
        check_id = self._task("/console/admin/import", user)
        admin = self.core.accounts.caller_for(self.people["admin"].email)
        self.core.task_starts.import_checked(check_id, admin)
        self.core.task_worker.run_due()
        return self.core.invoice_reviews.list_imports()[0].id

    def _transaction(self) -> int:
        return self.core.transactions.record(sale(self.core), LOCAL).id

    def _draft(self) -> str:
        caller = self.core.accounts.caller_for(self.people["admin"].email)
        return self.core.invoice_drafts.create(io.BytesIO(as_pdf(INVOICES[0])), name="", caller=caller).number

    def _visit(self, user: Visitor, rule: str) -> str:
        owner = user if user is not self.people["nobody"] else self.people["user"]
        caller, visits = self.core.accounts.caller_for(owner.email), self.core.visits
        lines = [{"problem_identifier": "brake-pads-front"}]
        request = visits.parse({"vin": ACCORD, "zip_code": "90210", "lines": lines}, CreateVisit)
        number = visits.create(request, caller).number
        if rule.endswith("/invoice"):
            visits.act(number, Action.APPROVE, caller)
        return number


@pytest.fixture
def installation(core: Core, seed: Seed) -> Iterator[Installation]:
    created = Installation(core, seed.sessions)
    yield created
    created.core.close()


def call_id(call: Call) -> str:
    return f"{call.method} {call.rule}"


def outcome(answer: Any) -> str:
    """Return how the guard treated a visitor."""
    if answer.status_code == 303 and answer.headers["Location"].startswith("/console/login"):
        return "to the login"
    return "refused" if answer.status_code == 403 else "let in"


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize("call", CALLS, ids=call_id)
def test_each_visitor_is_admitted_only_where_allowed(installation: Installation, call: Call) -> None:
    fields = {name: outcome(installation.open(call, user)) for name, user in installation.people.items()}
    expected = {
        Auth.NONE: {"nobody": "let in", "user": "let in", "admin": "let in"},
        Auth.OPTIONAL: {"nobody": "let in", "user": "let in", "admin": "let in"},
        Auth.SESSION: {"nobody": "to the login", "user": "let in", "admin": "let in"},
        Auth.ADMIN: {"nobody": "to the login", "user": "refused", "admin": "let in"},
    }[call.need]
    if call.rule == "/console/logout":
        expected = dict.fromkeys(expected, "to the login")
    assert fields == expected


FORGED_REQUESTS: dict[str, tuple[dict[str, str], str | None]] = {
    "no token": (SAME_ORIGIN, ""),
    "a made-up token": (SAME_ORIGIN, "0" * 64),
    "an odd token": (SAME_ORIGIN, "é"),
    "another site": ({"Sec-Fetch-Site": "cross-site"}, None),
    "a sibling": ({"Sec-Fetch-Site": "same-site"}, None),
    "another origin": ({"Origin": "https://example.com"}, None),
    "no origin": ({"Origin": "null"}, None),
    "an odd origin": ({"Origin": "http://[", "Referer": "http://localhost/console"}, None),
    "nothing": ({}, None),
}


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize("call", FORMS, ids=call_id)
def test_form_that_was_not_sent_from_here_does_nothing(installation: Installation, call: Call) -> None:
    fields = {}
    for name, (headers, token) in FORGED_REQUESTS.items():
        answer = installation.open(call, installation.people["admin"], headers=headers, token=token)
        assert "This form has expired, or was sent from another site." in Page(answer.text).words
        fields[name] = answer.status_code
    assert fields == dict.fromkeys(FORGED_REQUESTS, 403)


def test_form_token_of_another_user_is_rejected(installation: Installation, core: Core) -> None:
    ada, root = installation.people["user"], installation.people["admin"]
    ada.get("/console/keys")
    root.get("/console/keys")
    answer = root.post("/console/keys", {"name": "shop", "environment": "test"}, token=ada.token)
    assert answer.status_code == 403
    assert core.accounts.list_keys(core.accounts.caller_for(root.email)) == []


def test_form_token_of_the_login_page_is_rejected_in_a_session(installation: Installation) -> None:
    ada = installation.people["user"]
    ada.get("/console/login")
    answer = ada.post("/console/keys", {"name": "shop", "environment": "test"})
    assert answer.status_code == 403


@pytest.mark.parametrize("origin", ["http://localhost", "https://shop.example.com"])
def test_form_with_our_own_origin_is_accepted(open_core: OpenCore, origin: str) -> None:
    core = open_core(public_url="https://shop.example.com")
    ada = visitor(serve_core(core).test_client(), "Ada")
    ada.base = "https://localhost"  # its cookies are for TLS alone
    ada.log_in()
    ada.get("/console/keys")
    answer = ada.post(
        "/console/keys",
        {"name": "shop", "environment": "test"},
        headers={"Origin": origin.replace("http://localhost", "https://localhost")},
    )
    assert answer.status_code == 201


def test_console_accepts_no_bearer_token_and_the_api_no_cookie(installation: Installation) -> None:
    cookie = installation.people["user"].client.get_cookie("repaircore_session")
    assert cookie is not None
    bearer = {"Authorization": f"Bearer {cookie.value}"}
    client = installation.app.test_client()
    assert client.get("/api/user", headers=bearer).status_code == 200
    assert client.get("/console/keys", headers=bearer).status_code == 303
    client.set_cookie("repaircore_session", cookie.value)
    assert client.get("/api/user").status_code == 401


def test_api_key_is_not_a_session(installation: Installation, core: Core) -> None:
    caller = core.accounts.caller_for(installation.people["admin"].email)
    created = core.accounts.create_key(name="shop", environment="live", caller=caller)
    for secret in (created.secret_key, created.key.public_key):
        client = installation.app.test_client()
        client.set_cookie("repaircore_session", secret)
        for path in ("/console/keys", "/console/admin/prices"):
            assert client.get(path).status_code == 403


def test_page_without_declared_auth_stops_the_start() -> None:
    console = Console(lambda _: LOCAL, public_url="http://localhost")
    console.add_url_rule("/console/secrets", "secrets", lambda: "secret")
    with pytest.raises(UndeclaredAuth, match="/console/secrets"):
        console.require_credentials()
    keyed = Console(lambda _: LOCAL, public_url="http://localhost")
    pages = Pages("keyed", auth=Auth.KEY)
    pages.add_url_rule("/keyed", "keyed", lambda: "secret")
    keyed.register_blueprint(pages)
    with pytest.raises(UndeclaredAuth, match="/console/keyed"):
        keyed.require_credentials()


def test_page_added_after_the_start_is_not_served(core: Core) -> None:
    app = serve_core(core)
    mounted = app.wsgi_app
    assert isinstance(mounted, Mounted)
    mounted.console.add_url_rule("/console/secrets", "secrets", lambda: "secret")
    answer = app.test_client().get("/console/secrets")
    assert answer.status_code == 500
    assert "secret" not in Page(answer.text).words


# The headers of every answer

HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize("call", CALLS, ids=call_id)
def test_every_page_is_safe_whole_and_labeled(installation: Installation, call: Call) -> None:
    answer = installation.open(call, installation.people["admin"])
    # There is no plate provider here, and no such event.
    odd = {
        ("POST", "/console/vehicles/plate"): {422},
        ("POST", "/console/garage/add/plate"): {422},
        ("POST", "/console/admin/webhooks/replay"): {303, 404},
        # Search engines may list nothing here.
        ("GET", "/sitemap.xml"): {404},
        # Their links ended, or there is an admin: test_console_account.py opens some that work.
        **{
            (method, f"/console/{page}/<token>"): {404}
            for method in ("GET", "POST")
            for page in ("reset", "setup")
        },
    }
    good = odd.get((call.method, call.rule), {200, 201, 303})
    assert answer.status_code in good, answer.text
    assert {name: answer.headers.getlist(name) for name in HEADERS} == {
        name: [value] for name, value in HEADERS.items()
    }
    caching = "public, max-age=31536000, immutable" if "/static/" in call.rule else "no-store"
    assert answer.headers.getlist("Cache-Control") == [caching]
    if answer.mimetype != "text/html" or not answer.text:
        return
    page = Page(answer.text)
    assert len(page.ids) == len(set(page.ids))
    assert not [
        name for _, fields in page.tags for name in fields if name == "style" or name.startswith("on")
    ]
    assert not [
        fields for tag, fields in page.tags if tag == "style" or (tag == "script" and "src" not in fields)
    ]
    addresses = [
        fields.get("src") or fields.get("href")
        for tag, fields in page.tags
        if tag in {"script", "link", "img"} and fields.get("rel") != "canonical"
    ]
    ours = ("/console/static/", "/console/shop/logo", "/v/")
    assert all(address and address.startswith(ours) for address in addresses)
    field_ids = {
        field["id"] for field in page.fields if field.get("type") not in {"hidden", "radio", "checkbox"}
    }
    assert field_ids <= page.labels
    described = {one for field in page.fields for one in field.get("aria-describedby", "").split()}
    assert described <= set(page.ids)
    assert [tag for tag, _ in page.tags].count("h1") == 1
    tokens = [field for field in page.fields if field.get("name") == "form_token"]
    posts = [fields for tag, fields in page.tags if tag == "form" and fields.get("method") == "post"]
    assert len(tokens) == len(posts)


def _flags(answer: Any, name: str) -> set[str]:
    cookie = next(one for one in answer.headers.getlist("Set-Cookie") if one.startswith(f"{name}="))
    return {part.strip() for part in cookie.split(";")[1:]}


@pytest.mark.parametrize(
    ("base", "public_url", "secure"),
    [
        ("http://localhost", "http://127.0.0.1:8000", False),
        ("https://localhost", "http://127.0.0.1:8000", True),
        ("http://localhost", "https://shop.example.com", True),
    ],
)
def test_cookies_are_same_site_and_http_only(
    open_core: OpenCore, base: str, public_url: str, *, secure: bool
) -> None:
    client = serve_core(open_core(public_url=public_url)).test_client()
    form = client.get("/console/register", base_url=base)
    flags = {"HttpOnly", "SameSite=Strict", "Path=/", *(["Secure"] if secure else [])}
    assert _flags(form, "repaircore_visit") == flags
    visit = re.findall(r"repaircore_visit=([^;]+)", form.headers["Set-Cookie"])[0]
    fields = {
        "form_token": Page(form.text).value("form_token"),
        "name": "Ada",
        "email": "ada@example.org",
        "password": PASSWORD,
    }
    without_cookies = client.application.test_client(use_cookies=False)
    headers = {**SAME_ORIGIN, "Cookie": f"repaircore_visit={visit}"}
    answer = without_cookies.post("/console/register", data=fields, base_url=base, headers=headers)
    assert answer.status_code == 303
    assert _flags(answer, "repaircore_session") == flags


# Error pages


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/console/nothing", 404),
        ("GET", "/console/keys/", 404),
        ("GET", "/console/keys/99999999999999999999/delete", 404),
        ("GET", "/console/logout", 405),
        ("DELETE", "/console/keys", 405),
        ("GET", "/console/%00", 404),
        ("GET", "/console/static/0000000000000000/console.css", 404),
        ("GET", "/console/estimates/%ff", 404),
    ],
)
def test_unknown_addresses_and_methods_are_error_pages(
    installation: Installation, method: str, path: str, status: int
) -> None:
    answer = installation.people["user"].client.open(path, method=method, headers=SAME_ORIGIN)
    assert (answer.status_code, answer.mimetype) == (status, "text/html")
    assert Page(answer.text).words


def test_invalid_host_is_not_our_own_origin(installation: Installation) -> None:
    ada = installation.people["user"]
    ada.get("/console/keys")
    answer = ada.post(
        "/console/keys",
        {"name": "shop", "environment": "test"},
        headers={"Host": "a b", "Origin": "http://a b"},
    )
    assert answer.status_code == 403


def test_form_that_cannot_be_shown_again_is_an_error_page(installation: Installation, core: Core) -> None:
    ada, root = installation.people["user"], installation.people["admin"]
    root.get("/console")
    address = root.post("/console/estimates", ASK).headers["Location"]
    ada.get("/console/keys")
    answer = ada.post(f"{address}/feedback", {"rating": "good"})
    assert (answer.status_code, answer.mimetype) == (404, "text/html")
    assert core.ratings.statistics(UUID(address.rsplit("/", 1)[1])).total == 0


def test_too_large_form_is_an_error_page(installation: Installation) -> None:
    ada = installation.people["user"]
    ada.get("/console/keys")
    answer = ada.post("/console/keys", {"name": "x" * (FORM_BYTES + 1)})
    assert (answer.status_code, answer.mimetype) == (413, "text/html")


@pytest.mark.parametrize("name", [b"a%00b", b"a\x00b", b"\xed\xa0\x80", b"%ED%A0%80", b"%zz", b"&name=b"])
def test_odd_text_causes_no_server_error(installation: Installation, name: bytes) -> None:
    ada = installation.people["user"]
    ada.get("/console/keys")
    body = b"form_token=" + ada.token.encode() + b"&environment=test&name="
    body += name
    answer = ada.client.post(
        "/console/keys", data=body, content_type="application/x-www-form-urlencoded", headers=SAME_ORIGIN
    )
    assert answer.status_code in {201, 400, 403, 422}


def test_typed_text_is_escaped(installation: Installation) -> None:
    ada = installation.people["user"]
    ada.get("/console")
    script = '"><script>alert(1)</script>'
    answer = ada.post(
        "/console/estimates", dict.fromkeys(("vin", "zip_code", "problem", "mileage", "make"), script)
    )
    assert "<script>alert" not in answer.text
    assert Page(answer.text).value("vin") == script


class _Unavailable:
    def page(self, *_: object, **__: object) -> None:
        raise Unavailable("The database is not responding.")


class _Broken:
    def page(self, *_: object, **__: object) -> None:
        raise RuntimeError("secret trace")


def test_unavailable_service_is_an_error_page(core: Core) -> None:
    ada = visitor(serve_core(core).test_client(), "Ada")
    pages = {}
    for predictions in (_Unavailable(), _Broken()):
        client = serve_core(core.replacing(past_predictions=predictions)).test_client()
        cookie = ada.client.get_cookie("repaircore_session")
        assert cookie is not None
        client.set_cookie("repaircore_session", cookie.value)
        answer = client.get("/console/history", headers={"X-Request-Id": "quote-me"})
        assert answer.mimetype == "text/html"
        assert "secret" not in answer.text
        assert "quote-me" in Page(answer.text).words
        pages[answer.status_code] = Page(answer.text).words
    assert set(pages) == {503, 500}


def test_rate_limit_is_an_error_page(open_core: OpenCore) -> None:
    ada = visitor(serve_core(open_core(requests_per_minute=3)).test_client(), "Ada")
    results = [ada.get("/console/keys") for _ in range(4)]
    assert results[-1].status_code == 429
    assert 1 <= int(results[-1].headers["Retry-After"]) <= 60
    assert re.search(r"Try again in \d+ second", Page(results[-1].text).words)


def test_root_has_the_headers_of_every_page(installation: Installation) -> None:
    answer = installation.app.test_client().get("/", headers={"X-Request-Id": "quote-me"})
    assert answer.status_code == 200
    assert answer.headers["X-Request-Id"] == "quote-me"
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_unknown_page_shows_whether_the_visitor_is_logged_in(installation: Installation, method: str) -> None:
    known, unknown = (
        installation.people[user].client.open("/console/nowhere", method=method, headers=SAME_ORIGIN).text
        for user in ("admin", "nobody")
    )
    assert ('action="/console/logout"' in known, 'action="/console/logout"' in unknown) == (True, False)


def test_unknown_page_with_an_ended_session_is_not_found(installation: Installation) -> None:
    client = installation.app.test_client()
    client.set_cookie("repaircore_session", "rc_session_gone")
    assert client.get("/console/nowhere").status_code == 404


def test_api_keeps_its_own_addresses(installation: Installation) -> None:
    client = installation.app.test_client()
    for path in ("/consoles", "/api/v1/nothing", "/Console"):
        answer = client.get(path)
        assert (answer.status_code, answer.mimetype) == (404, "application/json")
    assert client.post("/").status_code == 404
    assert client.get("/healthz").get_json() == {"status": "ok"}


# Contrast (WCAG 2.2, 1.4.3 and 1.4.11)

_TEXT = [
    ("text", "ground"), ("text", "card"), ("muted", "ground"), ("muted", "card"), ("accent", "ground"), ("accent", "card"),
    ("accent-strong", "card"), ("on-accent", "accent"), ("on-accent", "accent-strong"), ("on-accent-soft", "accent-soft"),
    ("on-good-soft", "good-soft"), ("on-good-soft", "card"), ("on-warn-soft", "warn-soft"), ("on-warn-soft", "card"), ("on-bad-soft", "bad-soft"),
    ("bad", "card"), ("on-bad", "bad"), ("on-mark", "mark-a"), ("on-mark", "mark-b"),
]  # fmt: skip
_SHAPES = [("edge", "card"), ("accent", "card"), ("mark-a", "card"), ("mark-b", "card"), ("bad", "card"), ("edge", "ground")]  # fmt: skip


def _schemes() -> dict[str, dict[str, str]]:
    blocks = re.findall(r":root \{(.*?)\}", (STATIC / "colors.css").read_text(), re.DOTALL)
    light, dark, _ = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6});", block)) for block in blocks)
    return {"light": light, "dark": {**light, **dark}}


def _luminance(color: str) -> float:
    channels = [int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colors, 1 to 21."""
    lighter, darker = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_contrast_follows_its_definition() -> None:
    assert round(contrast("#ffffff", "#000000"), 2) == 21
    assert round(contrast("#777777", "#ffffff"), 2) == 4.48


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_and_shapes_have_enough_contrast(scheme: str) -> None:
    colors = _schemes()[scheme]
    fields = {
        (one, on): round(contrast(colors[one], colors[on]), 2)
        for pairs, least in ((_TEXT, 4.5), (_SHAPES, 3.0))
        for one, on in pairs
        if contrast(colors[one], colors[on]) < least
    }
    assert fields == {}


_REFERENCE = STATIC.parents[1] / "document" / "static"
_PAPER = {"#fff", "#000"}
"""The colors of printed pages, logos and signatures in both schemes."""


@pytest.mark.parametrize(
    "style", [*STATIC.glob("*.css"), *_REFERENCE.glob("*.css")], ids=lambda path: path.name
)
def test_colors_are_used_only_in_the_two_schemes(style: Path) -> None:
    outside = re.sub(r":root \{.*?\}", "", style.read_text(), flags=re.DOTALL)
    values = re.findall(r"[\w-]+:\s*([^;{}]+)[;}]", outside)
    colors = {
        color for value in values for color in re.findall(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsl", value)
    }

    assert colors <= _PAPER


def test_color_names_are_defined_in_one_place() -> None:
    styles = {path.name: path.read_text() for path in [*STATIC.glob("*.css"), *_REFERENCE.glob("*.css")]}
    defined = set(re.findall(r"(--[\w-]+):", styles["colors.css"]))
    used = {name for text in styles.values() for name in re.findall(r"var\((--[\w-]+)\)", text)}

    assert used <= defined
