"""Every route against the list of endpoints, both ways, and every credential against every route."""

import csv
import io
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import date
from itertools import count, cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from attrs import evolve, frozen
from flask.testing import FlaskClient
from tests import photos
from tests.http.people import ACCORD, ASK, SPECS, Person, bearer, person
from tests.http.providers import with_cars, with_provider
from tests.http.shape import shaped
from tests.http.watched import serve_core
from tests.paper_invoices import INVOICES, as_pdf

from repaircore.core import Core, build
from repaircore.facilities.model import CreateFacility
from repaircore.kernel.callers import LOCAL, Caller, Credential, Environment, Role
from repaircore.kernel.keys import digest
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.passwords.model import LINK_LIFETIME, PasswordReset
from repaircore.settings import Settings
from repaircore.testing.builders import a_campaign, a_recalled_vehicle
from repaircore.vehicles.validation import CreateVehicle
from repaircore_http.app import Api
from repaircore_http.console.admin.imports import MOST_FILE_BYTES
from repaircore_http.core import EXTENSION
from repaircore_http.fast_path.arrival import LONGEST_BODY
from repaircore_http.routes import GuardedRule
from repaircore_http.uploads import FORM_OVERHEAD

_PHOTO = photos.png(photos.code("QR", "1HGCM82633A004352"))
CHAT = "/api/v1/diagnostic/chat"
TOPICS = "/api/v1/diagnostic/categories/"
TROUBLE_CODES = "/api/v1/diagnostic/codes/"
_LOGIN = {"email": "ada@example.org", "password": "correct horse"}
SYMPTOM = {"symptom": "The check engine light is on."}
LIST = Path(__file__).parents[2] / "docs" / "reference" / "endpoints.csv"


@frozen
class Endpoint:
    """A line of the list; path parameters are blank, for their names may differ."""

    method: str
    path: str
    auth: str
    successes: tuple[int, ...]

    @property
    def success(self) -> int:
        return self.successes[0]


def blank(path: str) -> str:
    return re.sub(r"<[^>]*>|\{[^}]*\}", "{}", path)


def listed_endpoints() -> list[Endpoint]:
    with LIST.open(newline="") as file:
        return [
            Endpoint(
                line["method"],
                blank(line["path"]),
                line["auth"],
                tuple(int(one) for one in line["success"].split("/")),
            )
            for line in csv.DictReader(file)
        ]


OPTIONAL_ENDPOINTS = ("/metrics",)
"""Endpoints that exist only if the settings enable them: test_metrics.py covers them."""


def main_endpoints() -> list[Endpoint]:
    """List the main service's endpoints; partners and providers have their own matrices."""
    others = ("/api/v1/partner/", "/api/v1/provider/")
    return [
        one
        for one in listed_endpoints()
        if not one.path.startswith(others) and one.path not in OPTIONAL_ENDPOINTS
    ]


def served(app: Api) -> Iterator[tuple[str, str, str]]:
    for rule in app.url_map.iter_rules():
        assert isinstance(rule, GuardedRule)
        assert rule.auth is not None
        for method in (rule.methods or set()) - {"HEAD", "OPTIONS"}:
            yield method, blank(rule.rule), rule.auth.value


def test_listed_and_served_operations_are_the_same(tmp_path: Path) -> None:
    result = sorted((one.method, one.path, one.auth) for one in listed_endpoints())
    with serve_new(tmp_path, metrics=True) as app:
        assert sorted(served(app)) == result, f"list what is served, and nothing else, in {LIST.name}"
    without_optional = [one for one in result if one[1] not in OPTIONAL_ENDPOINTS]
    with serve_new(tmp_path, metrics=False) as app:
        assert sorted(served(app)) == without_optional


def test_no_operation_accepts_more_than_the_server_waits_for(tmp_path: Path) -> None:
    with serve_new(tmp_path, metrics=False) as app:
        most = max(rule.max_bytes for rule in app.url_map.iter_rules() if isinstance(rule, GuardedRule))

    assert max(most, MOST_FILE_BYTES + FORM_OVERHEAD) <= LONGEST_BODY


@contextmanager
def serve_new(folder: Path, *, metrics: bool) -> Iterator[Api]:
    """Yield the service of a new installation."""
    with closing(
        build(Settings(database_url=f"sqlite:///{folder / 'repaircore.db'}", metrics=metrics))
    ) as core:
        yield serve_core(core)


# Who may call what. A route that is missing here fails its test.


def _new_key(owner: Person, _environment: str) -> str:
    return f"/api/v1/dashboard/keys/{owner.keys().id}"


def _renamed_key(owner: Person, environment: str) -> tuple[str, dict[str, Any]]:
    return _new_key(owner, environment), {"name": "front desk"}


def _rotated_key(owner: Person, environment: str) -> tuple[str, dict[str, Any]]:
    return _new_key(owner, environment) + "/rotate", {"overlap_hours": 24}


def _open_session(owner: Person, _environment: str) -> str:
    token = owner.client.post("/api/v1/auth/login", json=_LOGIN | {"email": owner.email}).get_json()
    return f"/api/v1/auth/sessions/{digest(token['data']['session_token'])[:8].hex()}"


def _forgot_body(_owner: Person, _environment: str) -> dict[str, Any]:
    return {"email": f"driver{next(_numbers)}@example.org"}


