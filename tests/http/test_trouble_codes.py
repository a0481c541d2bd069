"""GET diagnostic/codes: the meaning of a trouble code."""

from typing import Any

import pytest
from tests.http.people import Person
from tests.http.shape import nullable, number, shaped

VIN = "1HGCM82633A004352"
"""A Honda."""

PATH = "/api/v1/diagnostic/codes/"
CAUSE: dict[str, Any] = {
    "problem": {"id": int, "slug": str, "display_name": str},
    "likelihood": number,
    "urgency": str,
    "safe_to_drive": str,
}
CODE: dict[str, Any] = {
    "success": True,
    "data": {
        "code": str,
        "known": bool,
        "title": str,
        "meaning": str,
        "area": str,
        "standard": bool,
        "subsystem": nullable(str),
        "makes": [str],
        "system": nullable(str),
        "urgency": nullable(str),
        "safe_to_drive": nullable(str),
        "causes": [CAUSE],
        "by_maker": [{"makes": [str], "title": str, "meaning": str}],
    },
}


def test_code_is_explained(ada: Person) -> None:
    answer = ada.get(f"{PATH}P0420")

    assert answer.status_code == 200
    assert shaped(CODE, answer.json)
    data = answer.get_json()["data"]

    assert (data["code"], data["system"], data["urgency"]) == ("P0420", "emissions", "plan")
    likeliest = data["causes"][0]

    assert (likeliest["problem"]["slug"], likeliest["likelihood"]) == ("catalytic-converter", 60.0)
    assert [one["likelihood"] for one in data["causes"]] == sorted(
        (one["likelihood"] for one in data["causes"]), reverse=True
    )


@pytest.mark.parametrize("written", ["p0420", "P%200420", "p-0420", "PO42O", "%20p0420%20"])
def test_code_is_normalized(ada: Person, written: str) -> None:
    assert ada.get(PATH + written).get_json()["data"]["code"] == "P0420"


@pytest.mark.parametrize(
    ("code", "title", "meaning"),
    [
        ("P1998", "Manufacturer powertrain code for the transmission", "the manufacturer decides"),
        ("B1234", "Manufacturer body code", "body codes whose meaning the manufacturer decides"),
        ("P0FFF", "Standard powertrain code", "the same meaning for every make"),
    ],
)
def test_code_without_an_entry_is_explained_by_its_structure(
    ada: Person, code: str, title: str, meaning: str
) -> None:
    answer = ada.get(PATH + code)

    assert answer.status_code == 200
    assert shaped(CODE, answer.json)
    data = answer.get_json()["data"]

    assert (data["known"], data["title"], data["causes"], data["urgency"]) == (False, title, [], None)
    assert meaning in data["meaning"]
    assert f"Nothing more is known about {code}." in data["meaning"]


def test_manufacturer_code_is_explained_for_the_make(ada: Person) -> None:
    data = ada.get(f"{PATH}C1201?make=toyota").get_json()["data"]

    assert data["title"] == "Engine control fault reported to the stability control"
    assert (data["known"], data["standard"], data["by_maker"]) == (True, False, [])
    assert data["makes"] == ["Lexus", "Scion", "Toyota"]


def test_manufacturer_code_without_a_make_lists_all_meanings(ada: Person) -> None:
    answer = ada.get(f"{PATH}C1201")

    assert shaped(CODE, answer.json)
    data = answer.get_json()["data"]

    assert (data["known"], data["makes"]) == (False, [])
    assert [one["makes"][-1] for one in data["by_maker"]] == ["Kia", "Toyota"]


def test_show_takes_the_make_from_the_vin(ada: Person) -> None:
    data = ada.get(f"{PATH}P1259?vin={VIN}").get_json()["data"]

    assert data["title"] == "Variable valve lift (VTEC) system"


def test_show_rejects_a_bad_vin(ada: Person) -> None:
    answer = ada.get(f"{PATH}P1259?vin=1")

    assert answer.status_code == 422
    assert "vin" in answer.get_json()["errors"]


@pytest.mark.parametrize(
    "text", ["P042", "X0420", "P4420", "hello", "P0420P0420P0420P0420", "%01", "٣", "P" * 5000]
)
def test_show_rejects_a_bad_code(ada: Person, text: str) -> None:
    answer = ada.get(PATH + text)

    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {"code": [str]}}, answer.json)
