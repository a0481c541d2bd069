"""Behavior of the HTTP client common to all services."""

import logging
from base64 import b64encode
from time import monotonic

import pytest
from tests.programs import printed

from repaircore.adapters.outbound.circuit import OPENS_AFTER
from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.failures import SOON, CircuitOpen, NoAnswer
from repaircore.kernel.errors import Unavailable
from repaircore.testing import upstream as server
from repaircore.testing.upstream import Behavior, Body, MisbehavingUpstream, Raw, Status

KEY = "sk-very-secret-0123456789"
GRACE = 2.0
BAD_HEADER = Raw(b"HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n")
SHORT = Raw(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf")

CASES: dict[str, tuple[Behavior, str, int]] = {
    "hang": (server.HANG, "no response within 0.4 s", 1),
    "drip": (server.DRIP, "no response within 0.4 s", 1),
    "dripping headers": (server.DRIPPING_HEADERS, "no response within 0.4 s", 1),
    "reset": (server.RESET, "the connection broke", 2),
    "another protocol": (Raw(b"SSH-2.0-what\r\n"), "the connection broke", 2),
    "a header that is none": (BAD_HEADER, "the connection broke", 2),
    "half an answer": (SHORT, "the connection broke", 2),
    "nothing": (Raw(b""), "the connection broke", 2),
    "endless headers": (
        Raw(b"HTTP/1.1 200 OK\r\n" + b"x: " + b"y" * 200_000),
        "the connection broke",
        2,
    ),
    "a gigabyte": (server.BIG_BODY, "the response was too long", 1),
    "compressed": (
        Body(b"xx", {"content-encoding": "gzip"}),
        "the response was compressed, which is not supported",
        1,
    ),
    "redirect": (server.REDIRECT, "the response was a redirect, which is not followed", 1),
    "201": (Status(201), "unexpected status 201", 1),
    "400": (Status(400), "unexpected status 400", 1),
    "401": (Status(401), "the credentials were rejected", 1),
    "404": (Status(404), "unexpected status 404", 1),
    "429": (Status(429), "rate limit exceeded", 1),
    "500": (Status(500), "unexpected status 500", 2),
    "503 for an hour": (Status(503, {"retry-after": "3600"}), "unexpected status 503", 1),
}


@pytest.mark.parametrize(("behavior", "reason", "tries"), CASES.values(), ids=CASES)
def test_misbehavior_gives_a_reason_in_time(behavior: Behavior, reason: str, tries: int) -> None:
    seconds = 0.4 if reason.startswith("no response") else 5.0
    with MisbehavingUpstream(behavior) as upstream:
        before = monotonic()
        with pytest.raises(NoAnswer) as failed:
            Outbound(url=upstream.url).get("/thing", seconds=seconds)
        assert monotonic() - before < seconds + GRACE
        assert upstream.requests("/thing") == tries

    assert failed.value.message == reason
    assert isinstance(failed.value, Unavailable)


def test_get_sends_path_query_and_headers() -> None:
    with MisbehavingUpstream(Body(b"[1]")) as upstream:
        party = Outbound(url=f"{upstream.url}/api/?version=2", headers={"authorization": f"Bearer {KEY}"})
        reply = party.get("/a%2Fb", query={"q": "x y&z", "format": "json"}, seconds=5)
    (sent,) = upstream.received()

    assert (reply.status, reply.body) == (200, b"[1]")
    assert (sent.method, sent.path, sent.body) == ("GET", "/api/a%2Fb", b"")
    assert sent.query == "version=2&q=x+y%26z&format=json"
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert sent.headers["accept-encoding"] == "identity"
    assert sent.headers["user-agent"].startswith("repaircore/")


def test_post_sends_a_document_of_any_type() -> None:
    with MisbehavingUpstream() as upstream:
        Outbound(url=upstream.url, headers={"x-a": "1"}).post(
            "/charges",
            content=b"amount=5",
            content_type="application/x-www-form-urlencoded",
            headers={"idempotency-key": "i-1"},
            seconds=5,
        )
    (sent,) = upstream.received("/charges")

    assert (sent.method, sent.body) == ("POST", b"amount=5")
    assert sent.headers["content-type"] == "application/x-www-form-urlencoded"
    assert (sent.headers["x-a"], sent.headers["idempotency-key"]) == ("1", "i-1")


def test_name_and_password_in_an_address_become_a_header() -> None:
    with MisbehavingUpstream() as upstream:
        Outbound(url=upstream.url.replace("//", "//me:p%40ss@")).get(seconds=5)
    (sent,) = upstream.received()

    assert sent.headers["authorization"] == f"Basic {b64encode(b'me:p@ss').decode()}"
    assert "@" not in sent.headers["host"]


def test_accepted_statuses_are_returned() -> None:
    with MisbehavingUpstream(Status(402)) as upstream:
        reply = Outbound(url=upstream.url, accepts=frozenset({200, 402})).get(seconds=5)

    assert reply.status == 402
    assert b"error" in reply.body


def test_size_limit_of_an_answer_is_exact_to_the_byte() -> None:
    with MisbehavingUpstream(Body(b"12345")) as upstream:
        assert Outbound(url=upstream.url, most_bytes=5).get(seconds=5).body == b"12345"
        with pytest.raises(NoAnswer, match="too long"):
            Outbound(url=upstream.url, most_bytes=4).get(seconds=5)


def test_recovered_service_is_called_again() -> None:
    for behavior in (server.RESET, Status(503), Status(429, {"retry-after": "0"})):
        with MisbehavingUpstream() as upstream:
            upstream.behave("/x", behavior, Body(b"well"))
            assert Outbound(url=upstream.url).get("/x", seconds=5).body == b"well"
            assert upstream.requests() == 2


def test_unrepeatable_request_is_not_retried() -> None:
    with MisbehavingUpstream(Status(503)) as upstream:
        with pytest.raises(NoAnswer):
            Outbound(url=upstream.url).post(content=b"{}", seconds=5)
        assert upstream.requests() == 1
        with pytest.raises(NoAnswer):
            Outbound(url=upstream.url).post(content=b"{}", repeatable=True, seconds=5)
        assert upstream.requests() == 3


def test_both_attempts_share_one_deadline() -> None:
    with MisbehavingUpstream() as upstream:
        upstream.behave("/x", Status(503), server.HANG)
        before = monotonic()
        with pytest.raises(NoAnswer, match=r"^no response within 0.6 s$"):
            Outbound(url=upstream.url).get("/x", seconds=0.6)
        assert monotonic() - before < 0.6 + GRACE
        assert upstream.requests() == 2


@pytest.mark.parametrize(
    ("status", "headers", "retry_after"),
    [
        (429, {"retry-after": "3"}, 3.0),
        (503, {"retry-after": "3"}, 3.0),
        (503, {}, SOON),
        (429, {}, None),
        (503, {"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        (429, {"retry-after": "-1"}, None),
        (429, {"retry-after": "²"}, None),
        (429, {"retry-after": ""}, None),
        (400, {"retry-after": "3"}, None),
    ],
)
def test_retry_after_in_seconds_is_respected(
    status: int, headers: dict[str, str], retry_after: float | None
) -> None:
    with MisbehavingUpstream(Status(status, headers)) as upstream, pytest.raises(NoAnswer) as failed:
        Outbound(url=upstream.url).post(content=b"{}", seconds=5)

    assert failed.value.retry_after == retry_after


def test_failing_service_is_not_called_for_a_while() -> None:
    with MisbehavingUpstream(Status(401)) as upstream:
        party = Outbound(url=upstream.url)
        for _ in range(OPENS_AFTER):
            with pytest.raises(NoAnswer, match="credentials"):
                party.get(seconds=5)
        before = monotonic()
        for _ in range(100):
            with pytest.raises(CircuitOpen, match=r"^paused after repeated failures$"):
                party.get(seconds=5)
        assert monotonic() - before < GRACE
        assert upstream.requests() == OPENS_AFTER


def test_answer_before_the_end_of_the_request_is_read() -> None:
    refusal = Raw(b"HTTP/1.1 401 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
    with MisbehavingUpstream(refusal) as upstream, pytest.raises(NoAnswer, match="credentials were rejected"):
        Outbound(url=upstream.url).post(content=bytes(1_000_000), seconds=5)


@pytest.mark.parametrize(
    "party",
    [
        Outbound(url=f"ftp://me:{KEY}@a.test"),
        Outbound(url=f"http://me:{KEY}@a.test:99999"),
        Outbound(url=f"http://me:{KEY}@[::1"),
        Outbound(url="http://127.0.0.1:1", headers={"authorization": f"{KEY}\r\nx-evil: 1"}),
        Outbound(url="http://127.0.0.1:1", headers={"authorization": f"{KEY}é"}),
        Outbound(url=f"http://me:{KEY}@127.0.0.1:1"),
    ],
)
def test_failure_hides_key_and_url(party: Outbound) -> None:
    with pytest.raises(NoAnswer) as failed:
        party.get(f"/{KEY}", query={"key": KEY}, seconds=1)

    assert KEY not in repr(party) + repr(failed.value)
    assert failed.value.__cause__ is None
    assert failed.value.__suppress_context__ or failed.value.__context__ is None
    assert failed.value.message in {"the request failed", "no connection"}


def test_neither_key_nor_path_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with MisbehavingUpstream() as upstream:
        party = Outbound(url=upstream.url, headers={"authorization": KEY})
        party.get(f"/{KEY}", query={"key": KEY}, seconds=5)

    assert KEY not in caplog.text


def test_proxies_of_the_environment_are_ignored() -> None:
    program = """
import sys
from repaircore.adapters.outbound.client import Outbound
print(Outbound(url=sys.argv[1]).get(seconds=5).body.decode())
"""
    with MisbehavingUpstream(Body(b"well")) as upstream, MisbehavingUpstream() as proxy:
        proxies = dict.fromkeys(("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"), proxy.url)
        assert printed(program, upstream.url, **proxies) == "well\n"
        assert proxy.requests() == 0


def test_parent_and_child_can_both_call_after_a_fork() -> None:
    # At the fork, threads of the parent hold everything that the client shares between threads: all
    # slots for names, and the lock of the circuit, which is open. None of them exists in the child.
    program = """
import os, sys, threading
from repaircore.adapters.outbound import network
from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.failures import NoAnswer

good, bad = Outbound(url=sys.argv[1] + "/good"), Outbound(url=sys.argv[1] + "/bad")

def answer(party):
    try:
        return party.get(seconds=5).body.decode()
    except NoAnswer as failure:
        return failure.message

assert answer(good) == "well"
assert [answer(bad) for _ in range(6)][-1] == "paused after repeated failures"
never, held = threading.Event(), threading.Event()
while network._LOOKUPS.start(never.wait) is not None:
    pass

def hold():
    with good._breaker._states().lock, bad._breaker._states().lock:
        held.set()
        never.wait()

threading.Thread(target=hold, daemon=True).start()
held.wait()
child = os.fork()
if child == 0:
    print(answer(good), answer(bad), sep=", ", flush=True)
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
never.set()
while threading.active_count() > 1:
    threading.Event().wait(0.01)
print(answer(good), answer(bad), sep=", ")
"""
    with MisbehavingUpstream() as upstream:
        upstream.behave("/good", Body(b"well"))
        upstream.behave("/bad", Status(404))
        answer = printed(program, upstream.url)
        assert upstream.requests("/bad") == OPENS_AFTER + 1

    assert answer == "well, unexpected status 404\nwell, paused after repeated failures\n"
