"""Actions on a visit over HTTP: send, answer for the customer, begin, invoice; and the shop's logo."""

import io
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from tests import photos
from tests.conftest import OpenCore
from tests.http.people import ACCORD, Person, bearer, person, promoted
from tests.http.shape import moment, shaped
from tests.http.watched import serve_core
from tests.writes import unwritten

from repaircore.core import Core
from repaircore.documents.errors import LinkNotFound
from repaircore.external_settings import MailSettings
from repaircore.kernel.callers import LOCAL
from repaircore.messages.model import Channel
from repaircore.shops.model import MAX_LOGO_BYTES

PATH = "/api/v1/visits"
LOGO = "/api/v1/shop/logo"
VISIT: dict[str, Any] = {
    "vin": ACCORD,
    "zip_code": "90210",
    "mileage": 84_000,
    "sales_tax": False,
    "customer": {"name": "Grace Hopper", "email": "grace@example.com"},
    "lines": [
        {"problem_identifier": "brake-pads-front"},
        {"problem_identifier": "wheel-bearing-front"},
        {"description": "Road test", "price": 25},
    ],
}
APPROVE_ALL = [{"line": line, "choice": "approved"} for line in (1, 2, 3)]


def create_visit(user: Person, **changes: Any) -> str:
    answer = user.post(PATH, {**VISIT, **changes})
    assert answer.status_code == 201, answer.text
    number: str = answer.get_json()["data"]["number"]
    return number


def act(user: Person, number: str, action: str, version: int | None = None, **fields: Any) -> Any:
    current = get_visit(user, number)["version"] if version is None else version
    return user.post(f"{PATH}/{number}/{action}", {"version": current, **fields})


def act_ok(user: Person, number: str, action: str, **fields: Any) -> Any:
    answer = act(user, number, action, **fields)
    assert answer.status_code == 200, answer.text
    return answer.get_json()["data"]


def answer_visit(user: Person, number: str, *answers: dict[str, Any]) -> Any:
    return act_ok(user, number, "answers", name="Grace Hopper", answers=[*answers] or APPROVE_ALL)


def get_visit(user: Person, number: str) -> Any:
    return user.get(f"{PATH}/{number}").get_json()["data"]


def line_of(visit: Any, number: int) -> Any:
    return next(line for line in visit["lines"] if line["id"] == number)


# Sending


def token_of(sent: Any) -> str:
    token: str = sent["link"].rpartition("/v/")[2]
    return token


def test_send_returns_a_link_that_needs_no_account(ada: Person, core: Core) -> None:
    number = create_visit(ada)

    sent = act_ok(ada, number, "send")

    assert (sent["mailed"], sent["visit"]["status"], sent["visit"]["version"]) == (False, "sent", 2)
    assert sent["visit"] == get_visit(ada, number)
    assert core.approvals.open(token_of(sent)).document.number == number
    assert act_ok(ada, number, "send")["link"] == sent["link"]


def test_ended_link_is_not_found_and_is_replaced_by_a_new_one(ada: Person, core: Core) -> None:
    number = create_visit(ada)
    first = token_of(act_ok(ada, number, "send"))

    for _ in range(2):
        assert ada.delete(f"{PATH}/{number}/link").status_code == 200

    with pytest.raises(LinkNotFound):
        core.approvals.open(first)
    assert token_of(act_ok(ada, number, "send")) != first


def test_send_needs_a_mail_server_and_an_address_for_mail(ada: Person) -> None:
    number = create_visit(ada)

    answer = act(ada, number, "send", by_mail=True)

    assert answer.status_code == 422
    assert answer.get_json()["errors"] == {
        "by_mail": ["This installation does not send e-mail. Copy the link instead."]
    }
    assert get_visit(ada, number)["status"] == "draft"


def test_send_mails_the_link(open_core: OpenCore) -> None:
    core = open_core(mail=MailSettings(url="smtp://127.0.0.1:25", sender="shop@example.com"))
    ada = person(serve_core(core).test_client(), "Ada")
    number = create_visit(ada)

    sent = act_ok(ada, number, "send", by_mail=True)

    with core.storage.transaction() as work:
        (claimed,) = work.messages.claim(Channel.EMAIL, core.clock(), until=core.clock(), limit=9)
    assert sent["mailed"] is True
    assert claimed.content.recipient == "grace@example.com"
    assert sent["link"] in claimed.content.body


