"""The deadline also limits everything before and around an exchange."""

import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

import pytest

from repaircore.adapters.outbound.client import Outbound
from repaircore.adapters.outbound.failures import DeadlineExceeded, NoAnswer
from repaircore.adapters.outbound.network import resolve
from repaircore.adapters.outbound.threads import DaemonThreads
from repaircore.testing.upstream import Answer, MisbehavingUpstream

GRACE = 2.0


@contextmanager
def full_port() -> Iterator[int]:
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


def test_endless_name_lookup_exceeds_the_deadline() -> None:
    release = Event()

    def stuck(host: str, port: int) -> Sequence[str]:
        release.wait(20)
        return [host, str(port)]

    before = monotonic()
    with pytest.raises(DeadlineExceeded, match=r"^no response within 0.2 s$"):
        Outbound(url="http://party.test", look_up=stuck).post(content=b"{}", seconds=0.2)
    release.set()

    assert monotonic() - before < 0.2 + GRACE


def test_name_without_an_address_cannot_connect() -> None:
    party = Outbound(url="http://party.test", look_up=lambda _host, _port: [])
    with pytest.raises(NoAnswer, match=r"^no connection$"):
        party.post(content=b"{}", seconds=5)


def test_pending_connection_exceeds_the_deadline() -> None:
    with full_port() as port:
        before = monotonic()
        with pytest.raises(DeadlineExceeded):
            Outbound(url=f"http://127.0.0.1:{port}").post(content=b"{}", seconds=0.3)
        assert monotonic() - before < 0.3 + GRACE


def test_dead_address_leaves_time_for_a_live_one() -> None:
    with MisbehavingUpstream(Answer(540)) as upstream:
        party = Outbound(
            # Nobody listens on the second loopback address.
            url=upstream.url.replace("127.0.0.1", "party.test"),
            look_up=lambda _host, _port: ["127.0.0.2", "127.0.0.1"],
        )
        assert b"540" in party.post(content=b"{}", seconds=5).body
        assert upstream.received()[0].headers["host"].startswith("party.test:")


def test_silent_tls_server_exceeds_the_deadline() -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        before = monotonic()
        with pytest.raises(DeadlineExceeded):
            Outbound(url=f"https://127.0.0.1:{silent.getsockname()[1]}").post(content=b"{}", seconds=0.3)
        assert monotonic() - before < 0.3 + GRACE


def test_plain_text_in_place_of_tls_cannot_connect() -> None:
    with MisbehavingUpstream() as upstream:
        party = Outbound(url=upstream.url.replace("http:", "https:"))
        with pytest.raises(NoAnswer, match=r"^no connection$"):
            party.post(content=b"{}", seconds=2)


def test_slow_reader_exceeds_the_deadline() -> None:
    done = Event()

    def read_slowly(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            while not done.wait(0.008):
                connection.recv(65536)

    # Eight megabytes a second: each piece is sent soon, all of them in eight seconds. The small buffer keeps
    # the kernel from accepting everything at once.
    with socket.socket() as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        reader = Thread(target=read_slowly, args=(listener,), daemon=True)
        reader.start()
        before = monotonic()
        party = Outbound(url=f"http://127.0.0.1:{listener.getsockname()[1]}")
        with pytest.raises(DeadlineExceeded):
            party.post(content=bytes(64 * 1024 * 1024), seconds=0.5)
        assert monotonic() - before < 0.5 + GRACE
        done.set()
        reader.join(10)


def test_endless_name_lookups_do_not_accumulate_threads() -> None:
    release = Event()
    threads = DaemonThreads(3)
    boxes = [threads.start(lambda: release.wait(20)) for _ in range(5)]
    assert [box is None for box in boxes] == [False, False, False, True, True]
    release.set()

    assert [box.get(timeout=10) for box in boxes if box is not None] == [True] * 3


def test_zero_time_exceeds_the_deadline_without_a_request() -> None:
    with MisbehavingUpstream() as upstream:
        with pytest.raises(DeadlineExceeded):
            Outbound(url=upstream.url).post(content=b"{}", seconds=0)
        assert upstream.requests() == 0


def test_address_resolves_to_itself() -> None:
    assert resolve("127.0.0.1", 80) == ["127.0.0.1"]


def test_invalid_name_has_no_address() -> None:
    assert resolve("a" * 300, 80) == ()