def _reset(owner: Person, environment: str) -> dict[str, Any]:
    core, token = core_of(owner), f"prl_{next(_numbers):043}"
    email = _forgot_body(owner, environment)["email"]
    user = core.accounts.create_user(name="Bo", email=email, password="kettle 73 fog")
    ends_at = core.clock() + LINK_LIFETIME
    with core.storage.transaction() as work:
        work.password_resets.put(PasswordReset(user_id=user.id, token_hash=digest(token), expires_at=ends_at))
    return {"token": token, "password": "fog 73 kettle"}


def _session(owner: Person, environment: str) -> str:
    key = owner.keys(environment).secret_key
    answer = owner.client.post("/api/v1/predict", json=ASK, headers=bearer(key))
    session_id: str = answer.get_json()["session_id"]
    return session_id


def _statistics(owner: Person, environment: str) -> str:
    return f"/api/v1/predict/feedback/{_session(owner, environment)}"


def _rating(owner: Person, environment: str) -> dict[str, Any]:
    return {"session_id": _session(owner, environment), "rating": "good"}


def _link(owner: Person, environment: str) -> dict[str, Any]:
    return {"session_id": _session(owner, environment), "email": "bo@example.org"}


def _callback(owner: Person, environment: str) -> str:
    key = owner.keys(environment).secret_key
    answer = owner.client.get("/api/v1/connectedcar/connect", headers=bearer(key))
    address = urlsplit(answer.get_json()["data"]["authorization_url"])  # the sandbox's, without a request
    return f"{address.path}?{address.query}"


def _connected_car(owner: Person, environment: str) -> str:
    owner.client.get(_callback(owner, environment))
    return f"/api/v1/fleet/vehicles/{ACCORD}/connectedcar-compliance"


def _chat(owner: Person, environment: str) -> str:
    key = owner.keys(environment).secret_key
    answer = owner.client.post(CHAT, json=SYMPTOM, headers=bearer(key))
    session_id: str = answer.get_json()["session_id"]
    return session_id


def _reply(owner: Person, environment: str) -> tuple[str, dict[str, Any]]:
    return f"{CHAT}/{_chat(owner, environment)}/reply", {"answer": "unsure"}


_numbers = count()


def _mask() -> str:
    """Return a VIN mask that no vehicle has."""
    return f"1HGCM8{next(_numbers):05}"


def _new_vehicle(_owner: Person, _environment: str) -> dict[str, Any]:
    return {
        "vin_mask": _mask(),
        "current_mileage": 0,
        "new_make": "Honda",
        "new_model": "Accord",
        "new_year": 2003,
    }


def core_of(owner: Person) -> Core:
    """Return the core behind a person's client."""
    core: Core = owner.client.application.extensions[EXTENSION]
    return core


def _vehicle(owner: Person, environment: str) -> str:
    vehicle = core_of(owner).stored_vehicles.create(CreateVehicle(**_new_vehicle(owner, environment)))
    return f"/api/v1/admin/vehicles/{vehicle.id}"


def _changed_vehicle(owner: Person, environment: str) -> tuple[str, dict[str, Any]]:
    return _vehicle(owner, environment), {"vin_mask": _mask(), "current_mileage": 1}


def _new_transaction(owner: Person, _environment: str) -> dict[str, Any]:
    return {
        "vehicle_id": str(core_of(owner).vehicles.resolve(ACCORD[:11]).id),
        "problem_id": 101,
        "performed_on": "2025-12-01",
        "labor_hours": 1.1,
        "labor_rate": 150,
    }


def _transaction(owner: Person, environment: str) -> str:
    body = _new_transaction(owner, environment)
    sale = CreateTransaction(
        vehicle_id=UUID(body["vehicle_id"]),
        problem_id=101,
        performed_on=date(2025, 12, 1),
        labor_hours=1.1,
        labor_rate=150_00,
    )
    caller = evolve(LOCAL, environment=Environment(environment))
    return f"/api/v1/admin/transactions/{core_of(owner).transactions.record(sale, caller).id}"


def _changed_transaction(owner: Person, environment: str) -> tuple[str, dict[str, Any]]:
    return _transaction(owner, environment), {"notes": "squeaked"}


def _region(owner: Person, _environment: str) -> str:
    return (
        f"/api/v1/admin/regions/{core_of(owner).facilities.create(CreateFacility(facility_name='Garage')).id}"
    )


def _changed_region(owner: Person, environment: str) -> tuple[str, dict[str, Any]]:
    return _region(owner, environment), {"facility_name": "Bo's Garage"}


CAMPAIGN = "24V901000"


def _fleet_vehicle(owner: Person, environment: str) -> str:
    caller = Caller(
        user_id=owner.id,
        role=Role.USER,
        environment=Environment(environment),
        credential=Credential.SECRET,
    )
    return f"/api/v1/fleet/vehicles/{core_of(owner).fleet.register(ACCORD, caller).id}"


def _recalls(owner: Person, environment: str) -> str:
    with core_of(owner).storage.transaction() as work:
        work.recalls.save_campaigns([a_campaign(campaign=CAMPAIGN)])
        work.recalls.save_vehicles([a_recalled_vehicle(campaign=CAMPAIGN)])
        work.recalls.cover_years(range(1990, 2051))
    vehicle = _fleet_vehicle(owner, environment).rsplit("/", 1)[1]
    return f"/api/v1/fleet/compliance/recalls/{vehicle}"


def _recall(owner: Person, environment: str) -> str:
    vehicle = _recalls(owner, environment).rsplit("/", 1)[1]
    return f"/api/v1/fleet/vehicles/{vehicle}/recalls/{CAMPAIGN}/resolve"


