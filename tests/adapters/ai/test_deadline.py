"""The deadline holds for what happens before a connection, too."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event
from time import monotonic

import pytest

from repaircore.adapters.ai.deadline import resolve
from repaircore.adapters.ai.exchange import Exchange
from repaircore.adapters.ai.failures import Late, ModelFailed
from repaircore.testing.upstream import Answer, MisbehavingUpstream

GRACE = 2.0


@contextmanager
def a_full_port() -> Iterator[int]:
    """Listen without accepting until no further connection is answered."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        waiting = [socket.socket() for _ in range(4)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(listener.getsockname())
        yield listener.getsockname()[1]
        for one in waiting:
            one.close()


def test_a_name_that_is_looked_up_for_ever_is_late() -> None:
    release = Event()

    def stuck(host: str, port: int) -> Sequence[str]:
        release.wait(20)
        return [host, str(port)]

    before = monotonic()
    with pytest.raises(Late, match=r"^no answer within 0.2 s$"):
        Exchange(url="http://model.test", headers={}, look_up=stuck).post(b"{}", seconds=0.2)
    release.set()
    assert monotonic() - before < 0.2 + GRACE


def test_a_name_without_an_address_is_no_connection() -> None:
    exchange = Exchange(url="http://model.test", headers={}, look_up=lambda _host, _port: [])
    with pytest.raises(ModelFailed, match=r"^no connection$"):
        exchange.post(b"{}", seconds=5)


def test_a_connection_that_is_never_made_is_late() -> None:
    with a_full_port() as port:
        before = monotonic()
        with pytest.raises(Late):
            Exchange(url=f"http://127.0.0.1:{port}", headers={}).post(b"{}", seconds=0.3)
        assert monotonic() - before < 0.3 + GRACE


def test_a_dead_address_leaves_time_for_a_live_one() -> None:
    with MisbehavingUpstream(Answer(540)) as upstream:
        exchange = Exchange(
            # Nobody listens on the second loopback address.
            url=upstream.url.replace("127.0.0.1", "model.test"),
            headers={},
            look_up=lambda _host, _port: ["127.0.0.2", "127.0.0.1"],
        )
        assert "540" in exchange.post(b"{}", seconds=5)
        assert upstream.received()[0].headers["host"].startswith("model.test:")


def test_tls_with_a_server_that_says_nothing_is_late() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        before = monotonic()
        with pytest.raises(Late):
            Exchange(url=f"https://127.0.0.1:{silent.getsockname()[1]}", headers={}).post(b"{}", seconds=0.3)
        assert monotonic() - before < 0.3 + GRACE


def test_plain_text_where_tls_is_due_is_no_connection() -> None:
    with MisbehavingUpstream() as upstream:
        exchange = Exchange(url=upstream.url.replace("http:", "https:"), headers={})
        with pytest.raises(ModelFailed, match=r"^no connection$"):
            exchange.post(b"{}", seconds=2)


def test_no_time_at_all_is_late_and_asks_nobody() -> None:
    with MisbehavingUpstream() as upstream:
        with pytest.raises(Late):
            Exchange(url=upstream.url, headers={}).post(b"{}", seconds=0)
        assert upstream.requests() == 0


def test_an_address_resolves_to_itself() -> None:
    assert resolve("127.0.0.1", 80) == ["127.0.0.1"]


def test_a_name_that_cannot_be_one_has_no_address() -> None:
    assert resolve("a" * 300, 80) == ()
