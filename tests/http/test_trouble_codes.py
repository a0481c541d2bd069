"""GET diagnostic/codes: what a trouble code means, however it is written."""

from typing import Any

import pytest
from tests.http.people import Person
from tests.http.shape import number, shaped

PATH = "/api/v1/diagnostic/codes/"
CAUSE: dict[str, Any] = {
    "problem": {"id": int, "slug": str, "display_name": str},
    "likelihood": number,
    "urgency": str,
    "safe_to_drive": str,
}
TOLD: dict[str, Any] = {
    "success": True,
    "data": {
        "code": str,
        "title": str,
        "meaning": str,
        "system": str,
        "urgency": str,
        "safe_to_drive": str,
        "causes": [CAUSE],
    },
}


def test_a_code_is_explained(ada: Person) -> None:
    answer = ada.get(f"{PATH}P0420")
    assert answer.status_code == 200
    assert shaped(TOLD, answer.json)
    data = answer.get_json()["data"]
    assert (data["code"], data["system"], data["urgency"]) == ("P0420", "emissions", "plan")
    likeliest = data["causes"][0]
    assert (likeliest["problem"]["slug"], likeliest["likelihood"]) == ("catalytic-converter", 60.0)
    assert [one["likelihood"] for one in data["causes"]] == sorted(
        (one["likelihood"] for one in data["causes"]), reverse=True
    )


@pytest.mark.parametrize("written", ["p0420", "P%200420", "p-0420", "PO42O", "%20p0420%20"])
def test_it_does_not_matter_how_a_code_is_written(ada: Person, written: str) -> None:
    assert ada.get(PATH + written).get_json()["data"]["code"] == "P0420"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("P1234", "the manufacturer decides"),
        ("B1234", "body codes whose meaning the manufacturer decides"),
        ("P0FFF", "the same meaning for every make"),
    ],
)
def test_of_a_code_that_is_not_known_it_is_said_what_kind_it_is(ada: Person, code: str, said: str) -> None:
    answer = ada.get(PATH + code)
    assert answer.status_code == 404
    assert shaped({"success": False, "message": str}, answer.json)
    assert code in answer.get_json()["message"]
    assert said in answer.get_json()["message"]


@pytest.mark.parametrize(
    "text", ["P042", "X0420", "P4420", "hello", "P0420P0420P0420P0420", "%01", "٣", "P" * 5000]
)
def test_what_is_no_code_is_a_422(ada: Person, text: str) -> None:
    answer = ada.get(PATH + text)
    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {"code": [str]}}, answer.json)
