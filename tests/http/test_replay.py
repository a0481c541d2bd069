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


def replayed(answer: TestResponse) -> bool:
    return answer.headers.get("Idempotent-Replayed") == "true"


def test_same_request_has_one_effect_and_one_answer(core: Core, partner: PartnerApp) -> None:
    first = partner.post("/probe", {"outcome": "fine", "more": [1, {"b": 2, "a": 1}]}, key="k")
    again = partner.post("/probe", {"more": [1, {"a": 1, "b": 2}], "outcome": "fine"}, key="k")
    assert (again.status_code, again.data) == (first.status_code, first.data) == (201, first.data)
    assert (replayed(first), replayed(again)) == (False, True)
    assert again.headers["Content-Type"] == "application/json"
    assert int(again.headers["X-RateLimit-Remaining"]) == int(first.headers["X-RateLimit-Remaining"]) - 1
    assert effects(core) == 1


def test_answer_outlives_the_process(
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
    assert (again.data, replayed(again), effects(core)) == (first.data, True, 1)


def test_without_a_key_each_request_counts(core: Core, partner: PartnerApp, probes: Probes) -> None:
    answers = [partner.post("/probe", {}) for _ in range(3)]
    assert len({one.data for one in answers}) == effects(core) == 3
    assert probes.claims == [None] * 3


def test_key_that_was_used_for_another_request_is_refused(core: Core, partner: PartnerApp) -> None:
    first = partner.post("/probe", {}, key="k")
    fields = {
        "Idempotency-Key": ["This Idempotency-Key was already used for a different request; use a new one."]
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


def test_partners_and_environments_have_keys_of_their_own(
    core: Core, partner: PartnerApp, live_partner: PartnerApp, other_partner: PartnerApp, probes: Probes
) -> None:
    answers = [one.post("/probe", {}, key="k") for one in (partner, live_partner, other_partner)]
    assert not any(map(replayed, answers))
    assert len({one.data for one in answers}) == effects(core) == len(set(probes.claims)) == 3


@pytest.mark.parametrize("key", ["", "x" * 256, "tab\there", "é", "\x7f"])
def test_key_of_another_form_is_refused(core: Core, partner: PartnerApp, key: str) -> None:
    answer = partner.post("/probe", {}, key=key)
    assert answer.status_code == 400
    assert list(answer.get_json()["error"]["details"]) == ["Idempotency-Key"]
    assert effects(core) == 0


@pytest.mark.parametrize("key", ["a", "x" * 255, "with space ~!\"'\\%"])
def test_any_printable_key_will_do(core: Core, partner: PartnerApp, key: str) -> None:
    assert [replayed(partner.post("/probe", {}, key=key)) for _ in range(2)] == [False, True]
    assert effects(core) == 1


@pytest.mark.parametrize(("outcome", "status"), [("absent", 404), ("conflict", 409)])
def test_refusal_undoes_the_effect_and_is_kept(
    core: Core, partner: PartnerApp, outcome: str, status: int
) -> None:
    first, again = (partner.post("/probe", {"outcome": outcome}, key="k") for _ in range(2))
    assert (first.status_code, again.status_code, again.data) == (status, status, first.data)
    assert (replayed(again), effects(core)) == (True, 0)


@pytest.mark.parametrize(
    ("outcome", "status"),
    [
        ("invalid", 400),
        ("told 400", 400),
        ("crash", 500),
        ("told 500", 500),
        ("unavailable", 503),
        ("too many", 429),
        ("busy", 409),
    ],
)
def test_what_may_go_well_another_time_is_not_kept(
    core: Core, partner: PartnerApp, probes: Probes, outcome: str, status: int
) -> None:
    first, again = (partner.post("/probe", {"outcome": outcome}, key="k") for _ in range(2))
    assert (first.status_code, again.status_code) == (status, status)
    assert (replayed(again), effects(core)) == (False, 0)
    assert len(probes.claims) == 2
    assert partner.post("/probe", {}, key="k").status_code == 201  # the key is as free as it was


@pytest.mark.parametrize("sent", [b"{", b"[]", b'{"a": 1, "a": 2}', b"x" * 2_000_000])
def test_body_that_cannot_be_read_claims_nothing(core: Core, partner: PartnerApp, sent: bytes) -> None:
    odd = partner.post("/probe", data=sent, content_type="application/json", key="k")
    assert odd.status_code in {400, 413}
    assert odd.headers["X-RateLimit-Remaining"] == "99"
    assert partner.post("/probe", {}, key="k").status_code == 201
    assert effects(core) == 1


def test_reply_is_kept_for_a_day(
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
    assert replayed(reopened.post("/probe", {}, key="k"))
    clock.advance(timedelta(microseconds=1))
    anew = reopened.post("/probe", {"outcome": "fine"}, key="k")  # even another request
    assert (replayed(anew), effects(core)) == (False, 2)


def test_what_is_prepared_runs_ahead_and_once(partner: PartnerApp, probes: Probes) -> None:
    first, again = (partner.post("/probe/it", {}, key="k") for _ in range(2))
    assert (again.data, replayed(again)) == (first.data, True)
    assert probes.prepared == probes.claims
    assert len(probes.prepared) == 1
    assert probes.prepared[0]
    assert partner.post("/probe/it", {}).status_code == 201
    assert probes.prepared[1:] == [None]


def test_conflict_ahead_is_kept_as_well(core: Core, partner: PartnerApp, probes: Probes) -> None:
    first, again = (partner.post("/probe/it", {"before": "conflict"}, key="k") for _ in range(2))
    assert (first.status_code, again.data, replayed(again)) == (409, first.data, True)
    assert (len(probes.prepared), probes.claims, effects(core)) == (1, [], 0)


@pytest.mark.parametrize(
    ("before", "status"), [("invalid", 400), ("crash", 500), ("unavailable", 503), ("busy", 409)]
)
def test_failure_ahead_is_not_kept(
    core: Core, partner: PartnerApp, probes: Probes, before: str, status: int
) -> None:
    first, again = (partner.post("/probe/it", {"before": before}, key="k") for _ in range(2))
    assert (first.status_code, again.status_code, replayed(again)) == (status, status, False)
    assert (len(probes.prepared), effects(core)) == (2, 0)


def test_claim_is_named_alike_for_the_same_request_alone(partner: PartnerApp, probes: Probes) -> None:
    for body, key in (({"outcome": "busy"}, "k"), ({"outcome": "busy"}, "k"), ({}, "k"), ({}, "l")):
        partner.post("/probe", body, key=key)
    first, second, third, fourth = probes.claims
    assert first == second
    assert len({first, third, fourth}) == 3


def test_where_no_key_counts_none_is_looked_at(core: Core, partner: PartnerApp, probes: Probes) -> None:
    answers = [partner.post("/probe/it/always", {}, key="k") for _ in range(2)]
    assert [one.status_code for one in answers] == [201, 201]
    assert (effects(core), probes.prepared) == (2, [None, None])


def test_of_many_at_once_one_acts(open_core: OpenCore, probes: Probes) -> None:
    core = open_core()
    app = probed(core, probes)
    key, tries = "k", 12
    asker = partner_app(app.test_client(), core)
    together = Barrier(tries)

    def ask(_: int) -> TestResponse:
        mine = PartnerApp(
            client=app.test_client(),
            id=asker.id,
            name=asker.name,
            environment="test",
            public_key=asker.public_key,
            secret_key=asker.secret_key,
            token=asker.token,
        )
        together.wait()
        return mine.post("/probe/it", {}, key=key)

    with ThreadPoolExecutor(tries) as pool:
        answers = list(pool.map(ask, range(tries)))
    assert {one.status_code for one in answers} == {201}
    assert len({one.data for one in answers}) == 1
    assert sum(not replayed(one) for one in answers) == effects(core) == 1
