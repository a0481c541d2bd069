"""Lists that are one page: API keys, partners and shared links, searched and sorted."""

import pytest
from tests.http.visitors import Visitor, visitor

from repaircore.core import Core
from repaircore.kernel.callers import Environment
from repaircore_http.service import serve_core


def _names(who: Visitor, path: str, *names: str) -> list[str]:
    """Return those of some names that a page shows, in its order."""
    text = who.get(path).text
    return sorted((name for name in names if f">{name}<" in text), key=lambda name: text.index(f">{name}<"))


@pytest.fixture
def root(core: Core) -> Visitor:
    return visitor(serve_core(core).test_client(), "Root", core=core)


@pytest.fixture
def keyed(root: Visitor) -> Visitor:
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
def test_keys_are_searched_and_sorted(keyed: Visitor, query: str, expected: list[str]) -> None:
    assert _names(keyed, f"/console/keys{query}", "Bay two", "Air desk", "Front counter") == expected


def test_partners_are_searched_and_sorted(root: Visitor, core: Core) -> None:
    for name in ("Towify", "Assist24"):
        core.partners.create(name, Environment.TEST)

    assert _names(root, "/console/admin/partners", "Towify", "Assist24") == ["Towify", "Assist24"]
    assert _names(root, "/console/admin/partners?sort=name", "Towify", "Assist24") == ["Assist24", "Towify"]
    assert _names(root, "/console/admin/partners?search=ASSIST", "Towify", "Assist24") == ["Assist24"]


@pytest.mark.parametrize("page", ["keys", "links", "admin/partners"])
@pytest.mark.parametrize("query", ["sort=price", "serach=x", f"search={'x' * 256}"])
def test_unknown_filters_and_orders_are_refused_with_the_page(root: Visitor, page: str, query: str) -> None:
    refused = root.get(f"/console/{page}?{query}")

    assert refused.status_code == 422
    assert "<h1>" in refused.text