SCHEDULES = "/api/v1/fleet/service-schedules"
SERVICE = {"vehicle": ACCORD, "title": "Oil change", "due_on": "2026-02-01"}


def _schedule(owner: Person, environment: str) -> str:
    key = owner.keys(environment).secret_key
    answer = owner.client.post(SCHEDULES, json=SERVICE, headers=bearer(key))
    return f"{SCHEDULES}/{answer.get_json()['data']['id']}"


def _changed_schedule(owner: Person, environment: str) -> tuple[str, dict[str, Any]]:
    return _schedule(owner, environment), {"status": "completed"}


SHOP = "/api/v1/shop"


def _shop(owner: Person, environment: str) -> str:
    key = owner.keys(environment).secret_key
    owner.client.put(SHOP, json={"name": "Ada's Garage"}, headers=bearer(key))
    return SHOP


VISITS = "/api/v1/visits"
VISIT = {
    "vin": ACCORD,
    "zip_code": "90210",
    "lines": [{"problem_identifier": "brake-pads-front"}, {"description": "Towing", "price": 80}],
}


def _visit(owner: Person, environment: str) -> str:
    key = owner.keys(environment).secret_key
    answer = owner.client.post(VISITS, json=VISIT, headers=bearer(key))
    return f"{VISITS}/{answer.get_json()['data']['number']}"


def _changed_visit(owner: Person, environment: str) -> tuple[str, dict[str, Any]]:
    return _visit(owner, environment), {**VISIT, "notes": "squeaks", "version": 1}


def _version(owner: Person, environment: str, path: str) -> int:
    answer = owner.client.get(path, headers=bearer(owner.keys(environment).secret_key))
    version: int = answer.get_json()["data"]["version"]
    return version


def _visit_to(owner: Person, environment: str, action: str, *before: str) -> tuple[str, dict[str, Any]]:
    """Return the call of an action on a visit, after earlier actions."""
    path = _visit(owner, environment)
    headers = bearer(owner.keys(environment).secret_key)
    for each in (*before, action):
        body: dict[str, Any] = {"version": _version(owner, environment, path)}
        if each == "answers":
            answers = [{"line": 1, "choice": "approved"}, {"line": 2, "choice": "declined"}]
            body = {**body, "name": "Grace Hopper", "answers": answers}
        if each == "invoice":
            body = {**body, "lines": [{"line": 1, "labor_hours": 1.5, "parts_total": 84.2}]}
        if each == action:
            return f"{path}/{each}", body
        answer = owner.client.post(f"{path}/{each}", json=body, headers=headers)
        assert answer.status_code == 200, answer.text
    raise AssertionError


def _visit_link(owner: Person, environment: str) -> str:
    return f"{_visit(owner, environment)}/link"


def _visit_pdf(owner: Person, environment: str) -> str:
    return f"{_visit(owner, environment)}/pdf"


def _logo() -> dict[str, Any]:
    return {"logo": (io.BytesIO(_PHOTO), "logo.png")}


def _logo_path(owner: Person, environment: str) -> str:
    path = f"{_shop(owner, environment)}/logo"
    headers = bearer(owner.keys(environment).secret_key)
    answer = owner.client.put(path, data=_logo(), headers=headers)
    assert answer.status_code == 200, answer.text
    return path


GARAGE = "/api/v1/fleet"


def _garage_vehicle(owner: Person, environment: str) -> str:
    headers = bearer(owner.keys(environment).secret_key)
    body = {"vin": ACCORD, "zip_code": "60601", "odometer": 148_000, "unit_number": "12"}
    owner.client.post(f"{GARAGE}/vehicles", json=body, headers=headers)
    (vehicle,) = owner.client.get(f"{GARAGE}/vehicles", headers=headers).get_json()["data"]
    return f"{GARAGE}/vehicles/{vehicle['id']}"


BILL = {
    "on": "2025-11-12",
    "total": 58.2,
    "problem_identifier": "tire-rotation",
    "shop_name": "Elm Street Garage",
}


def _garage_bill(owner: Person, environment: str) -> str:
    bills = _garage_vehicle(owner, environment) + "/bills"
    headers = bearer(owner.keys(environment).secret_key)
    recorded = owner.client.post(bills, json=BILL, headers=headers).get_json()
    return f"{bills}/{recorded['data']['id']}"


def _new_garage_vehicle(owner: Person, environment: str) -> dict[str, Any]:
    headers = bearer(owner.keys(environment).secret_key)
    owner.client.delete(_garage_vehicle(owner, environment), headers=headers)
    return {"vin": ACCORD, "zip_code": "60601", "odometer": 148_000}


def _garage_file() -> dict[str, Any]:
    text = b"vin,unit_number,odometer\n1HGCM82633A004352,12,148000\n"
    return {"file": (io.BytesIO(text), "vehicles.csv", "text/csv")}


DRAFTS = "/api/v1/admin/invoice-drafts"


def _draft(owner: Person, environment: str) -> str:
    account = core_of(owner).accounts.caller_for(owner.email)
    caller = evolve(account, role=Role.ADMIN, environment=Environment(environment))
    file = io.BytesIO(as_pdf(INVOICES[0]) + f"% {next(_numbers)}".encode())
    return f"{DRAFTS}/{core_of(owner).invoice_drafts.create(file, name='invoice.pdf', caller=caller).number}"