def test_mail_needs_an_address(open_core: OpenCore) -> None:
    core = open_core(mail=MailSettings(url="smtp://127.0.0.1:25", sender="shop@example.com"))
    ada = person(serve_core(core).test_client(), "Ada")

    answer = act(ada, create_visit(ada, customer=None), "send", by_mail=True)

    assert answer.get_json()["errors"] == {"by_mail": ["Enter the customer's e-mail address first."]}


# Answers


def test_answers_are_recorded_by_line(ada: Person) -> None:
    number = create_visit(ada)

    visit = answer_visit(
        ada,
        number,
        {"line": 1, "choice": "approved"},
        {"line": 2, "choice": "declined"},
        {"line": 3, "choice": "asked", "note": "How long is the test?"},
    )

    assert (visit["status"], visit["version"]) == ("partly_approved", 2)
    decisions = [line["decision"] for line in visit["lines"]]
    assert [(one["choice"], one["name"], one["note"]) for one in decisions] == [
        ("approved", "Grace Hopper", None),
        ("declined", "Grace Hopper", None),
        ("asked", "Grace Hopper", "How long is the test?"),
    ]
    step = visit["timeline"][-1]
    assert (step["action"], step["actor"], step["detail"]["name"]) == ("answer", "owner", "Grace Hopper")


def test_absent_line_keeps_its_answer(ada: Person) -> None:
    number = create_visit(ada)
    answer_visit(ada, number, {"line": 1, "choice": "declined"})

    visit = answer_visit(ada, number, {"line": 2, "choice": "approved"})

    assert [(line["decision"] or {}).get("choice") for line in visit["lines"]] == [
        "declined",
        "approved",
        None,
    ]
    assert visit["status"] == "partly_approved"


def test_same_answers_make_no_new_version(ada: Person) -> None:
    number = create_visit(ada)

    first, second = answer_visit(ada, number), answer_visit(ada, number)

    assert first == second
    assert first["status"] == "approved"


def test_withdrawn_approval_does_not_count(ada: Person) -> None:
    number = create_visit(ada)
    act_ok(ada, number, "send")
    assert answer_visit(ada, number)["status"] == "approved"

    questions = [{"line": line, "choice": "asked", "note": "Why?"} for line in (1, 2, 3)]
    assert answer_visit(ada, number, *questions)["status"] == "sent"
    assert act(ada, number, "begin").status_code == 409
    assert answer_visit(ada, number)["status"] == "approved"


def test_same_answers_approve_a_changed_estimate_again(ada: Person) -> None:
    number = create_visit(ada)
    act_ok(ada, number, "send")
    before = answer_visit(ada, number)
    changed = {
        **VISIT,
        "lines": [{"id": 1 + i, **line} for i, line in enumerate(VISIT["lines"])],
        "notes": "more",
    }
    answer = ada.client.put(
        f"{PATH}/{number}", json={**changed, "version": before["version"]}, headers=bearer(ada.token)
    )
    assert answer.status_code == 200, answer.text
    act_ok(ada, number, "send")
    assert get_visit(ada, number)["status"] == "sent"
    assert answer_visit(ada, number)["status"] == "approved"


def test_answers_to_another_version_are_a_conflict_before_line_errors(ada: Person) -> None:
    number = create_visit(ada)
    old = [{"line": 9, "choice": "approved"}]
    answer = ada.post(f"{PATH}/{number}/answers", {"version": 7, "name": "Grace Hopper", "answers": old})
    assert answer.status_code == 409


def test_every_bad_answer_is_reported(ada: Person) -> None:
    number = create_visit(ada)

    answer = act(
        ada,
        number,
        "answers",
        answers=[{"line": 9, "choice": "approved"}, {"line": 1, "choice": "asked", "note": " "}],
    )

    assert answer.status_code == 422
    assert answer.get_json()["errors"].keys() == {"name", "answers.0.line", "answers.1.note"}
    odd = act(ada, number, "answers", name="G", answers=[{"line": "1", "choice": "maybe"}])
    assert odd.get_json()["errors"].keys() == {"answers.0.line", "answers.0.choice"}


