"""Any signals or tires have a documented answer, on both databases."""

from typing import Any, Final

from attrs import fields
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.http.people import ACCORD, Person, bearer
from tests.http.shape import shaped
from werkzeug.test import TestResponse

from repaircore.fleet.signals import SignalReading
from repaircore.fleet.tires import Position
from repaircore.health.tire_estimates import EstimateTires

SIGNALS: Final = f"/api/v1/fleet/vehicles/{ACCORD}/compliance"
TIRES: Final = "/api/v1/fleet/tires/estimate"

_LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(-1e300, 1e300)
    | st.integers(-1, 160)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=12)
    | st.sampled_from(["P0420", "c1234", "2026-01-31", "2026-02-30", "9999-12-31", "0001-01-01"])
)
_BY_POSITION = st.dictionaries(st.sampled_from([*Position, "spare"]).map(str), _LEAVES, max_size=4)
_VALUES = _LEAVES | _BY_POSITION | st.lists(_LEAVES, max_size=4)

_many_examples = settings(
    max_examples=80,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def bodies(shape: type[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional={field.name: _VALUES for field in fields(shape)})


def is_documented(answer: TestResponse, shape: type[Any]) -> bool:
    if answer.status_code == 200:
        return True
    assert answer.status_code == 422, answer.text
    errors = answer.get_json()["errors"]
    assert shaped({"message": str, "errors": {name: [str] for name in errors}}, answer.json)
    assert all(errors.values())
    return {name.split(".")[0] for name in errors} <= {field.name for field in fields(shape)}


@given(body=bodies(SignalReading))
@_many_examples
def test_any_signals_have_a_documented_answer(ada: Person, body: dict[str, Any]) -> None:
    assert is_documented(ada.client.post(SIGNALS, json=body, headers=bearer(ada.token)), SignalReading)


@given(body=bodies(EstimateTires))
@_many_examples
def test_any_tires_have_a_documented_answer(ada: Person, body: dict[str, Any]) -> None:
    assert is_documented(ada.client.post(TIRES, json=body, headers=bearer(ada.token)), EstimateTires)