def _corrected_draft(owner: Person, environment: str) -> tuple[str, dict[str, Any]]:
    line = {
        "kind": "repair",
        "description": "Replace front brake pads",
        "problem_identifier": "brake-pads-front",
        "labor_hours": 1.2,
        "labor_rate": 115.0,
        "parts_total": 74.95,
        "total": 212.95,
    }
    fees = {"kind": "supplies", "description": "Shop supplies", "total": 14.95}
    day = {"shop_name": "Ada's Auto Repair", "performed_on": "2025-01-03", "vin": ACCORD, "odometer": 48210}
    return _draft(owner, environment), {**day, "lines": [line, fees], "total": 227.90, "version": 1}


WEBHOOKS = "/api/v1/webhooks"
WEBHOOK = {"url": "https://example.com/hooks", "events": ["visit.answered", "visit.invoiced"]}


def _webhook(owner: Person, environment: str) -> str:
    headers = bearer(owner.keys(environment).secret_key)
    for webhook in owner.client.get(WEBHOOKS, headers=headers).get_json()["data"]:
        owner.client.delete(f"{WEBHOOKS}/{webhook['ref']}", headers=headers)
    answer = owner.client.post(WEBHOOKS, json=WEBHOOK, headers=headers)
    return f"{WEBHOOKS}/{answer.get_json()['data']['ref']}"


def _webhook_test(owner: Person, environment: str) -> str:
    return f"{_webhook(owner, environment)}/test"


def _webhook_deliveries(owner: Person, environment: str) -> str:
    path = _webhook(owner, environment)
    owner.client.post(f"{path}/test", headers=bearer(owner.keys(environment).secret_key))
    return f"{path}/deliveries"


def _new_webhook(owner: Person, environment: str) -> tuple[str, dict[str, Any]]:
    headers = bearer(owner.keys(environment).secret_key)
    owner.client.delete(_webhook(owner, environment), headers=headers)
    return WEBHOOKS, WEBHOOK


TASKS = "/api/v1/tasks"


def _task(owner: Person, environment: str) -> str:
    headers = {**bearer(owner.keys(environment).secret_key), "Prefer": "respond-async"}
    answer = owner.client.post("/api/v1/predict/batch", json={"items": [ASK]}, headers=headers)
    assert answer.status_code == 202
    return str(answer.headers["Location"])


def _finished_task(owner: Person, environment: str) -> str:
    path = _task(owner, environment)
    owner.client.application.extensions[EXTENSION].task_worker.run_due()
    return f"{path}/result"


def _docs_file(owner: Person) -> str:
    (start,) = re.findall(r'src="([^"]+start\.js)"', owner.client.get("/docs").text)
    return f"/{start}"


Call = str | dict[str, Any] | tuple[str, dict[str, Any]]
MakeCall = Callable[[Person, str], Call]
"""Creates a record for a person in an environment, and returns the path or the body of a call about it, or both."""