def test_answers_end_when_the_work_begins(ada: Person) -> None:
    number = create_visit(ada)
    answer_visit(ada, number)
    assert act_ok(ada, number, "begin")["status"] == "in_progress"

    answer = act(ada, number, "answers", name="Grace", answers=[{"line": 1, "choice": "declined"}])

    assert answer.status_code == 409
    assert answer.get_json()["status"] == "in_progress"
    assert answer.get_json()["allowed"] == ["invoice", "cancel"]


# Conflicts


ACTIONS: dict[str, tuple[str, dict[str, Any]]] = {
    "send": ("sent", {}),
    "answers": ("approved", {"name": "Grace", "answers": APPROVE_ALL}),
    "begin": ("in_progress", {}),
    "invoice": ("invoiced", {}),
    "cancel": ("cancelled", {}),
    "reopen": ("draft", {}),
}


@pytest.mark.parametrize("action", ACTIONS)
def test_older_version_is_a_conflict_with_the_current_one(ada: Person, action: str) -> None:
    number = create_visit(ada)
    answer_visit(ada, number)
    if action == "reopen":
        act_ok(ada, number, "cancel")
    version = get_visit(ada, number)["version"]

    stale = act(ada, number, action, version=1, **ACTIONS[action][1])

    assert stale.status_code == 409
    assert stale.get_json()["version"] == version
    assert get_visit(ada, number)["version"] == version


@pytest.mark.parametrize("action", ACTIONS)
def test_version_is_required(ada: Person, action: str) -> None:
    number = create_visit(ada)

    answer = ada.post(f"{PATH}/{number}/{action}", {})

    assert answer.status_code == 422
    assert "version" in answer.get_json()["errors"]


@pytest.mark.parametrize("action", ["begin", "invoice", "reopen"])
def test_action_not_allowed_by_the_status_is_a_conflict(ada: Person, action: str) -> None:
    number = create_visit(ada)

    answer = act(ada, number, action)

    assert answer.status_code == 409
    assert answer.get_json().keys() == {"success", "message", "status", "allowed", "version"}
    assert (answer.get_json()["status"], answer.get_json()["version"]) == ("draft", 1)


@pytest.mark.parametrize("action", [*ACTIONS, "pdf", "link"])
def test_visit_of_another_user_is_not_found(ada: Person, eve: Person, action: str) -> None:
    number = create_visit(ada)
    method = {"pdf": "GET", "link": "DELETE"}.get(action, "POST")

    answer = eve.client.open(
        f"{PATH}/{number}/{action}", method=method, json={"version": "x"}, headers=bearer(eve.token)
    )

    assert answer.status_code == 404, answer.text
    assert get_visit(ada, number)["version"] == 1


def test_one_of_several_concurrent_actions_succeeds(ada: Person, core: Core) -> None:
    number = create_visit(ada)
    answer_visit(ada, number)

    def begin(_: int) -> int:
        client = serve_core(core).test_client()
        answer = client.post(f"{PATH}/{number}/begin", json={"version": 2}, headers=bearer(ada.token))
        return int(answer.status_code)

    with ThreadPoolExecutor(4) as pool:
        statuses = [*pool.map(begin, range(4))]

    assert sorted(statuses) == [200, 409, 409, 409]
    assert [step["action"] for step in get_visit(ada, number)["timeline"]] == ["create", "answer", "begin"]


def test_cancelled_visit_is_reopened_as_a_draft(ada: Person) -> None:
    number = create_visit(ada)

    assert act_ok(ada, number, "cancel")["status"] == "cancelled"
    assert act_ok(ada, number, "reopen")["status"] == "draft"


# The invoice


@pytest.fixture
def root(core: Core, eve: Person) -> Person:
    return promoted(core, eve)


def test_invoice_is_as_approved_by_default(ada: Person) -> None:
    number = create_visit(ada)
    before = answer_visit(ada, number)

    visit = act_ok(ada, number, "invoice")

    assert visit["status"] == "invoiced"
    assert visit["totals"]["average_total"] == before["totals"]["average_total"]
    assert [line["approved_total"] for line in visit["lines"]] == [None, None, None]


