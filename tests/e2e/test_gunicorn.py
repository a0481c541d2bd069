"""Promises of two workers together, also when one is killed or a model fails."""

import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
import sqlalchemy as sa
from attrs import frozen
from tests.e2e.conftest import REQUESTS_PER_MINUTE
from tests.e2e.processes import PATIENCE
from tests.e2e.server import Server, Visitor, gunicorn
from typing_extensions import override

from repaircore.testing.upstream import (
    HANG,
    HTML,
    HUGE,
    NAN,
    NEGATIVE,
    RESET,
    Answer,
    Behavior,
    Drip,
    Exchange,
    MisbehavingUpstream,
)

MODEL_A, MODEL_B = "/v1/chat/completions", "/v1/messages"
BUDGET, SLACK = 8.0, 7.0
"""Seconds that a prediction may take, and the slack for a busy machine."""


@frozen
class DelayedAnswer(Behavior):
    """Answer correctly after a delay."""

    seconds: float

    @override
    def act(self, exchange: Exchange) -> None:
        if not exchange.closing.wait(self.seconds):
            Answer(540).act(exchange)


@pytest.fixture(autouse=True)
def _models_behave(upstream: MisbehavingUpstream) -> None:
    for path in (MODEL_A, MODEL_B):
        upstream.behave(path, Answer(540))


def request_counts(upstream: MisbehavingUpstream) -> tuple[int, int]:
    return upstream.requests(MODEL_A), upstream.requests(MODEL_B)


@pytest.mark.long
def test_fifty_who_ask_the_same_at_once_have_it_computed_once(
    server: Server, visitor: Visitor, upstream: MisbehavingUpstream, pool: ThreadPoolExecutor
) -> None:
    before = request_counts(upstream)
    for path in (MODEL_A, MODEL_B):
        upstream.behave(path, DelayedAnswer(0.5))
    answers = [one.result() for one in server.predict_many(pool, visitor.secret_key, [{}] * 50)]
    assert [answer.status_code for answer in answers] == [200] * 50
    assert len({answer.json()["session_id"] for answer in answers}) == 1
    assert request_counts(upstream) == (before[0] + 1, before[1] + 1)
    assert sum(answer.json()["memory_source"] == "fresh" for answer in answers) == 1


def _until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not happened():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.02)


def _computing_pid(url: str) -> int | None:
    """Return the process that computes an answer, from its claim in the database."""
    engine = sa.create_engine(url)
    try:
        with engine.connect() as connection:
            owner = connection.execute(sa.text("SELECT owner FROM computations")).scalar()
    finally:
        engine.dispose()
    return None if owner is None else int(owner.split()[-2])


def _answer_or_none(waiting: Any) -> httpx.Response | None:
    """Return the answer, or None if the connection broke with its worker."""
    try:
        answer: httpx.Response = waiting.result()
    except httpx.TransportError:
        return None
    return answer


@pytest.mark.long
def test_worker_that_is_killed_while_it_computes_keeps_nobody_waiting(
    server: Server,
    visitor: Visitor,
    upstream: MisbehavingUpstream,
    pool: ThreadPoolExecutor,
    e2e_url: str,
) -> None:
    upstream.behave(MODEL_A, HANG, Answer(540))
    before = upstream.requests(MODEL_A)
    waiting = server.predict_many(pool, visitor.secret_key, [{"zip_code": "60601"}] * 12)
    _until(lambda: upstream.requests(MODEL_A) > before)
    worker = _computing_pid(e2e_url)
    assert worker in server.workers
    started = time.monotonic()
    os.kill(worker, signal.SIGKILL)
    after = server.predict(visitor.secret_key, zip_code="60601")
    answers = [answer for one in waiting if (answer := _answer_or_none(one)) is not None]
    took = time.monotonic() - started
    assert {answer.status_code for answer in [*answers, after]} == {200}
    assert len({answer.json()["session_id"] for answer in [*answers, after]}) == 1
    assert after.json()["model_a_prediction"]["ai_average_estimate"] == 540.0
    # Waiting for the dead worker's models would take seven eighths of the budget.
    assert took < BUDGET * 7 / 8


def test_deleted_key_is_rejected_by_every_worker(
    server: Server, visitor: Visitor, pool: ThreadPoolExecutor
) -> None:
    def other_answers(to: int, *, than: int) -> list[str]:
        answers = pool.map(lambda _: server.post("/api/v1/secure-data", token=visitor.secret_key), range(to))
        return [f"{answer.status_code} {answer.text}" for answer in answers if answer.status_code != than]

    assert other_answers(30, than=200) == []
    headers = {"Authorization": f"Bearer {visitor.session}"}
    answer = server.client.delete(f"/api/v1/dashboard/keys/{visitor.key_id}", headers=headers)
    assert answer.status_code == 200
    assert other_answers(60, than=401) == []