CALLS: dict[tuple[str, str], dict[str, Any] | MakeCall | None] = {
    ("GET", "/healthz"): None,
    ("GET", "/readyz"): None,
    ("GET", "/api/openapi.json"): None,
    ("GET", "/docs"): None,
    ("GET", "/docs/{}/{}"): lambda owner, _: _docs_file(owner),
    ("GET", "/api/user"): None,
    ("POST", "/api/v1/auth/register"): {"name": "Bo", "email": "bo@example.org", "password": "kettle 73 fog"},
    ("POST", "/api/v1/auth/login"): _LOGIN,
    ("POST", "/api/v1/auth/user/logout"): None,
    ("GET", "/api/v1/auth/sessions"): None,
    ("DELETE", "/api/v1/auth/sessions/{}"): _open_session,
    ("POST", "/api/v1/auth/forgot-password"): _forgot_body,
    ("POST", "/api/v1/auth/reset-password"): _reset,
    ("POST", "/api/v1/auth/change-password"): {
        "current_password": "correct horse",
        "password": "correct horse",
    },
    ("GET", "/api/v1/dashboard/keys"): None,
    ("POST", "/api/v1/dashboard/keys"): {"name": "shop", "environment": "test"},
    ("PATCH", "/api/v1/dashboard/keys/{}"): _renamed_key,
    ("POST", "/api/v1/dashboard/keys/{}/rotate"): _rotated_key,
    ("DELETE", "/api/v1/dashboard/keys/{}"): _new_key,
    ("POST", "/api/v1/predict"): ASK,
    ("POST", "/api/v1/predict/by-specs"): SPECS,
    ("GET", "/api/v1/predict/history"): None,
    ("GET", "/api/v1/predict/red-flags"): None,
    ("POST", "/api/v1/predict/feedback"): _rating,
    ("GET", "/api/v1/predict/feedback/{}"): _statistics,
    ("POST", "/api/v1/predict/link-email"): _link,
    ("POST", "/api/v1/predict/diagnose"): {"description": "The brakes squeal.", "zip_code": "90210"},
    ("POST", "/api/v1/predict/quote-check"): {
        "vin": ASK["vin"],
        "zip_code": "90210",
        "lines": [{"description": "front brake pads", "total": 300}],
    },
    ("POST", "/api/v1/predict/batch"): {"items": [{"id": "unit 7", **ASK}, {"zip_code": "90210"}]},
    ("GET", TASKS): None,
    ("GET", TASKS + "/{}"): _task,
    ("GET", TASKS + "/{}/result"): _finished_task,
    ("POST", TASKS + "/{}/cancel"): lambda owner, kind: f"{_task(owner, kind)}/cancel",
    ("POST", "/api/v1/predict/visit"): VISIT,
    ("GET", SHOP): _shop,
    ("PUT", SHOP): {"name": "Ada's Garage"},
    ("GET", VISITS): None,
    ("POST", VISITS): VISIT,
    ("GET", VISITS + "/{}"): _visit,
    ("PUT", VISITS + "/{}"): _changed_visit,
    ("DELETE", VISITS + "/{}"): _visit,
    ("POST", VISITS + "/{}/send"): lambda owner, kind: _visit_to(owner, kind, "send"),
    ("DELETE", VISITS + "/{}/link"): _visit_link,
    ("POST", VISITS + "/{}/answers"): lambda owner, kind: _visit_to(owner, kind, "answers"),
    ("POST", VISITS + "/{}/begin"): lambda owner, kind: _visit_to(owner, kind, "begin", "answers"),
    ("POST", VISITS + "/{}/invoice"): lambda owner, kind: _visit_to(owner, kind, "invoice", "answers"),
    ("POST", VISITS + "/{}/cancel"): lambda owner, kind: _visit_to(owner, kind, "cancel"),
    ("POST", VISITS + "/{}/reopen"): lambda owner, kind: _visit_to(owner, kind, "reopen", "cancel"),
    ("GET", VISITS + "/{}/pdf"): _visit_pdf,
    ("GET", SHOP + "/logo"): _logo_path,
    ("PUT", SHOP + "/logo"): _logo_path,
    ("DELETE", SHOP + "/logo"): _logo_path,
    ("GET", "/api/v1/fleet/vehicles"): None,
    ("POST", "/api/v1/fleet/vehicles"): _new_garage_vehicle,
    ("POST", "/api/v1/fleet/vehicles/batch"): {"vehicles": [{"vin": ACCORD}, {"vin": "1HG"}]},
    ("POST", "/api/v1/fleet/vehicles/csv"): None,
    ("GET", "/api/v1/fleet/vehicles/{}"): _garage_vehicle,
    ("PUT", "/api/v1/fleet/vehicles/{}"): lambda *args: (_garage_vehicle(*args), {"nickname": "Blue"}),
    ("DELETE", "/api/v1/fleet/vehicles/{}"): _garage_vehicle,
    ("GET", "/api/v1/fleet/vehicles/{}/odometer"): lambda *args: _garage_vehicle(*args) + "/odometer",
    ("POST", "/api/v1/fleet/vehicles/{}/odometer"): lambda *args: (
        _garage_vehicle(*args) + "/odometer",
        {"miles": 149_200},
    ),
    ("GET", "/api/v1/fleet/vehicles/{}/bills"): lambda *args: _garage_vehicle(*args) + "/bills",
    ("POST", "/api/v1/fleet/vehicles/{}/bills"): lambda *args: (_garage_vehicle(*args) + "/bills", BILL),
    ("DELETE", "/api/v1/fleet/vehicles/{}/bills/{}"): _garage_bill,
    ("POST", "/api/v1/fleet/vehicles/{}/services/{}/done"): lambda *args: (
        _garage_vehicle(*args) + "/services/tire-rotation/done",
        {"miles": 148_000},
    ),
    ("GET", "/api/v1/fleet/services"): None,
    ("GET", "/api/v1/fleet/sums"): None,
    ("GET", "/api/v1/fleet/months"): None,
    ("GET", "/api/v1/fleet/models"): None,
    ("GET", "/api/v1/fleet/settings"): None,
    ("PUT", "/api/v1/fleet/settings"): {"zip_code": "60601", "mail_reminders": True},
    ("GET", WEBHOOKS): None,
    ("POST", WEBHOOKS): _new_webhook,
    ("DELETE", WEBHOOKS + "/{}"): _webhook,
    ("GET", WEBHOOKS + "/{}/deliveries"): _webhook_deliveries,
    ("POST", WEBHOOKS + "/{}/test"): _webhook_test,
    ("POST", "/api/v1/predict/quote-check/read"): {
        "text": "R&R frt brk pads  1.2 hrs @ $150.00  180.00\n  Pad set  95.00\nShop supplies  12.00\nTotal  $287.00"
    },
    ("GET", "/api/v1/admin/regions"): None,
    ("GET", "/api/v1/admin/regions/stats"): None,
    ("GET", "/api/v1/admin/regions/states"): None,
    ("POST", "/api/v1/admin/regions/recalculate"): None,
    ("POST", "/api/v1/admin/regions"): {"facility_name": "Ada's Garage"},
    ("GET", "/api/v1/admin/regions/{}"): _region,
    ("PUT", "/api/v1/admin/regions/{}"): _changed_region,
    ("DELETE", "/api/v1/admin/regions/{}"): _region,
    ("GET", "/api/v1/admin/settings/price-adjustment"): None,
    ("PUT", "/api/v1/admin/settings/price-adjustment"): {"percent": 10},
    ("GET", "/api/v1/admin/messages"): None,
    ("GET", "/api/v1/admin/problems"): None,
    ("GET", "/api/v1/admin/problems/stats"): None,
    ("GET", "/api/v1/admin/problems/{}/children"): lambda *_: "/api/v1/admin/problems/brakes/children",
    ("GET", "/api/v1/admin/problems/{}/show"): lambda *_: "/api/v1/admin/problems/101/show",
    ("GET", "/api/v1/admin/problems/{}/details"): lambda *_: "/api/v1/admin/problems/101/details",
    ("GET", "/api/v1/admin/vehicles"): None,
    ("GET", "/api/v1/admin/vehicles/stats"): None,
    ("GET", "/api/v1/admin/vehicles/form-options"): None,
    ("GET", "/api/v1/admin/vehicles/search-models"): None,
    ("POST", "/api/v1/admin/vehicles"): _new_vehicle,
    ("GET", "/api/v1/admin/vehicles/{}"): _vehicle,
    ("PUT", "/api/v1/admin/vehicles/{}"): _changed_vehicle,
    ("DELETE", "/api/v1/admin/vehicles/{}"): _vehicle,
    ("GET", "/api/v1/admin/transactions"): None,
    ("GET", "/api/v1/admin/transactions/stats"): None,
    ("GET", "/api/v1/admin/transactions/form-options"): None,
    ("POST", "/api/v1/admin/transactions"): _new_transaction,
    ("GET", "/api/v1/admin/transactions/{}"): _transaction,
    ("GET", "/api/v1/admin/transactions/{}/details"): lambda *args: _transaction(*args) + "/details",
    ("PUT", "/api/v1/admin/transactions/{}"): _changed_transaction,
    ("DELETE", "/api/v1/admin/transactions/{}"): _transaction,
    ("GET", "/api/v1/admin/invoice-drafts"): lambda owner, environment: _draft(owner, environment) and DRAFTS,
    ("POST", "/api/v1/admin/invoice-drafts"): None,
    ("GET", "/api/v1/admin/invoice-drafts/{}"): _draft,
    ("PUT", "/api/v1/admin/invoice-drafts/{}"): _corrected_draft,
    ("POST", "/api/v1/admin/invoice-drafts/{}/record"): lambda *args: (f"{_draft(*args)}/record", {}),
    ("DELETE", "/api/v1/admin/invoice-drafts/{}"): _draft,
    ("POST", "/api/v1/predict/problems"): {"vin": ASK["vin"]},
    ("GET", "/api/v1/predict/categories"): None,
    ("GET", "/api/v1/predict/categories/market-match"): None,
    ("GET", "/api/v1/predict/categories/{}/sub"): lambda *_: "/api/v1/predict/categories/1/sub",
    ("POST", "/api/v1/predict/categories/search"): {"query": "squeaky brakes"},
    ("POST", "/api/v1/predict/categories/{}/describe"): lambda *_: "/api/v1/predict/categories/101/describe",
    ("POST", "/api/v1/predict/extract-vin"): None,
    ("GET", "/api/v1/predict/makes"): None,
    ("GET", "/api/v1/predict/models"): {"make": "Honda"},
    ("GET", "/api/v1/predict/trims"): {"make": "Honda", "model": "Accord", "year": 2003},
    ("GET", "/api/v1/predict/engines"): {"make": "Honda", "model": "Accord", "year": 2003},
    ("POST", "/api/v1/predict/vehicle-lookup"): {"vin": ACCORD},
    ("POST", "/api/v1/predict/plate-to-vin"): {"plate": "TEST123", "state": "CA"},
    ("GET", "/api/v1/fleet/vehicles/{}/valuation"): lambda *args: _fleet_vehicle(*args) + "/valuation",
    ("GET", "/api/v1/fleet/vehicles/{}/insurance-risk"): lambda *args: (
        _fleet_vehicle(*args) + "/insurance-risk"
    ),
    ("POST", "/api/v1/predict/repair-lifecycle"): {"vin": ACCORD, "problem_identifier": "brake-pads-front"},
    ("GET", "/api/v1/predict/repair-lifecycle/history"): None,
    ("POST", "/api/v1/predict/repair-sequence"): {"problem_identifier": "brake-pads-front"},
    ("GET", "/api/v1/connectedcar/connect"): None,
    ("GET", "/api/v1/connectedcar/callback"): _callback,
    ("GET", "/api/v1/connectedcar/vin-lookup"): lambda *_: (
        "/api/v1/connectedcar/vin-lookup?email=driver@example.com"
    ),
    ("GET", "/api/v1/fleet/vehicles/{}/connectedcar-compliance"): _connected_car,
    ("GET", "/api/v1/diagnostic/categories"): None,
    ("GET", "/api/v1/diagnostic/categories/{}/questions"): lambda *_: f"{TOPICS}brakes/questions",
    ("POST", "/api/v1/diagnostic/submit"): {
        "category_slug": "brakes",
        "answers": [
            {"question_id": 301, "question_text": "What do you hear?", "answer": "Grinding, metal on metal"}
        ],
    },
    ("GET", "/api/v1/diagnostic/codes/{}"): lambda *_: f"{TROUBLE_CODES}P0420",
    ("POST", "/api/v1/diagnostic/chat"): SYMPTOM,
    ("POST", "/api/v1/diagnostic/chat/{}/reply"): _reply,
    ("GET", "/api/v1/diagnostic/chat/{}"): lambda *args: f"{CHAT}/{_chat(*args)}",
    ("POST", "/api/v1/diagnostic/chat/reset"): lambda *args: {"session_id": _chat(*args)},
    ("GET", "/api/v1/diagnostic/chat-sessions"): None,
    ("POST", "/api/v1/secure-data"): None,
    ("GET", "/api/v1/fleet/compliance/recalls/{}"): _recalls,
    ("POST", "/api/v1/fleet/vehicles/{}/compliance"): lambda *args: (
        _fleet_vehicle(*args) + "/compliance",
        {"odometer": 81_234},
    ),
    ("GET", "/api/v1/fleet/vehicles/{}/signals"): lambda *args: _fleet_vehicle(*args) + "/signals",
    ("POST", "/api/v1/fleet/tires/estimate"): {"depths": {"front_left": 6}},
    ("GET", "/api/v1/fleet/vehicles/{}/health"): lambda *args: _fleet_vehicle(*args) + "/health",
    ("GET", "/api/v1/fleet/vehicles/{}/coverage"): lambda *args: _fleet_vehicle(*args) + "/coverage",
    ("POST", "/api/v1/fleet/vehicles/{}/recalls/{}/resolve"): _recall,
    ("GET", SCHEDULES): None,
    ("GET", "/api/v1/fleet/vehicles/{}/service-schedules"): lambda *args: (
        _fleet_vehicle(*args) + "/service-schedules"
    ),
    ("POST", SCHEDULES): SERVICE,
    ("GET", SCHEDULES + "/{}"): _schedule,
    ("PUT", SCHEDULES + "/{}"): _changed_schedule,
    ("DELETE", SCHEDULES + "/{}"): _schedule,
}