def test_invoice_has_the_actual_hours_and_parts(ada: Person) -> None:
    number = create_visit(ada)
    answer_visit(
        ada,
        number,
        *({"line": line, "choice": "approved"} for line in (1, 3)),
        {"line": 2, "choice": "declined"},
    )
    act_ok(ada, number, "begin")
    before = get_visit(ada, number)
    approved = line_of(before, 1)

    visit = act_ok(
        ada,
        number,
        "invoice",
        lines=[{"line": 1, "labor_hours": 1.75, "labor_rate": 120, "parts_total": 84.2}],
    )

    pads, test = visit["lines"]
    assert (pads["labor_hours"], pads["labor_rate"], pads["labor_total"]) == (1.75, 120.0, 210.0)
    assert (pads["parts_total"], pads["average_total"], pads["low_total"]) == (84.2, 294.2, 294.2)
    assert pads["approved_total"] >= approved["average_total"]  # without its savings with the declined line
    assert (test["average_total"], test["approved_total"]) == (25.0, None)
    assert visit["totals"]["average_total"] == 319.2
    detail = visit["timeline"][-1]["detail"]
    assert "Front Brake Pads: $294.20, approved $" in detail["not_as_approved"]
    declined = line_of(before, 2)["description"].rpartition(" > ")[2]
    assert detail["not_billed"] == declined


WHEEL = ("brake-pads-front", "brake-rotors-front", "wheel-bearing-front", "cv-axle", "brake-caliper-front")


@pytest.mark.parametrize("declined", WHEEL)
def test_invoice_costs_the_same_as_an_estimate_of_the_approved_lines(ada: Person, declined: str) -> None:
    """The remaining lines still save labor with each other: they share the wheel."""
    lines = [{"problem_identifier": slug, "parts_tier": "oem"} for slug in WHEEL]
    charges = {"shop_supplies": {}, "sales_tax": True, "discount": {"percent": 10}}
    number = create_visit(ada, lines=lines, **charges)
    answers = [
        {"line": line, "choice": "declined" if slug == declined else "approved"}
        for line, slug in enumerate(WHEEL, 1)
    ]
    answer_visit(ada, number, *answers)

    bill = act_ok(ada, number, "invoice")

    rest = [line for line in lines if line["problem_identifier"] != declined]
    alone = ada.post("/api/v1/predict/visit", {**VISIT, "lines": rest, **charges}).get_json()["data"]
    assert [line["average_total"] for line in bill["lines"]] == [
        line["average_total"] for line in alone["lines"]
    ]
    assert bill["totals"]["average_total"] == alone["totals"]["average_total"]


def test_every_bad_figure_of_an_invoice_is_reported(ada: Person) -> None:
    number = create_visit(ada)
    answer_visit(ada, number, {"line": 1, "choice": "approved"}, {"line": 2, "choice": "declined"})

    answer = act(
        ada,
        number,
        "invoice",
        lines=[
            {"line": 1, "labor_rate": 1, "labor_total": 2},
            {"line": 2, "labor_hours": 1},
            {"line": 1, "labor_hours": 1},
        ],
    )

    assert answer.status_code == 422
    assert answer.get_json()["errors"].keys() == {
        "lines.0.labor_rate",
        "lines.1.line",
        "lines.2.line",
    }
    odd = act(ada, number, "invoice", lines=[{"line": 1, "labor_hours": -1, "parts_total": "4"}])
    assert odd.get_json()["errors"].keys() == {"lines.0.labor_hours", "lines.0.parts_total"}
    assert get_visit(ada, number)["status"] == "partly_approved"


def test_repeated_invoice_is_the_same(ada: Person) -> None:
    number = create_visit(ada)
    answer_visit(ada, number)
    version, lines = get_visit(ada, number)["version"], [{"line": 1, "labor_hours": 2, "parts_total": 50}]

    first = act(ada, number, "invoice", version=version, lines=lines)
    second = act(ada, number, "invoice", version=version, lines=lines)
    other = act(ada, number, "invoice", version=version, lines=[{"line": 1, "labor_hours": 3}])

    assert first.status_code == 200
    assert second.get_json() == first.get_json()
    assert other.status_code == 409
    assert other.get_json()["status"] == "invoiced"
    assert other.get_json()["version"] == version + 1


def test_invoice_needs_an_approved_line(ada: Person) -> None:
    number = create_visit(ada)
    answer_visit(ada, number, *({"line": line, "choice": "declined"} for line in (1, 2, 3)))

    assert act(ada, number, "invoice").status_code == 409


