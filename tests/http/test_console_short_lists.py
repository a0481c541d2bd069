"""Short lists: API keys, partners and shared links, searched, sorted and downloaded."""

import csv
import io

import pytest
from tests.http.test_quote_pages import CAR, PADS, line_fields
from tests.http.visitors import Visitor, visitor

from repaircore.core import Core
from repaircore.kernel.callers import Environment
from repaircore_http.service import serve_core


def _names(user: Visitor, path: str, *names: str) -> list[str]:
    """Return which of the names a page shows, in its order."""
    text = user.get(path).text
    return sorted((name for name in names if f">{name}<" in text), key=lambda name: text.index(f">{name}<"))


@pytest.fixture
def root(core: Core) -> Visitor:
    return visitor(serve_core(core).test_client(), "Root", core=core)


@pytest.fixture
def admin_with_keys(root: Visitor) -> Visitor:
    for name in ("Bay two", "Air desk", "Front counter"):
        root.get("/console/keys")
        assert root.post("/console/keys", {"name": name, "environment": "test"}).status_code == 201
    return root


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", ["Bay two", "Air desk", "Front counter"]),
        ("?sort=name", ["Air desk", "Bay two", "Front counter"]),
        ("?sort=-created_at", ["Front counter", "Air desk", "Bay two"]),
        ("?search=DESK+air", ["Air desk"]),
        ("?search=nothing", []),
    ],
)
def test_keys_are_searched_and_sorted(admin_with_keys: Visitor, query: str, expected: list[str]) -> None:
    assert (
        _names(admin_with_keys, f"/console/keys{query}", "Bay two", "Air desk", "Front counter") == expected
    )


def test_partners_are_searched_and_sorted(root: Visitor, core: Core) -> None:
    for name in ("Towify", "Assist24"):
        core.partners.create(name, Environment.TEST)

    assert _names(root, "/console/admin/partners", "Towify", "Assist24") == ["Towify", "Assist24"]
    assert _names(root, "/console/admin/partners?sort=name", "Towify", "Assist24") == ["Assist24", "Towify"]
    assert _names(root, "/console/admin/partners?search=ASSIST", "Towify", "Assist24") == ["Assist24"]


@pytest.mark.parametrize("page", ["keys", "links", "admin/partners"])
@pytest.mark.parametrize("query", ["sort=price", "serach=x", f"search={'x' * 256}"])
def test_unknown_filters_and_orders_are_rejected_on_the_page(root: Visitor, page: str, query: str) -> None:
    refused = root.get(f"/console/{page}?{query}")

    assert refused.status_code == 422
    assert "<h1>" in refused.text


def _rows(user: Visitor, path: str) -> list[dict[str, str]]:
    answer = user.get(path)
    assert answer.headers["Content-Type"].startswith("text/csv")
    return list(csv.DictReader(io.StringIO(answer.text)))


def test_downloaded_keys_are_searched_and_sorted_without_secrets(admin_with_keys: Visitor) -> None:
    assert 'href="/console/keys.csv?sort=name"' in admin_with_keys.get("/console/keys?sort=name").text

    rows = _rows(admin_with_keys, "/console/keys.csv?sort=name")

    assert [row["name"] for row in rows] == ["Air desk", "Bay two", "Front counter"]
    assert all("…" in row["secret_key"] for row in rows)
    assert _rows(admin_with_keys, "/console/keys.csv?search=desk") == rows[:1]
    assert admin_with_keys.get("/console/keys.csv?serach=x").status_code == 422


def test_all_pages_of_partners_are_downloaded(root: Visitor, core: Core) -> None:
    names = [*(f"Partner {number:03}" for number in range(100)), "Quixotic Towing"]
    for name in names:
        core.partners.create(name, Environment.TEST)

    assert [row["name"] for row in _rows(root, "/console/admin/partners.csv?sort=-name")] == names[::-1]
    # Digits could also match a random key.
    assert [row["name"] for row in _rows(root, "/console/admin/partners.csv?search=quixotic")] == names[-1:]


def test_only_own_links_are_downloaded(root: Visitor) -> None:
    root.get("/quote")
    assert root.post("/quote/share", {**CAR, **line_fields(PADS)}).status_code == 200
    eve = visitor(root.client.application.test_client(), "Eve")

    (row,) = _rows(root, "/console/links.csv")

    assert (row["shared"], row["vehicle"][:10], row["address"]) == ("quote", "2003 Honda", "")
    assert _rows(root, "/console/links.csv?search=yugo") == []
    assert _rows(eve, "/console/links.csv") == []