def call_for(
    endpoint: Endpoint, owner: Person, environment: str = "live"
) -> tuple[str, dict[str, Any] | None]:
    """Return the path and the body of a call that succeeds for a person."""
    key = (endpoint.method, endpoint.path)
    assert key in CALLS, f"add a call of {' '.join(key)} to CALLS"
    call = CALLS[key]
    result = call(owner, environment) if callable(call) else call
    if isinstance(result, tuple):
        return result
    return (result, None) if isinstance(result, str) else (endpoint.path, result)


_NO_CAR = "1HGCM82633A000000"

WITHOUT_OWNER = ("/docs/", "/api/v1/predict/categories/", "/api/v1/admin/", TOPICS, TROUBLE_CODES)
"""The path parameters of these paths have no owner."""

IN_BOTH_ENVIRONMENTS = frozenset(
    {
        "/docs/{}/{}",
        "/api/v1/predict/categories/{}/sub",
        "/api/v1/predict/categories/{}/describe",
        "/api/v1/fleet/vehicles/{}/connectedcar-compliance",  # a VIN, which may be connected in each
        *(f"/api/v1/admin/problems/{{}}/{view}" for view in ("children", "show", "details")),
        "/api/v1/admin/vehicles/{}",
        "/api/v1/admin/regions/{}",
        "/api/v1/diagnostic/categories/{}/questions",
        "/api/v1/diagnostic/codes/{}",
    }
)
"""The path parameters of these paths are valid in both environments."""

