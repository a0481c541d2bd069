"""Lists of rides and tows: filters, cursors, metadata."""

from typing import Any

import pytest
from tests.http.partners import PartnerApp
from tests.http.rides import Maker, mobile, tow


def refs(partner: PartnerApp, maker: Maker, query: str = "") -> list[str]:
    answer = partner.get(f"{maker.path}?{query}")
    assert answer.status_code == 200, answer.get_json()
    return [ride["ref"] for ride in answer.get_json()["data"]]


both_kinds = pytest.mark.parametrize("maker", [mobile, tow], ids=["mobile", "tow"])


@both_kinds
def test_pages_by_cursor_have_each_ride_once(partner: PartnerApp, maker: Maker) -> None:
    newest_first = [maker.pending(partner)["ref"] for _ in range(3)][::-1]
    first = partner.get(f"{maker.path}?per_page=2").get_json()
    maker.pending(partner)  # shifts nothing
    second = partner.get(f"{maker.path}?per_page=2&cursor={first['meta']['next_cursor']}").get_json()
    back = partner.get(f"{maker.path}?per_page=2&cursor={second['meta']['previous_cursor']}").get_json()

    assert [ride["ref"] for ride in first["data"] + second["data"]] == newest_first
    assert second["meta"]["next_cursor"] is None
    assert back["data"] == first["data"]


def test_cursor_of_tows_is_rejected_by_rides(partner: PartnerApp) -> None:
    for _ in range(2):
        tow.pending(partner)
    cursor = partner.get(f"{tow.path}?per_page=1").get_json()["meta"]["next_cursor"]

    assert partner.get(f"{mobile.path}?per_page=1&cursor={cursor}").status_code == 400


@both_kinds
def test_list_filters_by_reference_customer_status_and_day(partner: PartnerApp, maker: Maker) -> None:
    one = maker.pending(partner, partner_reference="claim 1")
    two = maker.pending(partner, partner_reference="claim 2")
    other = maker.accepted(partner)

    assert refs(partner, maker, "partner_reference=claim 1") == [one["ref"]]
    assert refs(partner, maker, f"passenger_ref={two['passenger_ref']}") == [two["ref"]]
    assert refs(partner, maker, "passenger_ref=cus_nobody") == []
    assert refs(partner, maker, "status=accepted") == [other["ref"]]
    assert refs(partner, maker, "date_from=2000-01-01&date_to=2999-01-01&status=pending") == [
        two["ref"],
        one["ref"],
    ]
    assert refs(partner, maker, "date_to=2000-01-01") == []


@both_kinds
def test_list_has_only_rides_of_its_kind_and_partner(
    partner: PartnerApp, other_partner: PartnerApp, live_partner: PartnerApp, maker: Maker
) -> None:
    mobile.pending(partner, partner_reference="x")
    tow.pending(partner, partner_reference="x")

    assert len(refs(partner, maker, "partner_reference=x")) == 1
    assert refs(other_partner, maker, "partner_reference=x") == refs(live_partner, maker) == []


@both_kinds
@pytest.mark.parametrize(
    "query", ["state=pending", "status=lost", "cursor=x", "date_from=2026-02-02&date_to=2026-02-01"]
)
def test_bad_query_is_rejected(partner: PartnerApp, maker: Maker, query: str) -> None:
    refused = partner.get(f"{maker.path}?{query}")

    assert (refused.status_code, refused.get_json()["error"]["code"]) == (400, "INVALID_REQUEST")
    assert len(refused.get_json()["error"]["details"]) == 1


@both_kinds
def test_metadata_is_returned_as_sent(partner: PartnerApp, maker: Maker) -> None:
    created = maker.pending(partner, metadata={"claim": "7", "agent": "Bo Ærø"})
    changed = partner.patch(f"{maker.path}/{created['ref']}", {"metadata": {"claim": "8"}}).get_json()["data"]

    assert created["metadata"] == {"claim": "7", "agent": "Bo Ærø"}
    assert changed["metadata"] == {"claim": "8"}
    assert partner.get(f"{maker.path}/{created['ref']}").get_json()["data"]["metadata"] == {"claim": "8"}
    assert maker.pending(partner)["metadata"] == {}


@both_kinds
@pytest.mark.parametrize(
    ("metadata", "bad"),
    [({str(number): "" for number in range(21)}, "metadata"), ({"a": None}, "metadata.a"), ("x", "metadata")],
)
def test_bad_metadata_is_rejected(partner: PartnerApp, maker: Maker, metadata: Any, bad: str) -> None:
    ride = maker.pending(partner)
    refused = partner.patch(f"{maker.path}/{ride['ref']}", {"metadata": metadata})

    assert (refused.status_code, set(refused.get_json()["error"]["details"])) == (400, {bad})
