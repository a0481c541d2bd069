"""Requests that arrive in pieces: where each ends, what is stored, and when waiting stops."""

import pytest
from gunicorn.config import Config
from gunicorn.http import get_parser
from hypothesis import given
from hypothesis import strategies as st

from repaircore_http.fast_path.arrival import LONGEST_HEAD, Arrival, Disk

_HEAD = b"POST /x HTTP/1.1\r\nHost: x\r\n"


def with_length(body: bytes) -> bytes:
    return _HEAD + b"Content-Length: %d\r\n\r\n" % len(body) + body


def chunked(chunks: list[bytes], trailer: bytes) -> bytes:
    sent = b"".join(b"%x;a=b\r\n%s\r\n" % (len(chunk), chunk) for chunk in chunks if chunk)
    return _HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + sent + b"0\r\n" + trailer + b"\r\n"


BODIES = st.binary(max_size=300) | st.sampled_from([b"0\r\n\r\n", b"\r\n\r\n", b"5\r\n0\r\n\r\n"])
REQUESTS = st.one_of(
    st.just(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
    BODIES.map(with_length),
    st.builds(
        chunked, st.lists(BODIES, max_size=4), st.sampled_from([b"", b"X: y\r\n", b"X: y\r\nZ: 1\r\n"])
    ),
)


def parse(source: object) -> tuple[str, bytes, bytes]:
    """Return the method, the body, and what gunicorn's parser read past the request."""
    parser = get_parser(Config(), source, ("127.0.0.1", 1))
    request = next(parser)
    body = request.body.read()
    return request.method, body, parser.unreader.take_buffered()


@given(st.lists(REQUESTS, min_size=1, max_size=3), st.integers(1, 40))
def test_each_request_ends_where_the_parser_says(requests: list[bytes], step: int) -> None:
    sent, rest = b"".join(requests), b""
    disk = Disk()
    for request in requests:
        arrival = Arrival(disk)
        while not arrival.is_ready:
            piece, sent = (rest, sent) if rest else (sent[:step], sent[step:])
            rest = b""
            assert piece
            arrival.add(piece)
        rest = arrival.rest

        assert arrival.is_whole
        assert parse(arrival) == (*parse(iter([request]))[:2], b"")
    assert not rest
    assert not sent


@given(st.binary(max_size=60), st.integers(1, 7))
def test_any_chunked_body_is_parsed_without_error(body: bytes, step: int) -> None:
    sent = _HEAD + b"Transfer-Encoding: chunked\r\n\r\n" + body
    arrival = Arrival(Disk())
    for at in range(0, len(sent), step):
        if arrival.is_ready:
            break
        arrival.add(sent[at : at + step])

    assert arrival.has_head


def test_long_body_is_on_disk_until_it_is_answered() -> None:
    disk, body = Disk(), bytes(range(256)) * 1000
    arrival = Arrival(disk)
    sent = with_length(body)
    for at in range(0, len(sent), 10_000):
        arrival.add(sent[at : at + 10_000])

    assert disk.used == len(sent)
    assert parse(arrival) == ("POST", body, b"")
    arrival.close()
    arrival.close()
    assert disk.used == 0


def test_request_is_shed_when_the_disk_has_no_room() -> None:
    disk = Disk(limit=300_000)
    first, second = Arrival(disk), Arrival(disk)
    for arrival in (first, second):
        arrival.add(_HEAD + b"Content-Length: 200000\r\n\r\n")
        arrival.add(b"x" * 190_000)

    assert (first.is_shed, second.is_shed) == (False, True)
    first.close()
    second.close()
    assert disk.used == 0


@pytest.mark.parametrize(
    "head",
    [
        b"Content-Length: 99999999999\r\n\r\n",  # rejected by the application without reading the rest
        b"Content-Length: -1\r\n\r\n",  # rejected by gunicorn
        b"Content-Length: 99999999999999999999999\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n-5\r\n",
    ],
)
def test_bad_request_is_ready_without_its_body(head: bytes) -> None:
    arrival = Arrival(Disk())
    arrival.add(_HEAD + head)

    assert arrival.is_ready


def test_endless_headers_are_not_waited_for() -> None:
    arrival = Arrival(Disk())
    arrival.add(_HEAD)
    assert not arrival.is_ready
    arrival.add(b"X: " + b"y" * LONGEST_HEAD)

    assert arrival.is_ready
    assert not arrival.has_head


def test_client_that_speaks_tls_is_not_kept_waiting() -> None:
    arrival = Arrival(Disk())
    arrival.add(b"\x16")
    assert not arrival.is_ready
    arrival.add(b"\x03\x01\x02\x00\x01")

    assert arrival.is_ready
    assert not arrival.has_head


def test_client_gets_100_continue_once() -> None:
    arrival = Arrival(Disk())
    arrival.add(_HEAD + b"Expect: 100-continue\r\nContent-Length: 5\r\n\r\n")
    assert arrival.awaits_continue
    arrival.is_continued = True
    assert not arrival.awaits_continue
    arrival.add(b"hello")

    assert arrival.is_whole


_STARTS = (b"GET /y ", b"POST /x ")


@given(st.binary(max_size=300), st.integers(1, 400))
def test_short_request_starts_with_its_path_once_it_has_arrived(body: bytes, step: int) -> None:
    sent, arrival = with_length(body), Arrival(Disk())
    for at in range(0, len(sent), step):
        assert not arrival.starts_with(_STARTS)
        arrival.add(sent[at : at + step])

    assert arrival.starts_with(_STARTS)
    assert not arrival.starts_with((b"POST /y ",))
    first = parse(arrival)
    arrival.rewind()
    assert parse(arrival) == first == ("POST", body, b"")


@pytest.mark.parametrize("step", [1, 100_000])
@pytest.mark.parametrize(
    "sent",
    [
        chunked([b"hello"], b""),
        with_length(b"x" * 5000),
        with_length(b"hello") + with_length(b"hello"),
        with_length(b"hello") + b"P",
    ],
    ids=["chunked", "long", "followed by another", "followed by a part"],
)
def test_other_requests_start_with_nothing(sent: bytes, step: int) -> None:
    """A main loop answers none of them."""
    arrival = Arrival(Disk())
    for at in range(0, len(sent), step):
        arrival.add(arrival.rest + sent[at : at + step])
        if arrival.is_ready and arrival.rest:
            break
    assert not arrival.starts_with(_STARTS)