SHARED = (
    "/api/v1/admin/settings/",
    "/api/v1/admin/vehicles",
    "/api/v1/admin/problems",
    "/api/v1/admin/regions",
)
"""Shared by test and live: a key of the test environment may only read."""

# Form bodies, new for each request.
_invoices = cycle(INVOICES)

FORMS: dict[str, Callable[[], dict[str, Any]]] = {
    "/api/v1/predict/extract-vin": lambda: {"image": (io.BytesIO(_PHOTO), "photo.png")},
    SHOP + "/logo": _logo,
    GARAGE + "/vehicles/csv": _garage_file,
    DRAFTS: lambda: {"file": (io.BytesIO(as_pdf(next(_invoices))), "invoice.pdf")},
}

INVALID = ("no token", "another scheme", "unknown", "mistyped", "revoked session", "revoked pk", "revoked sk")
SESSIONS, PUBLISHABLE, SECRET = ("session", "admin session"), ("pk_test", "pk_live"), ("sk_test", "sk_live")
ADMINS = ("admin session", "admin sk_live", "admin sk_test")
VALID = (*SESSIONS, *PUBLISHABLE, *SECRET, "admin sk_live", "admin sk_test", "admin pk_live")

ADMITTED: dict[str, tuple[str, ...]] = {
    "none": ("nothing", *INVALID, *VALID),
    "session": SESSIONS,
    "key": VALID,
    "secret": (*SESSIONS, *SECRET, *ADMINS),
    "admin": ADMINS,
    "optional": ("nothing", *VALID),
}


class Credentials:
    """Every kind of credential, valid and invalid; sessions are new each time, since a logout ends them."""

    def __init__(self, api: FlaskClient, core: Core) -> None:
        self._api = api
        self.ada, self.root = person(api, "Ada"), person(api, "Root")
        core.accounts.set_role(self.root.email, Role.ADMIN)
        pairs = {environment: self.ada.keys(environment) for environment in ("test", "live")}
        root = {environment: self.root.keys(environment) for environment in ("test", "live")}
        deleted = self.ada.keys()
        self.ada.delete(f"/api/v1/dashboard/keys/{deleted.id}")
        secret = pairs["live"].secret_key
        ended = self._session(self.ada)
        api.post("/api/v1/auth/user/logout", headers=bearer(ended))
        self._headers = {
            "nothing": {},
            "no token": {"Authorization": "Bearer"},
            "another scheme": {"Authorization": f"Basic {secret}"},
            "unknown": bearer("mst_" + "0" * 43),
            "mistyped": bearer(secret[:-1] + ("0" if secret[-1] != "0" else "1")),
            "revoked session": bearer(ended),
            "revoked pk": bearer(deleted.public_key),
            "revoked sk": bearer(deleted.secret_key),
            **{f"pk_{name}": bearer(pair.public_key) for name, pair in pairs.items()},
            **{f"sk_{name}": bearer(pair.secret_key) for name, pair in pairs.items()},
            "admin sk_live": bearer(root["live"].secret_key),
            "admin sk_test": bearer(root["test"].secret_key),
            "admin pk_live": bearer(root["live"].public_key),
        }

    def headers(self, name: str) -> dict[str, str]:
        owner = {"session": self.ada, "admin session": self.root}.get(name)
        return self._headers[name] if owner is None else bearer(self._session(owner))

    def owner(self, name: str) -> Person:
        return self.root if name.startswith("admin") else self.ada

    def _session(self, owner: Person) -> str:
        login = {"email": owner.email, "password": "correct horse"}
        token: str = self._api.post("/api/v1/auth/login", json=login).get_json()["data"]["session_token"]
        return token


