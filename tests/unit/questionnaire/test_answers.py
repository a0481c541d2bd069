"""Answers and vehicles of a submission."""

import pytest

from repaircore.questionnaire.answers import validate_vehicle_id

_INVALID = ["The selected vehicle id is invalid."]
_MALFORMED = ["The vehicle id field must be a positive integer, or the id of a vehicle."]
_UUID = "01890a5d-ac96-774b-bcce-b302099a8057"


@pytest.mark.parametrize(
    ("vehicle_id", "exists", "errors"),
    [
        (None, False, []),
        (1, False, []),
        (7, True, []),
        (_UUID, True, []),
        (0, False, _INVALID),
        (-3, False, _INVALID),
        (10**30, False, _INVALID),
        (_UUID, False, _INVALID),
        ("seven", False, _MALFORMED),
        (True, False, _MALFORMED),
        (1.0, False, _MALFORMED),
    ],
)
def test_vehicle_id_is_a_number_of_the_caller_or_a_stored_vehicle(
    vehicle_id: object, *, exists: bool, errors: list[str]
) -> None:
    assert validate_vehicle_id(vehicle_id, exists=exists) == errors