def test_limit_is_exact_across_workers(server: Server, visitor: Visitor, pool: ThreadPoolExecutor) -> None:
    def call(_: int) -> int:
        return server.post("/api/v1/secure-data", token=visitor.secret_key).status_code

    started = time.monotonic()
    results = list(pool.map(call, range(REQUESTS_PER_MINUTE + 30)))
    assert time.monotonic() - started < 60, "too slow to tell anything"
    assert (results.count(200), results.count(429)) == (REQUESTS_PER_MINUTE, 30)


def _require_answer_without(answer: httpx.Response, model: str) -> None:
    """Check the answer when a model gave no figure."""
    assert answer.status_code == 200, answer.text
    body = answer.json()
    assert body[model]["ai_average_estimate"] is None
    assert body[model]["unavailable_reason"]
    assert (body["red_flag"], body["red_flag_reason"]) == (False, None)
    assert body["local_prediction"]["average_total_estimate"] > 0
    expires = datetime.fromisoformat(body["memory_expires_at"])
    assert expires <= datetime.now(UTC) + timedelta(minutes=5)


def test_failing_model_costs_only_its_own_figure(
    server: Server, visitor: Visitor, upstream: MisbehavingUpstream
) -> None:
    # The models fail in turn: after five failures in a row, a model would be skipped.
    for number, behavior in enumerate((RESET, HTML, NAN, NEGATIVE, HUGE)):
        bad, good = (MODEL_A, MODEL_B) if number % 2 else (MODEL_B, MODEL_A)
        upstream.behave(bad, behavior)
        upstream.behave(good, Answer(540))
        before = upstream.requests(bad)
        answer = server.predict(visitor.secret_key, zip_code=f"0211{number}")
        _require_answer_without(answer, "model_a_prediction" if bad == MODEL_A else "model_b_prediction")
        other = "model_b_prediction" if bad == MODEL_A else "model_a_prediction"
        assert answer.json()[other]["ai_average_estimate"] == 540.0
        assert upstream.requests(bad) > before


@pytest.mark.long
def test_models_that_never_finish_are_not_waited_for_beyond_the_budget(
    server: Server, visitor: Visitor, upstream: MisbehavingUpstream
) -> None:
    upstream.behave(MODEL_A, HANG)
    upstream.behave(MODEL_B, Drip(at_once=80, every_seconds=0.5))
    started = time.monotonic()
    answer = server.predict(visitor.secret_key, zip_code="33101")
    assert time.monotonic() - started < BUDGET + SLACK
    for model in ("model_a_prediction", "model_b_prediction"):
        _require_answer_without(answer, model)
    assert answer.json()["aggregated_ai_average"] is None


VINS = ("1HGCM82633A", "5YJ3E1EA7KF", "1FTFW1ET5DF", "2T1BURHE0JC")
PROBLEMS = (
    "brake-pads-front",
    "brake-pads-rear",
    "brake-rotors-front",
    "wheel-alignment",
    "battery-replacement",
)
ZIPS = ("10001", "73301", "98101")


@pytest.mark.long
def test_two_hundred_mixed_questions_at_once_are_all_answered(
    server: Server, pool: ThreadPoolExecutor
) -> None:
    visitors = [server.visitor() for _ in range(3)]
    bodies = [
        {"vin": vin, "problem_identifier": problem, "zip_code": code}
        for vin in VINS
        for problem in PROBLEMS
        for code in ZIPS
    ]
    waiting = [
        one
        for visitor in visitors
        for one in server.predict_many(pool, visitor.secret_key, [*bodies, *bodies[:10]])
    ]
    answers = [one.result() for one in waiting]
    assert len(answers) == 210
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["session_id"] for answer in answers}) == len(bodies) * len(visitors)
    assert "locked" not in server.log.read_text()


@pytest.mark.long
def test_stopping_server_finishes_what_it_has_begun(tmp_path: Path) -> None:
    with (
        MisbehavingUpstream(DelayedAnswer(1.5)) as slow,
        gunicorn(
            tmp_path / "log",
            DATABASE_URL=f"sqlite:///{tmp_path / 'repaircore.db'}",
            MODEL_A_KIND="openai",
            MODEL_A_URL=slow.url,
            MODEL_A_NAME="a",
        ) as server,
        ThreadPoolExecutor(1) as pool,
    ):
        key = server.visitor().secret_key
        waiting = pool.submit(server.predict, key)
        _until(lambda: slow.requests() > 0)
        server.process.send_signal(signal.SIGTERM)
        answer = waiting.result()
        assert answer.status_code == 200
        assert answer.json()["model_a_prediction"]["ai_average_estimate"] == 540.0
        assert server.process.wait(PATIENCE) == 0
        with pytest.raises(httpx.TransportError):
            server.client.get("/healthz", timeout=2)