def expected(endpoint: Endpoint, name: str) -> int:
    looks = endpoint.method == "GET" or not endpoint.path.startswith(SHARED)
    if name in ADMITTED[endpoint.auth] and (looks or "test" not in name):
        return endpoint.success
    return 403 if name in VALID else 401


@pytest.fixture
def core(core: Core) -> Core:
    """Return a core with providers, which live keys need, and with mail."""
    core = core.replacing(passwords=evolve(core.passwords, sends_mails=True))
    return with_cars(with_provider(core, core.lookups.sandbox), core.connected_cars.sandbox)


@pytest.fixture
def credentials(api: FlaskClient, core: Core) -> Credentials:
    return Credentials(api, core)


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize("endpoint", main_endpoints(), ids=lambda one: f"{one.method} {one.path}")
def test_each_credential_is_admitted_only_where_allowed(
    api: FlaskClient, credentials: Credentials, endpoint: Endpoint
) -> None:
    statuses: dict[str, int] = {}
    reusable: dict[tuple[Person, str], tuple[str, dict[str, Any] | None]] = {}
    for name in ("nothing", *INVALID, *VALID):
        owner_and_environment = credentials.owner(name), "test" if "test" in name else "live"
        path, body = reusable.get(owner_and_environment) or call_for(endpoint, *owner_and_environment)
        if endpoint.path.endswith("/register"):
            body = {**(body or {}), "email": f"{len(statuses)}@example.org"}
        form = FORMS[path]() if path in FORMS else None
        answer = api.open(
            path, method=endpoint.method, json=body, data=form, headers=credentials.headers(name)
        )
        statuses[name] = answer.status_code
        if answer.status_code in {401, 403}:
            reusable[owner_and_environment] = path, body  # unchanged, so reusable for the next credential
            assert shaped({"message": str}, answer.json)
        else:
            reusable.pop(owner_and_environment, None)
    assert statuses == {name: expected(endpoint, name) for name in statuses}


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize(
    "endpoint",
    [one for one in main_endpoints() if one.auth not in {"none", "optional"}],
    ids=lambda one: f"{one.method} {one.path}",
)
def test_credentials_are_checked_before_the_body(
    api: FlaskClient, credentials: Credentials, endpoint: Endpoint
) -> None:
    path, _ = call_for(endpoint, credentials.ada)
    for body, kind in ((b"{", "application/json"), (b"x", "text/plain"), (b"x" * 2_000_000, "text/plain")):
        answer = api.open(path, method=endpoint.method, data=body, content_type=kind)
        assert (answer.status_code, answer.json) == (401, {"message": "Unauthenticated."})


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize(
    "endpoint",
    [one for one in main_endpoints() if "{}" in one.path and not one.path.startswith(WITHOUT_OWNER)],
    ids=lambda one: f"{one.method} {one.path}",
)
def test_record_of_another_user_looks_like_none(
    api: FlaskClient, credentials: Credentials, endpoint: Endpoint
) -> None:
    path, body = call_for(endpoint, credentials.ada)
    headers = bearer(person(api, "Eve").token)
    others = api.open(path, method=endpoint.method, json=body, headers=headers)
    nobodys = str(UUID(int=7)) if endpoint.path.startswith("/api/v1/fleet/") else "987654321"
    nobodys = _NO_CAR if endpoint.path.endswith("/connectedcar-compliance") else nobodys
    never = api.open(endpoint.path.replace("{}", nobodys), method=endpoint.method, json=body, headers=headers)
    assert (others.status_code, others.json) == (never.status_code, never.json)
    assert others.status_code == 404


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize(
    "endpoint",
    [
        one
        for one in main_endpoints()
        if "{}" in one.path and one.auth != "session" and one.path not in IN_BOTH_ENVIRONMENTS
    ],
    ids=lambda one: f"{one.method} {one.path}",
)
def test_record_of_the_other_environment_is_not_found(
    api: FlaskClient, credentials: Credentials, endpoint: Endpoint
) -> None:
    for environment, credential in (("live", "admin sk_test"), ("test", "admin sk_live")):
        path, body = call_for(endpoint, credentials.root, environment)
        answer = api.open(path, method=endpoint.method, json=body, headers=credentials.headers(credential))
        assert answer.status_code == 404


def test_head_is_guarded_like_its_get(api: FlaskClient) -> None:
    assert api.head("/api/user").status_code == 401
    assert api.head("/api/v1/dashboard/keys").status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1", 404),
        ("GET", "/api/v1/auth/register/", 404),
        ("GET", "/api/v1/predict/nothing", 404),
        ("GET", "/api/v1/predict", 405),
        ("PUT", "/api/v1/auth/login", 405),
        ("DELETE", "/healthz", 405),
        ("BREW", "/api/user", 405),
    ],
)
def test_unknown_addresses_and_methods_are_json_errors(
    api: FlaskClient, method: str, path: str, status: int
) -> None:
    answer = api.open(path, method=method)
    assert answer.status_code == status
    shape: dict[str, object] = {"message": str}
    if status == 404 and path.startswith("/api/v1/predict"):
        shape["success"] = False
    assert shaped(shape, answer.json)
