"""Rate-limit windows in Redis: key names, expiry, its clock, and outages."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.adapters.redis.conftest import FakeRedis
from tests.own_servers import OwnRedis, free_port

from repaircore.adapters.fast_path.shared_files import SharedFileWindows
from repaircore.adapters.redis.fallback import REST_SECONDS, FallbackWindows
from repaircore.adapters.redis.windows import RedisWindows
from repaircore.kernel.errors import Unavailable
from repaircore.limits.model import Limit

LIMIT = Limit(3, 60)
SECRET = b"s" * 32


class ManualClock:
    """A manual clock."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def windows(own_redis: OwnRedis) -> Iterator[RedisWindows]:
    made = RedisWindows(own_redis.url, lambda: SECRET)
    yield made
    made.close()


@pytest.fixture
def with_fallback(windows: RedisWindows, tmp_path: Path, clock: ManualClock) -> Iterator[FallbackWindows]:
    made = FallbackWindows(windows, SharedFileWindows(tmp_path / "windows"), name="Redis", clock=clock)
    yield made
    made.close()


def test_keys_hide_their_subjects_and_expire(own_redis: OwnRedis, windows: RedisWindows) -> None:
    windows.acquire("login ada@example.org 192.0.2.1", LIMIT)
    windows.acquire("partner 7", Limit(1000, 60))
    other = RedisWindows(own_redis.url, lambda: b"another installation's secret...")
    assert other.hit("partner 7", Limit(1000, 60)).remaining == 999
    other.close()
    with own_redis.client() as client:
        names = [bytes(name) for name in client.scan_iter()]
        assert len(names) == 3
        assert all(name.startswith(b"repaircore:window:") and b"ada" not in name for name in names)
        assert all(59_000 < client.pttl(name) <= 60_000 for name in names)


def test_peeking_creates_no_key(own_redis: OwnRedis, windows: RedisWindows) -> None:
    assert windows.peek("a", LIMIT).admitted
    with own_redis.client() as client:
        assert client.dbsize() == 0


def test_times_are_integer_microseconds_of_the_servers_clock(
    own_redis: OwnRedis, windows: RedisWindows
) -> None:
    with own_redis.client() as client:
        before = client.time()
        result = windows.hit("a", LIMIT)
        after = client.time()
        (name,) = client.scan_iter()
        (entry,) = client.lrange(name, 0, -1)
    assert entry.isdigit()
    assert before <= divmod(int(entry), 1_000_000) <= after
    assert result.reset_at == -(-(int(entry) + 60_000_000) // 1_000_000)


def test_script_is_loaded_again_when_the_server_lost_it(own_redis: OwnRedis, windows: RedisWindows) -> None:
    assert windows.hit("a", LIMIT).remaining == 2
    with own_redis.client() as client:
        client.script_flush()
    assert windows.hit("a", LIMIT).remaining == 1
    assert windows.hit("a", LIMIT).remaining == 0


def test_clock_that_was_far_ahead_blocks_nobody(own_redis: OwnRedis) -> None:
    hour, second = 3_600_000_000_000, 1_000_000_000
    ahead = RedisWindows(own_redis.url, lambda: SECRET, now=lambda: 2 * hour)
    right = RedisWindows(own_redis.url, lambda: SECRET, now=lambda: hour)
    a_little_back = RedisWindows(own_redis.url, lambda: SECRET, now=lambda: 2 * hour - 30 * second)
    for _ in range(3):
        ahead.acquire("a", LIMIT)
    assert a_little_back.acquire("a", LIMIT).retry_after == 90
    assert a_little_back.peek("a", LIMIT).retry_after == 90
    assert right.peek("a", LIMIT).admitted
    assert right.hit("a", LIMIT).remaining == 2
    for one in (ahead, right, a_little_back):
        one.close()


def test_fallback_counts_while_redis_is_stopped(
    own_redis: OwnRedis, with_fallback: FallbackWindows, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "repaircore.limits")
    assert with_fallback.hit("a", LIMIT).remaining == 2
    own_redis.stop()
    assert [with_fallback.hit("a", LIMIT).remaining for _ in range(3)] == [2, 1, 0]
    assert not with_fallback.acquire("a", LIMIT).admitted
    own_redis.start()
    assert not with_fallback.acquire("a", LIMIT).admitted  # still resting
    clock.now += REST_SECONDS
    assert with_fallback.hit("b", LIMIT).remaining == 2
    assert not with_fallback.hit("a", LIMIT).admitted  # it is back without its counts
    clock.now += LIMIT.seconds
    assert with_fallback.hit("a", LIMIT).remaining == 2
    assert [record.levelname for record in caplog.records] == ["WARNING", "WARNING"]
    lost, back = caplog.messages
    assert lost.startswith("Redis is not responding (")
    assert back == "Redis is back. Rate limits use it again."


def test_frozen_server_is_waited_for_once(
    own_redis: OwnRedis, with_fallback: FallbackWindows, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    assert with_fallback.acquire("a", LIMIT).admitted
    own_redis.freeze()
    assert with_fallback.hit("b", LIMIT).remaining == 2
    assert with_fallback.hit("b", LIMIT).remaining == 1
    assert len(caplog.records) == 1
    own_redis.thaw()
    clock.now += REST_SECONDS
    assert with_fallback.hit("a", LIMIT).remaining == 1


def test_read_only_server_is_unavailable(own_redis: OwnRedis, with_fallback: FallbackWindows) -> None:
    with own_redis.client() as client:
        client.replicaof("127.0.0.1", str(free_port()))
    assert [with_fallback.hit("a", LIMIT).remaining for _ in range(2)] == [2, 1]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        b"",
        b"-READONLY You can't write against a read only replica.\r\n",
        b"-OOM command not allowed when used memory > 'maxmemory'.\r\n",
        b"-LOADING Redis is loading the dataset in memory\r\n",
        b"-NOAUTH Authentication required.\r\n",
        b"-BUSY Redis is busy running a script.\r\n",
        b"HTTP/1.1 400 Bad Request\r\n\r\n",
        b"*4\r\n:1\r\n",
        b"*1\r\n:1\r\n",
        b"+OK\r\n",
        b"+1 1 5\r\n",
        b"+1 1 5 x\r\n",
        b":1\r\n",
        b"$-1\r\n",
    ],
)
def test_any_other_answer_is_unavailable(fake_redis: FakeRedis, answer: bytes | None) -> None:
    windows = RedisWindows(fake_redis.url, lambda: SECRET)
    assert windows.acquire("a", LIMIT).admitted
    fake_redis.answer = answer
    for ask in (windows.acquire, windows.hit, windows.peek):
        with pytest.raises(Unavailable, match="Redis"):
            ask("a", LIMIT)
    windows.close()


def test_port_without_a_listener_is_unavailable() -> None:
    windows = RedisWindows(f"redis://127.0.0.1:{free_port()}", lambda: SECRET)
    with pytest.raises(Unavailable):
        windows.acquire("a", LIMIT)
    windows.close()
