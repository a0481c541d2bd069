"""Concurrent chats in two workers: the quota is exact, and only one answer to a question counts."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from tests.e2e.server import Server, Visitor

pytestmark = pytest.mark.long

PATH = "/api/v1/diagnostic/chat"
QUOTA = 20


def _post(server: Server, token: str, path: str, body: Any) -> httpx.Response:
    return server.post(path, body, token=token)


def _post_concurrently(
    server: Server, pool: ThreadPoolExecutor, tokens: list[str], path: str, body: Any
) -> list[httpx.Response]:
    futures = [pool.submit(_post, server, token, path, body) for token in tokens]
    return [one.result() for one in futures]


def test_quota_is_exact_for_concurrent_starts(
    server: Server, visitor: Visitor, pool: ThreadPoolExecutor
) -> None:
    tokens = [visitor.secret_key, visitor.public_key, visitor.session] * 10
    answers = _post_concurrently(server, pool, tokens, PATH, {"symptom": "The check engine light is on."})

    assert Counter(answer.status_code for answer in answers) == {201: QUOTA, 429: 10}
    refused = [answer for answer in answers if answer.status_code == 429]

    # The oldest of the twenty may have read the clock slightly later than a refused request.
    assert all(86_000 < int(answer.headers["Retry-After"]) < 86_460 for answer in refused)
    assert len({answer.json()["session_id"] for answer in answers if answer.status_code == 201}) == QUOTA
    headers = {"Authorization": f"Bearer {visitor.secret_key}"}
    listed = server.client.get("/api/v1/diagnostic/chat-sessions", headers=headers).json()

    assert listed["meta"]["total"] == QUOTA


def test_quota_ignores_failed_concurrent_starts(
    server: Server, visitor: Visitor, pool: ThreadPoolExecutor
) -> None:
    bodies = [
        {"symptom": "The check engine light is on.", **({"vin": "00000000000"} if n % 2 else {})}
        for n in range(40)
    ]
    futures = [pool.submit(_post, server, visitor.secret_key, PATH, body) for body in bodies]

    assert Counter(one.result().status_code for one in futures) == {201: QUOTA, 404: 20}


def test_reply_accepts_one_of_concurrent_answers(
    server: Server, visitor: Visitor, pool: ThreadPoolExecutor
) -> None:
    token = visitor.secret_key
    session_id = _post(server, token, PATH, {"symptom": "The check engine light is on."}).json()["session_id"]
    body = {"answer": "unsure", "step": 1}
    answers = _post_concurrently(server, pool, [token] * 12, f"{PATH}/{session_id}/reply", body)

    assert Counter(answer.status_code for answer in answers) == {200: 1, 409: 11}
    headers = {"Authorization": f"Bearer {token}"}
    payload = server.client.get(f"{PATH}/{session_id}", headers=headers).json()

    assert (payload["step"], sum(one["type"] == "answer" for one in payload["messages"])) == (2, 1)
