"""The shop of an account, over HTTP."""

import io
from typing import Any

import pytest
from tests import photos
from tests.http.people import Person, bearer
from tests.http.shape import moment, shaped

SHOP = "/api/v1/shop"
GOOD: dict[str, Any] = {
    "name": " Ada's Garage ",
    "address": "1 Main St\nSpringfield, IL ",
    "zip_code": "62701",
    "phone": "(217) 555-0142",
    "email": "service@example.com",
    "license_number": "ARD 1",
    "terms": "Payment is due on pickup.",
    "valid_days": 14,
}


def put(person: Person, body: object) -> Any:
    return person.client.put(SHOP, json=body, headers=bearer(person.keys().secret_key))


def test_show_has_no_shop_at_first(ada: Person) -> None:
    answer = ada.get(SHOP)

    assert (answer.status_code, answer.get_json()["message"]) == (
        404,
        "Your shop is not set up yet. Set it up with PUT /api/v1/shop.",
    )


def test_save_stores_a_shop_that_only_its_owner_sees(ada: Person, eve: Person) -> None:
    answer = put(ada, GOOD)

    assert answer.status_code == 200, answer.text
    stored = {
        **GOOD,
        "name": "Ada's Garage",
        "address": "1 Main St\nSpringfield, IL",
        "facility_id": None,
        "has_logo": False,
        "updated_at": moment,
    }
    assert shaped({"success": True, "data": stored}, ada.get(SHOP).get_json())
    assert eve.get(SHOP).status_code == 404


def test_save_clears_absent_fields(ada: Person) -> None:
    put(ada, GOOD)

    data = put(ada, {"name": "B"}).get_json()["data"]

    assert (data["name"], data["terms"], data["valid_days"]) == ("B", None, 30)


def test_publishable_key_may_not_see_or_change_it(ada: Person) -> None:
    key = bearer(ada.keys().public_key)

    assert ada.client.get(SHOP, headers=key).status_code == 403
    assert ada.client.put(SHOP, json=GOOD, headers=key).status_code == 403


def test_save_reports_every_bad_field_at_once(ada: Person) -> None:
    bad = {
        "name": " ",
        "address": "x" * 301,
        "zip_code": "ABC",
        "phone": "1\n2",
        "email": "nobody",
        "license_number": "x" * 121,
        "terms": "x" * 20_000,
        "valid_days": 0,
        "facility_id": -1,
    }

    answer = put(ada, bad)

    assert answer.status_code == 422
    assert set(answer.get_json()["errors"]) == set(bad)


@pytest.mark.parametrize("value", [[], {}, 5, True, "🚗", "x" * 20_000, 1e300, -1])
@pytest.mark.parametrize("field", [*GOOD, "facility_id"])
def test_odd_value_causes_no_server_error(ada: Person, field: str, value: object) -> None:
    assert put(ada, {**GOOD, field: value}).status_code in {200, 422}


def test_logo_is_stored_and_deleted(ada: Person) -> None:
    put(ada, GOOD)
    logo = {"logo": (io.BytesIO(photos.png(photos.code("QR", "1HGCM82633A004352"))), "logo.png")}

    stored = ada.client.put(f"{SHOP}/logo", data=logo, headers=bearer(ada.token))
    assert stored.get_json()["data"]["has_logo"]
    assert ada.get(f"{SHOP}/logo").mimetype == "image/png"

    ada.delete(f"{SHOP}/logo")
    assert not ada.get(SHOP).get_json()["data"]["has_logo"]
    assert ada.get(f"{SHOP}/logo").status_code == 404
