"""Every list of the main service: unknown parameters are rejected, pages have cursors, and CSV has the whole list."""

import csv
import io
from typing import Any

import attrs
import pytest
from tests.http.people import Person, promoted
from tests.http.test_endpoints import call_for, main_endpoints
from tests.http.visitors import Page, visitor

from repaircore.core import Core
from repaircore.csv_rows import head_of
from repaircore.facilities.model import CreateFacility
from repaircore_http.app import Api
from repaircore_http.listing import ListQuery
from repaircore_http.routes import GuardedRule
from repaircore_http.service import serve_core

REGIONS = "/api/v1/admin/regions"
CONSOLE_LISTS = ("transactions", "invoices", "regions", "repairs", "users", "audit", "webhooks")


@pytest.fixture
def root(core: Core, ada: Person) -> Person:
    return promoted(core, ada)


def rules(api: Any) -> dict[str, GuardedRule]:
    app: Api = api.application
    gets = (rule for rule in app.url_map.iter_rules() if "GET" in (rule.methods or ()))
    return {rule.rule: rule for rule in gets if isinstance(rule, GuardedRule)}


def lists(api: Any) -> list[GuardedRule]:
    return [
        rule
        for rule in rules(api).values()
        if rule.spec.query is not None
        and issubclass(rule.spec.query, ListQuery)
        and not rule.rule.startswith("/api/v1/partner/")
    ]


def test_growing_lists_have_cursors_orders_and_formats(api: Any) -> None:
    assert {rule.rule for rule in lists(api)} >= {
        "/api/v1/admin/invoice-drafts",
        "/api/v1/admin/problems",
        "/api/v1/admin/problems/<parent_id>/children",
        "/api/v1/admin/regions",
        "/api/v1/admin/transactions",
        "/api/v1/admin/vehicles",
        "/api/v1/diagnostic/chat-sessions",
        "/api/v1/fleet/services",
        "/api/v1/fleet/vehicles",
        "/api/v1/fleet/vehicles/<vehicle>/bills",
        "/api/v1/predict/history",
        "/api/v1/predict/repair-lifecycle/history",
        "/api/v1/tasks",
        "/api/v1/visits",
        "/api/v1/webhooks",
        "/api/v1/webhooks/<webhook>/deliveries",
    }


def test_unknown_list_parameter_is_rejected_with_the_known_ones(root: Person) -> None:
    api = root.client
    for endpoint in main_endpoints():
        if endpoint.method != "GET" or "{}" in endpoint.path:
            continue
        rule = rules(api).get(endpoint.path)
        if rule is None or rule.spec.query is None or endpoint.path.endswith("/callback"):
            continue
        path, _ = call_for(endpoint, root, "live")
        mark = "&" if "?" in path else "?"
        answer = root.get(f"{path}{mark}colour=red")

        assert answer.status_code == 422, endpoint
        (sentence,) = answer.get_json()["errors"]["colour"]
        assert sentence.startswith("The colour parameter is unknown."), endpoint
        assert all(field.name in sentence for field in attrs.fields(rule.spec.query)), endpoint


def test_every_list_has_csv_with_a_column_for_each_field(root: Person) -> None:
    for rule in lists(root.client):
        if "<" in rule.rule:
            continue
        answer = root.get(f"{rule.rule}?format=csv")

        assert answer.status_code == 200, rule.rule
        assert answer.content_type == "text/csv; charset=utf-8"
        (shape,) = rule.spec.returns.__args__
        assert tuple(next(csv.reader(io.StringIO(answer.text)))) == head_of(shape)
        page = root.get(rule.rule).get_json()
        assert set(page["meta"]) >= {"total", "next_cursor", "previous_cursor"}


def test_csv_has_all_pages_and_no_formulas(root: Person, core: Core) -> None:
    names = ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "=cmd|' /C calc'!A0", 'Ada\'s, "Garage"\nand more']
    names += [f"Shop {number:03}" for number in range(120)]
    for name in names:
        core.facilities.create(CreateFacility(facility_name=name.replace("\t", " ").replace("\n", " ")))

    rows = [*csv.DictReader(io.StringIO(root.get(f"{REGIONS}?format=csv&sort=created_at").text))]

    assert len(rows) == len(names)
    cells = [row["facility_name"] for row in rows]
    assert cells[:4] == ["'=1+1", "'+1", "'-1", "'@SUM(A1)"]
    assert not [cell for row in rows for cell in row.values() if cell.startswith(("=", "+", "@", "-", "\t"))]


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("text/csv", "text/csv; charset=utf-8"),
        ("text/csv, application/json;q=0.5", "text/csv; charset=utf-8"),
        ("*/*", "application/json"),
        ("application/json, text/csv", "application/json"),
        ("text/html", "application/json"),
    ],
)
def test_accept_header_selects_the_format_unless_the_query_does(root: Person, accept: str, kind: str) -> None:
    headers = {"Authorization": f"Bearer {root.token}", "Accept": accept}

    assert root.client.get(REGIONS, headers=headers).content_type == kind
    chosen = root.client.get(f"{REGIONS}?format=json", headers=headers)
    assert chosen.content_type == "application/json"


def test_cursor_continues_where_the_page_ended(root: Person, core: Core) -> None:
    for number in range(5):
        core.facilities.create(CreateFacility(facility_name=f"Shop {number}"))
    first = root.get(f"{REGIONS}?per_page=2&sort=-facility_name").get_json()
    core.facilities.create(CreateFacility(facility_name="Shop 9"))

    cursor = first["meta"]["next_cursor"]
    second = root.get(f"{REGIONS}?per_page=2&sort=-facility_name&cursor={cursor}").get_json()

    assert [one["facility_name"] for one in second["data"]] == ["Shop 2", "Shop 1"]
    assert "current_page" not in second["meta"]
    assert first["meta"]["current_page"] == 1
    other = root.get(f"{REGIONS}?per_page=2&cursor={cursor}")
    assert (other.status_code, list(other.get_json()["errors"])) == (422, ["cursor"])


def test_list_pages_reject_unknown_filters_and_accept_notices(core: Core) -> None:
    root = visitor(serve_core(core).test_client(), "Root", core=core)
    pages = ("visits", "history", "garage", *(f"admin/{name}" for name in CONSOLE_LISTS))
    for page in pages:
        path = f"/console/{page}"
        assert root.get(f"{path}?done=region-added").status_code == 200, path
        refused = root.get(f"{path}?colour=red")
        assert refused.status_code == 422, path
        assert "The colour parameter is unknown." in Page(refused.text).words, path
        if page != "admin/webhooks":
            assert root.get(f"{path}?sort=color").status_code == 422, path
            answer = root.get(f"{path}.csv")
            assert answer.content_type == "text/csv; charset=utf-8", path
            assert "," in answer.text.splitlines()[0], path
