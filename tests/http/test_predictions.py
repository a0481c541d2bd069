"""Predictions by VIN, over both databases: the body, the cache, the models, the price adjustment."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.people import ACCORD, ASK, Person, bearer
from tests.http.prediction_shapes import PREDICTION, amounts, without_session
from tests.http.shape import shaped
from tests.http.watched import serve_core
from tests.writes import rows, unwritten

from repaircore.adapters.ai.panel import ParallelPanel
from repaircore.core import Core
from repaircore.kernel.errors import Unavailable
from repaircore.learning.transaction_rows import CreateTransaction
from repaircore.testing.clock import FrozenClock
from repaircore.testing.models import CountingPanel, ScriptedModel
from repaircore.transactions.model import TransactionPart
from repaircore_http import service

PATH = "/api/v1/predict"
TESLA = "5YJ3E1EA7KF"
NO_MODELS = ParallelPanel(ScriptedModel(Unavailable("timed out")), ScriptedModel(Unavailable("HTTP 500")))


def predict(api: FlaskClient, token: str, **changes: Any) -> Any:
    answer = api.post(PATH, json={**ASK, **changes}, headers=bearer(token))
    assert answer.status_code == 200, answer.text
    assert shaped(PREDICTION, answer.json)
    return answer.json


@pytest.fixture
def live(ada: Person) -> str:
    return ada.keys("live").secret_key


@pytest.fixture
def test_key(ada: Person) -> str:
    return ada.keys("test").secret_key


# The body


def test_new_answer_is_fresh_for_three_days(api: FlaskClient, live: str) -> None:
    body = predict(api, live)
    assert (body["memory_source"], body["memory_decay_remaining"]) == ("fresh", 100.0)
    assert body["memory_expires_at"] == "2026-01-05T03:04:05Z"
    assert list(body)[:5] == [
        "success",
        "session_id",
        "memory_source",
        "memory_decay_remaining",
        "memory_expires_at",
    ]


def test_lines_add_up_to_the_cent(api: FlaskClient, live: str) -> None:
    body = predict(api, live, problem_identifier="brake-rotors-front")
    result = body["repair_breakdown"]
    parts = sum(round(part["total_price"] * 100) for part in result["parts"])
    labor = round(result["total_labor_cost"] * 100)
    assert all(
        round(part["unit_price"] * 100) * part["quantity"] == round(part["total_price"] * 100)
        for part in result["parts"]
    )
    assert parts == round(result["total_parts_cost"] * 100)
    assert parts + labor == round(result["total_estimate"] * 100)
    assert result["total_estimate"] == body["local_prediction"]["average_total_estimate"]
    local = body["local_prediction"]
    assert local["low_total_estimate"] < local["average_total_estimate"] < local["high_total_estimate"]


def test_repair_is_identified_by_id_or_slug(api: FlaskClient, live: str) -> None:
    assert predict(api, live, problem_identifier="101")["session_id"] == predict(api, live)["session_id"]


# The cache


def test_repeated_request_within_three_days_uses_only_the_cache(
    api: FlaskClient, live: str, panel: CountingPanel, database_url: str
) -> None:
    first = predict(api, live)
    with unwritten(database_url):
        again = predict(api, live)
    assert again == {**first, "memory_source": "cached"}
    assert panel.calls == 1


def test_cached_answer_decays_evenly_and_ends_after_three_days(
    api: FlaskClient, live: str, clock: FrozenClock, panel: CountingPanel
) -> None:
    first = predict(api, live)
    results = []
    for hours in (18, 18, 18, 17):
        clock.advance(timedelta(hours=hours))
        body = predict(api, live)
        assert (body["session_id"], body["memory_source"]) == (first["session_id"], "cached")
        assert body["memory_expires_at"] == first["memory_expires_at"]
        results.append(body["memory_decay_remaining"])
    assert results == [75.0, 50.0, 25.0, 1.39]
    clock.advance(timedelta(hours=1))
    fresh = predict(api, live)
    assert (fresh["memory_source"], fresh["memory_decay_remaining"]) == ("fresh", 100.0)
    assert fresh["memory_expires_at"] == "2026-01-08T03:04:05Z"
    assert fresh["session_id"] != first["session_id"]
    assert panel.calls == 2


def test_answer_is_cached_until_the_last_microsecond(api: FlaskClient, live: str, clock: FrozenClock) -> None:
    first = predict(api, live)
    clock.advance(timedelta(days=3) - timedelta(microseconds=1))
    last = predict(api, live)
    assert (last["session_id"], last["memory_decay_remaining"]) == (first["session_id"], 0.0)


def test_another_user_gets_their_own_session_for_the_same_figures(
    api: FlaskClient, live: str, eve: Person, panel: CountingPanel, clock: FrozenClock
) -> None:
    first = predict(api, live)
    clock.advance(timedelta(hours=36))
    key = eve.keys("live").secret_key
    other, again = predict(api, key), predict(api, key)
    assert (other["memory_source"], other["memory_decay_remaining"]) == ("cached", 50.0)
    assert other["session_id"] != first["session_id"]
    assert again["session_id"] == other["session_id"]
    assert without_session(other) == without_session(first)
    assert panel.calls == 1


def test_every_credential_of_a_user_gets_the_same_session(api: FlaskClient, ada: Person) -> None:
    keys, more = ada.keys("live"), ada.keys("live")
    tokens = [keys.secret_key, keys.public_key, more.secret_key, ada.token]
    assert len({predict(api, token)["session_id"] for token in tokens}) == 1


def test_test_and_live_are_cached_separately_and_test_is_offline(
    api: FlaskClient, live: str, test_key: str, panel: CountingPanel
) -> None:
    assert predict(api, live)["session_id"] != predict(api, test_key)["session_id"]
    assert predict(api, test_key)["memory_source"] == "cached"
    assert [call.offline for call in panel.questions] == [False, True]


def test_test_keys_call_no_configured_models(open_core: OpenCore, test_key: str) -> None:
    model_a, model_b = ScriptedModel(300_00), ScriptedModel(310_00)
    api = serve_core(open_core(panel=ParallelPanel(model_a, model_b))).test_client()
    body = predict(api, test_key)
    assert (model_a.calls, model_b.calls) == (0, 0)
    assert body["model_a_prediction"]["source"] == body["model_b_prediction"]["source"] == "offline"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"mileage": 0}, {"mileage": 24_999}, True),
        ({"mileage": 24_999}, {"mileage": 25_000}, False),
        ({}, {"mileage": 0}, False),
        ({}, {"mileage": None}, True),
        ({}, {"zip_code": "90210-1234"}, True),
        ({}, {"zip_code": "10001"}, False),
        ({}, {"vin": "1hgcm-8263 3a004352"}, True),
        ({}, {"vin": "1HGCM82633A"}, True),
        ({}, {"vin": "1HGCM82633A999999"}, True),
        ({}, {"vin": TESLA}, False),
        ({}, {"problem_identifier": "brake-pads-rear"}, False),
    ],
)
def test_answer_is_cached_by_vehicle_repair_zip_and_mileage_band(
    *, api: FlaskClient, live: str, one: dict[str, Any], other: dict[str, Any], same: bool
) -> None:
    assert (predict(api, live, **one)["session_id"] == predict(api, live, **other)["session_id"]) is same


# Warnings


def test_wrong_check_digit_has_a_warning_each_time_it_is_sent(api: FlaskClient, live: str) -> None:
    wrong = ACCORD[:8] + "4" + ACCORD[9:]
    for _ in range(2):
        assert predict(api, live, vin=wrong)["warnings"] == ["vin_check_digit"]
    assert predict(api, live, vin=wrong[:11])["warnings"] == []
    assert predict(api, live)["warnings"] == []


MISFIT = {**ASK, "vin": TESLA, "problem_identifier": "spark-plugs"}


def test_repair_that_does_not_fit_is_rejected_with_alternatives(
    api: FlaskClient, live: str, panel: CountingPanel
) -> None:
    answer = api.post(PATH, json=MISFIT, headers=bearer(live))
    assert answer.status_code == 422
    body = answer.get_json()
    reference = {"id": int, "slug": str, "display_name": str}
    assert shaped(
        {
            "success": False,
            "message": str,
            "error_code": "PROBLEM_DOES_NOT_FIT",
            "problem": reference,
            "alternatives": [reference],
        },
        body,
    )
    assert body["message"] == "A 2019 Tesla Model 3 is electric: it has no spark plugs."
    assert panel.calls == 0


def test_forced_repair_that_does_not_fit_is_priced_with_a_warning(api: FlaskClient, live: str) -> None:
    body = predict(api, live, vin=TESLA, problem_identifier="spark-plugs", force=True)
    assert body["warnings"] == ["problem_does_not_fit_vehicle"]
    assert body["fit"]["outcome"] == "does_not_fit"
    assert body["local_prediction"]["average_total_estimate"] > 0


def test_forced_answer_is_not_reused_without_force(api: FlaskClient, live: str) -> None:
    predict(api, live, vin=TESLA, problem_identifier="spark-plugs", force=True)
    assert api.post(PATH, json=MISFIT, headers=bearer(live)).status_code == 422


def test_unknown_fit_is_priced_with_a_warning_and_the_reason(api: FlaskClient, live: str) -> None:
    body = predict(api, live, problem_identifier="sunroof-motor")
    assert body["warnings"] == ["fit_unknown"]
    assert body["fit"] == {
        "outcome": "unknown",
        "reason": "Fits only vehicles with a sunroof; it is unknown whether this 2003 Honda Accord has one.",
    }


@pytest.mark.parametrize("tier", ["OEM", "Oem"])
def test_parts_grade_is_case_insensitive(core: Core, live: str, tier: str) -> None:
    # Not validated: the document lists the grades only in lower case.
    client = service.serve_core(core).test_client()
    answer = client.post(PATH, json={**ASK, "parts_tier": tier}, headers=bearer(live))

    assert (answer.status_code, answer.get_json()["parts_tier"]) == (200, "oem")


@pytest.mark.parametrize("tier", ["best", "", "OEMS"])
def test_unknown_parts_grade_lists_the_grades(api: FlaskClient, live: str, tier: str) -> None:
    answer = api.post(PATH, json={**ASK, "parts_tier": tier}, headers=bearer(live))
    assert answer.status_code == 422
    assert answer.get_json()["errors"] == {
        "parts_tier": ["The parts tier field must be one of: economy, aftermarket, oem."]
    }


# Vehicles


@pytest.mark.parametrize("vin", ["ZZZZZZZZZZZ", "00000000000"])
def test_unknown_vin_is_not_found(api: FlaskClient, live: str, vin: str, database_url: str) -> None:
    before = rows(database_url)
    answer = api.post(PATH, json={**ASK, "vin": vin}, headers=bearer(live))
    assert answer.status_code == 404
    assert shaped({"success": False, "message": str, "error_code": "VEHICLE_NOT_FOUND"}, answer.json)
    assert rows(database_url) == before


def test_decoded_vehicle_is_stored_once(api: FlaskClient, live: str, database_url: str) -> None:
    ids = {
        predict(api, live, vin=vin, zip_code=zip_code)["vehicle"]["id"]
        for vin in (ACCORD, "1HGCM82633A", "1HGCM82633A999999")
        for zip_code in ("90210", "10001")
    }
    assert len(ids) == 1
    assert rows(database_url)["vehicles"] == 1


# Models


def test_answer_without_a_model_is_cached_for_half_a_minute(
    open_core: OpenCore, live: str, clock: FrozenClock
) -> None:
    model_b = ScriptedModel(Unavailable("timed out"), 300_00)
    panel = CountingPanel(ParallelPanel(ScriptedModel(300_00), model_b))
    api = serve_core(open_core(panel=panel)).test_client()
    body = predict(api, live)
    assert body["memory_expires_at"] == "2026-01-02T03:04:35Z"
    assert body["model_b_prediction"] == {
        "ai_average_estimate": None,
        "match_percentage": None,
        "source": "scripted",
        "unavailable_reason": "timed out",
    }
    assert body["aggregated_ai_average"] == 300.0
    clock.advance(timedelta(seconds=29))
    assert predict(api, live)["session_id"] == body["session_id"]
    clock.advance(timedelta(seconds=1))
    complete = predict(api, live)
    assert (complete["memory_source"], complete["memory_expires_at"]) == ("fresh", "2026-01-05T03:04:35Z")
    assert complete["model_b_prediction"]["ai_average_estimate"] == 300.0
    assert panel.calls == 2


def test_local_estimate_is_the_answer_without_any_model(open_core: OpenCore, live: str) -> None:
    body = predict(serve_core(open_core(panel=NO_MODELS)).test_client(), live)
    assert (body["aggregated_ai_average"], body["match_percentage"]) == (None, None)
    assert (body["red_flag"], body["red_flag_reason"]) == (False, None)
    assert body["local_prediction"]["average_total_estimate"] > 0


# Red flags


def record(core: Core, vehicle_id: str, *hours: float) -> None:
    """Record an invoice for the front pads for each number of hours, at $150.00 an hour."""
    for billed in hours:
        core.transactions.record(
            CreateTransaction(
                vehicle_id=UUID(vehicle_id),
                problem_id=101,
                performed_on=date(2025, 12, 1),
                labor_hours=billed,
                labor_rate=150_00,
                parts=(TransactionPart(name="Front brake pad set", unit_price=66_00, quantity=1),),
            )
        )


def with_models(open_core: OpenCore, *answers: int | Unavailable) -> FlaskClient:
    return serve_core(open_core(panel=ParallelPanel(*map(ScriptedModel, answers)))).test_client()


@pytest.mark.parametrize(("invoices", "is_raised"), [(2, False), (3, True)])
def test_models_far_from_three_invoices_raise_a_red_flag(
    *, core: Core, api: FlaskClient, open_core: OpenCore, live: str, invoices: int, is_raised: bool
) -> None:
    vehicle_id = predict(api, live)["vehicle"]["id"]
    record(core, vehicle_id, *[1.1] * invoices)
    body = predict(with_models(open_core, 1200_00, 1300_00), live, zip_code="90211")
    assert body["red_flag"] is is_raised
    assert (body["red_flag_reason"] is not None) is is_raised
    assert body["match_percentage"] < 40
    assert body["local_prediction"]["sample_size"] == invoices
    if is_raised:
        assert "3 local repairs" in body["red_flag_reason"]


def test_one_model_alone_raises_no_red_flag(
    core: Core, api: FlaskClient, open_core: OpenCore, live: str
) -> None:
    record(core, predict(api, live)["vehicle"]["id"], *[1.1] * 6)
    body = predict(with_models(open_core, 1200_00, Unavailable("timed out")), live, zip_code="90211")
    assert (body["red_flag"], body["red_flag_reason"]) == (False, None)


def test_models_near_the_history_raise_no_red_flag(
    core: Core, api: FlaskClient, open_core: OpenCore, live: str
) -> None:
    record(core, predict(api, live)["vehicle"]["id"], *[1.1] * 6)
    assert predict(with_models(open_core, 240_00, 250_00), live, zip_code="90211")["red_flag"] is False


def test_new_invoices_change_only_the_next_computed_answer(
    core: Core, api: FlaskClient, live: str, clock: FrozenClock
) -> None:
    first = predict(api, live)
    record(core, first["vehicle"]["id"], *[3.0] * 5)
    assert without_session(predict(api, live)) == without_session(first)
    clock.advance(timedelta(days=3))
    later = predict(api, live)
    assert later["local_prediction"]["sample_size"] == 5
    assert (
        later["local_prediction"]["average_total_estimate"]
        > first["local_prediction"]["average_total_estimate"]
    )


def test_live_invoices_do_not_affect_test(core: Core, api: FlaskClient, live: str, test_key: str) -> None:
    record(core, predict(api, live)["vehicle"]["id"], *[3.0] * 5)
    assert predict(api, test_key, zip_code="90211")["local_prediction"]["sample_size"] == 0


# The price adjustment


@pytest.mark.parametrize("percent", [-90.0, -12.5, 0.0, 25.0, 500.0])
def test_price_adjustment_scales_all_money_and_nothing_else(
    core: Core, api: FlaskClient, live: str, percent: float
) -> None:
    before = predict(api, live, problem_identifier="brake-rotors-front")
    core.predictions.adjust_prices(percent)
    after = predict(api, live, problem_identifier="brake-rotors-front")
    # Unit prices and the rate are rounded to the cent, and so are the totals computed from them.
    moved = zip(amounts(before), amounts(after), strict=True)
    assert all(now == pytest.approx(was * (1 + percent / 100), abs=0.05) for was, now in moved)
    result = after["repair_breakdown"]
    lines = sum(round(part["total_price"] * 100) for part in result["parts"])
    assert lines + round(result["total_labor_cost"] * 100) == round(result["total_estimate"] * 100)
    assert result["total_estimate"] == after["local_prediction"]["average_total_estimate"]
    for name in ("session_id", "match_percentage", "red_flag", "red_flag_reason"):
        assert after[name] == before[name]
    for model in ("model_a_prediction", "model_b_prediction"):
        assert after[model]["match_percentage"] == before[model]["match_percentage"]
    assert result["estimated_labor_hours"] == before["repair_breakdown"]["estimated_labor_hours"]


def test_price_adjustment_applies_at_once_to_cached_answers(
    core: Core, open_core: OpenCore, live: str, panel: CountingPanel
) -> None:
    other = serve_core(open_core()).test_client()
    before = predict(other, live)
    core.predictions.adjust_prices(100)
    doubled = predict(other, live)
    assert amounts(doubled)[1] == pytest.approx(2 * amounts(before)[1], abs=0.05)
    assert doubled["memory_source"] == "cached"
    core.predictions.adjust_prices(0)
    assert predict(other, live) == {**before, "memory_source": "cached"}
    assert panel.calls == 1


def test_answer_computed_under_an_adjustment_is_adjusted_once(
    core: Core, api: FlaskClient, live: str
) -> None:
    core.predictions.adjust_prices(50)
    fresh = predict(api, live)
    cached = predict(api, live)
    assert without_session(fresh) == without_session(cached)
    core.predictions.adjust_prices(0)
    assert amounts(fresh)[1] == pytest.approx(1.5 * amounts(predict(api, live))[1], abs=0.05)


# Errors


def test_every_bad_field_is_reported_for_any_error(api: FlaskClient, live: str) -> None:
    bad = {"vin": 5, "zip_code": "00000", "problem_identifier": "nope", "mileage": -1}
    answer = api.post(PATH, json=bad, headers=bearer(live))
    assert answer.status_code == 422
    assert shaped({"message": str, "errors": {name: [str] for name in bad}}, answer.json)
    assert answer.get_json()["message"].endswith("(and 3 more errors)")


@pytest.mark.parametrize(
    ("vin", "corrected"),
    [("1HGCM82633AOO4352", "1HGCM82633A004352"), ("IHGCM82633A004352", "1HGCM82633A004352")],
)
def test_lookalikes_in_a_vin_are_rejected_with_a_correction(
    api: FlaskClient, live: str, vin: str, corrected: str
) -> None:
    answer = api.post(PATH, json={**ASK, "vin": vin}, headers=bearer(live))
    assert answer.status_code == 422
    assert corrected in answer.get_json()["errors"]["vin"][0]


@pytest.mark.parametrize("identifier", ["1", "brakes"])
def test_main_category_is_not_a_repair(api: FlaskClient, live: str, identifier: str) -> None:
    answer = api.post(PATH, json={**ASK, "problem_identifier": identifier}, headers=bearer(live))
    assert answer.status_code == 422
    assert list(answer.get_json()["errors"]) == ["problem_identifier"]


def test_times_are_in_utc(api: FlaskClient, live: str, clock: FrozenClock) -> None:
    clock.now = datetime(2026, 6, 30, 23, 59, 59, 999_999, tzinfo=UTC)
    assert predict(api, live)["memory_expires_at"] == "2026-07-03T23:59:59Z"