def test_estimates_learn_the_actual_hours_and_parts(root: Person, core: Core) -> None:
    number = create_visit(root)
    answer_visit(root, number, {"line": 1, "choice": "approved"}, {"line": 2, "choice": "declined"})

    visit = act_ok(
        root, number, "invoice", lines=[{"line": 1, "labor_hours": 1.5, "labor_rate": 130, "parts_total": 99}]
    )

    listed = root.get("/api/v1/admin/transactions").get_json()["data"]
    (learned,) = [each for each in listed if each["total"] == 294.0]
    assert (learned["labor_hours"], learned["labor_rate"], learned["parts_total"]) == (1.5, 130.0, 99.0)
    assert [pair.paid for pair in core.accuracy.report(LOCAL).answered] == [294_00]
    assert visit["timeline"][-1]["detail"]["recorded"] == len(listed)


def test_only_invoices_of_admins_are_learned(ada: Person) -> None:
    number = create_visit(ada)
    answer_visit(ada, number)

    visit = act_ok(ada, number, "invoice", lines=[{"line": 1, "labor_hours": 9}])

    assert visit["timeline"][-1]["detail"]["recorded"] == 0


# The document and the logo


def test_visit_has_a_pdf(ada: Person) -> None:
    answer = ada.get(f"{PATH}/{create_visit(ada)}/pdf")

    assert (answer.status_code, answer.content_type) == (200, "application/pdf")
    assert answer.data.startswith(b"%PDF")


def put_logo(user: Person, image: bytes, field: str = "logo") -> Any:
    return user.client.put(LOGO, data={field: (io.BytesIO(image), "logo")}, headers=bearer(user.token))


def logo() -> bytes:
    return photos.png(photos.code("QR", "logo"))


def test_logo_is_stored_shown_and_deleted(ada: Person, eve: Person) -> None:
    ada.client.put("/api/v1/shop", json={"name": "Ada's Garage"}, headers=bearer(ada.token))
    assert ada.get(LOGO).status_code == 404

    saved = put_logo(ada, logo())

    assert saved.status_code == 200, saved.text
    assert saved.get_json()["data"]["has_logo"] is True
    assert shaped(moment, saved.get_json()["data"]["updated_at"])
    found = ada.get(LOGO)
    assert (found.content_type, found.data[:8]) == ("image/png", b"\x89PNG\r\n\x1a\n")
    assert eve.get(LOGO).status_code == 404
    for _ in range(2):
        assert ada.delete(LOGO).status_code == 200
    assert ada.get(LOGO).status_code == 404


def test_logo_needs_a_shop(ada: Person) -> None:
    answer = put_logo(ada, logo())

    assert (answer.status_code, answer.get_json()["errors"].keys()) == (422, {"name"})
    assert ada.delete(LOGO).status_code == 200


@pytest.mark.parametrize(
    ("image", "field"),
    [(b"<svg/>", "logo"), (b"", "logo"), (b"x", "image")],
    ids=["svg", "empty", "another field"],
)
def test_invalid_logo_is_rejected(ada: Person, image: bytes, field: str) -> None:
    ada.client.put("/api/v1/shop", json={"name": "Ada's Garage"}, headers=bearer(ada.token))

    answer = put_logo(ada, image, field)

    assert (answer.status_code, answer.get_json()["errors"].keys()) == (422, {"logo"})


def test_too_large_logo_is_rejected(ada: Person) -> None:
    head = b'--b\r\nContent-Disposition: form-data; name="logo"; filename="l"\r\n\r\n'
    body = head + bytes(MAX_LOGO_BYTES + 1) + b"\r\n--b--\r\n"

    answer = ada.client.put(
        LOGO, data=body, content_type="multipart/form-data; boundary=b", headers=bearer(ada.token)
    )

    assert answer.status_code == 422
    assert answer.get_json()["errors"] == {"logo": ["The logo must not be larger than 500 KB."]}


def test_rejected_requests_write_nothing(ada: Person, core: Core) -> None:
    number = create_visit(ada)
    bodies: dict[str, Any] = {"version": 1, "name": "", "answers": [], "lines": [{"line": 5}], "by_mail": "x"}

    with unwritten(core.storage.url):
        for action in ("send", "answers", "begin", "invoice", "reopen"):
            assert ada.post(f"{PATH}/{number}/{action}", bodies).status_code in {409, 422}
