"""Idempotency keys over HTTP: one effect, and one answer byte for byte."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from flask.testing import FlaskClient
from tests.conftest import OpenCore
from tests.http.partners import PartnerApp, partner_app
from tests.http.probe import Probes, effects, probed
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore.testing.clock import FrozenClock


@pytest.fixture
def probes() -> Probes:
    return Probes()


@pytest.fixture
def api(core: Core, probes: Probes) -> FlaskClient:
    return probed(core, probes).test_client()


def is_replayed(answer: TestResponse) -> bool:
    return answer.headers.get("Idempotent-Replayed") == "true"


def test_repeated_request_has_one_effect_and_one_answer(core: Core, partner: PartnerApp) -> None:
    first = partner.post("/probe", {"outcome": "fine", "more": [1, {"b": 2, "a": 1}]}, key="k")
    again = partner.post("/probe", {"more": [1, {"a": 1, "b": 2}], "outcome": "fine"}, key="k")
    assert (again.status_code, again.data) == (first.status_code, first.data) == (201, first.data)
    assert (is_replayed(first), is_replayed(again)) == (False, True)
    assert again.headers["Content-Type"] == "application/json"
    assert int(again.headers["X-RateLimit-Remaining"]) == int(first.headers["X-RateLimit-Remaining"]) - 1
    assert effects(core) == 1


def test_answer_survives_a_restart(
    open_core: OpenCore, core: Core, partner: PartnerApp, probes: Probes
) -> None:
    first = partner.post("/probe", {}, key="k")
    other = open_core()
    restarted = PartnerApp(
        client=probed(other, probes).test_client(),
        id=partner.id,
        name=partner.name,
        environment=partner.environment,
        public_key=partner.public_key,
        secret_key=partner.secret_key,
        token=partner.token,
    )
    again = restarted.post("/probe", {}, key="k")
    assert (again.data, is_replayed(again), effects(core)) == (first.data, True, 1)


def test_each_request_without_a_key_has_an_effect(core: Core, partner: PartnerApp, probes: Probes) -> None:
    answers = [partner.post("/probe", {}) for _ in range(3)]
    assert len({one.data for one in answers}) == effects(core) == 3
    assert probes.claims == [None] * 3


def test_key_used_for_another_request_is_rejected(core: Core, partner: PartnerApp) -> None:
    first = partner.post("/probe", {}, key="k")
    fields = {
        "Idempotency-Key": ["This Idempotency-Key was already used for a different request. Use a new one."]
    }
    for answer in (
        partner.post("/probe", {"outcome": "absent"}, key="k"),
        partner.patch("/probe", {}, key="k"),
        partner.post("/probe/it", {}, key="k"),
        partner.post("/probe?dry=1", {}, key="k"),
    ):
        error = answer.get_json()["error"]
        assert (answer.status_code, error["code"], error["details"]) == (400, "INVALID_REQUEST", fields)
    assert partner.post("/probe", {}, key="k").data == first.data
    assert effects(core) == 1


def test_keys_are_separate_by_partner_and_environment(
    core: Core, partner: PartnerApp, live_partner: PartnerApp, other_partner: PartnerApp, probes: Probes
) -> None:
    answers = [one.post("/probe", {}, key="k") for one in (partner, live_partner, other_partner)]
    assert not any(map(is_replayed, answers))
    assert len({one.data for one in answers}) == effects(core) == len(set(probes.claims)) == 3


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there", "é", "\x7f"])
def test_malformed_key_is_rejected(core: Core, partner: PartnerApp, key: str) -> None:
    answer = partner.post("/probe", {}, key=key)
    assert answer.status_code == 400
    assert list(answer.get_json()["error"]["details"]) == ["Idempotency-Key"]
    assert effects(core) == 0


@pytest.mark.parametrize("key", ["a", "x" * 255, "with space ~!\"'\\%"])
def test_any_printable_key_is_accepted(core: Core, partner: PartnerApp, key: str) -> None:
    assert [is_replayed(partner.post("/probe", {}, key=key)) for _ in range(2)] == [False, True]
    assert effects(core) == 1


@pytest.mark.parametrize(("outcome", "status"), [("absent", 404), ("conflict", 409)])
def test_final_error_undoes_the_effect_and_is_stored(
    core: Core, partner: PartnerApp, outcome: str, status: int
) -> None:
    first, again = (partner.post("/probe", {"outcome": outcome}, key="k") for _ in range(2))
    assert (first.status_code, again.status_code, again.data) == (status, status, first.data)
    assert (is_replayed(again), effects(core)) == (True, 0)


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("invalid", 400),
        ("status 400", 400),
        ("crash", 500),
        ("status 500", 500),
        ("unavailable", 503),
        ("too many", 429),
        ("busy", 409),
    ],
)
def test_retryable_error_is_not_stored(
    core: Core, partner: PartnerApp, probes: Probes, outcome: str, status: int
) -> None:
    first, again = (partner.post("/probe", {"outcome": outcome}, key="k") for _ in range(2))
    assert (first.status_code, again.status_code) == (status, status)
    assert (is_replayed(again), effects(core)) == (False, 0)
    assert len(probes.claims) == 2
    assert partner.post("/probe", {}, key="k").status_code == 201  # the key is free again


@pytest.mark.parametrize("sent", [b"{", b"[]", b'{"a": 1, "a": 2}', b"x" * 2_000_000])
def test_unreadable_body_claims_no_key(core: Core, partner: PartnerApp, sent: bytes) -> None:
    odd = partner.post("/probe", data=sent, content_type="application/json", key="k")
    assert odd.status_code in {400, 413}
    assert odd.headers["X-RateLimit-Remaining"] == "99"
    assert partner.post("/probe", {}, key="k").status_code == 201
    assert effects(core) == 1


def test_answer_is_stored_for_a_day(
    core: Core, partner: PartnerApp, api: FlaskClient, clock: FrozenClock
) -> None:
    partner.post("/probe", {}, key="k")
    clock.advance(timedelta(hours=24) - timedelta(microseconds=1))
    reopened = PartnerApp(
        client=api,
        id=partner.id,
        name=partner.name,
        environment="test",
        public_key=partner.public_key,
        secret_key=partner.secret_key,
        token=core.partner_sessions.open(partner.public_key).token,
    )
    assert is_replayed(reopened.post("/probe", {}, key="k"))
    clock.advance(timedelta(microseconds=1))
    fresh = reopened.post("/probe", {"outcome": "fine"}, key="k")  # even for another request
    assert (is_replayed(fresh), effects(core)) == (False, 2)


def test_preparation_runs_first_and_once(partner: PartnerApp, probes: Probes) -> None:
    first, again = (partner.post("/probe/it", {}, key="k") for _ in range(2))
    assert (again.data, is_replayed(again)) == (first.data, True)
    assert probes.prepared == probes.claims
    assert len(probes.prepared) == 1
    assert probes.prepared[0]
    assert partner.post("/probe/it", {}).status_code == 201
    assert probes.prepared[1:] == [None]


def test_conflict_during_preparation_is_stored(core: Core, partner: PartnerApp, probes: Probes) -> None:
    first, again = (partner.post("/probe/it", {"before": "conflict"}, key="k") for _ in range(2))
    assert (first.status_code, again.data, is_replayed(again)) == (409, first.data, True)
    assert (len(probes.prepared), probes.claims, effects(core)) == (1, [], 0)


@pytest.mark.parametrize(
    ("before", "status"), [("invalid", 400), ("crash", 500), ("unavailable", 503), ("busy", 409)]
)
def test_failure_during_preparation_is_not_stored(
    core: Core, partner: PartnerApp, probes: Probes, before: str, status: int
) -> None:
    first, again = (partner.post("/probe/it", {"before": before}, key="k") for _ in range(2))
    assert (first.status_code, again.status_code, is_replayed(again)) == (status, status, False)
    assert (len(probes.prepared), effects(core)) == (2, 0)


def test_claim_is_the_same_only_for_the_same_request(partner: PartnerApp, probes: Probes) -> None:
    for body, key in (({"outcome": "busy"}, "k"), ({"outcome": "busy"}, "k"), ({}, "k"), ({}, "l")):
        partner.post("/probe", body, key=key)
    first, second, third, fourth = probes.claims
    assert first == second
    assert len({first, third, fourth}) == 3


def test_key_is_ignored_by_a_route_without_idempotency(
    core: Core, partner: PartnerApp, probes: Probes
) -> None:
    answers = [partner.post("/probe/it/always", {}, key="k") for _ in range(2)]
    assert [one.status_code for one in answers] == [201, 201]
    assert (effects(core), probes.prepared) == (2, [None, None])


def test_one_of_many_concurrent_requests_acts(open_core: OpenCore, probes: Probes) -> None:
    core = open_core()
    app = probed(core, probes)
    key, tries = "k", 12
    caller = partner_app(app.test_client(), core)
    barrier = Barrier(tries)

    def send(_: int) -> TestResponse:
        own_app = PartnerApp(
            client=app.test_client(),
            id=caller.id,
            name=caller.name,
            environment="test",
            public_key=caller.public_key,
            secret_key=caller.secret_key,
            token=caller.token,
        )
        barrier.wait()
        return own_app.post("/probe/it", {}, key=key)

    with ThreadPoolExecutor(tries) as pool:
        answers = list(pool.map(send, range(tries)))
    assert {one.status_code for one in answers} == {201}
    assert len({one.data for one in answers}) == 1
    assert sum(not is_replayed(one) for one in answers) == effects(core) == 1
