"""Many concurrent logins at a server with two workers."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import httpx
import pytest
from tests.e2e.server import Server

PEOPLE = 20
PASSWORD = "correct horse"

pytestmark = pytest.mark.long


def _register(server: Server, name: str) -> str:
    email = f"{name}@example.org"
    answer = server.post("/api/v1/auth/register", {"name": name, "email": email, "password": PASSWORD})
    assert answer.status_code == 201, answer.text
    return email


def _login(server: Server, email: str, password: str) -> httpx.Response:
    return server.post("/api/v1/auth/login", {"email": email, "password": password})


def test_twenty_people_who_log_in_at_once_are_all_let_in(server: Server, pool: ThreadPoolExecutor) -> None:
    emails = [_register(server, f"early-bird-{number}") for number in range(PEOPLE)]
    answers = list(pool.map(lambda email: _login(server, email, PASSWORD), emails))

    assert Counter(answer.status_code for answer in answers) == {200: PEOPLE}


def test_flood_of_wrong_passwords_for_one_account_leaves_places_for_others(
    server: Server, pool: ThreadPoolExecutor
) -> None:
    victim, *others = (_register(server, f"neighbor-{number}") for number in range(6))
    flood = [pool.submit(_login, server, victim, f"wrong guess {number}") for number in range(40)]
    answers = [pool.submit(_login, server, email, PASSWORD) for email in others]

    assert [answer.result().status_code for answer in answers] == [200] * len(others)
    assert {answer.result().status_code for answer in flood} <= {401, 429}
