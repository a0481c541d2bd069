"""Threads that must not block."""

from threading import Thread

import pytest

from repaircore.kernel.blocking import (
    WouldBlock,
    before_blocking,
    blocking,
    blocking_forbidden,
    is_blocking_forbidden,
    when_done,
)


def test_what_blocks_is_not_begun_where_blocking_is_forbidden() -> None:
    calls: list[int] = []
    slow = blocking(lambda: calls.append(1))
    with blocking_forbidden():
        assert is_blocking_forbidden()
        with pytest.raises(WouldBlock):
            slow()
        with pytest.raises(WouldBlock):
            before_blocking()
    assert calls == []
    slow()
    before_blocking()
    assert calls == [1]


def test_permission_returns_when_something_would_block() -> None:
    with pytest.raises(WouldBlock), blocking_forbidden():
        before_blocking()
    assert not is_blocking_forbidden()


def test_inner_block_leaves_blocking_forbidden() -> None:
    with blocking_forbidden():
        with blocking_forbidden():
            pass
        assert is_blocking_forbidden()


def test_effects_wait_until_nothing_would_have_blocked() -> None:
    calls: list[str] = []
    when_done(lambda: calls.append("at once"))
    with blocking_forbidden():
        when_done(lambda: calls.append("later"))
        assert calls == ["at once"]
    assert calls == ["at once", "later"]


def test_effects_do_not_follow_what_would_have_blocked() -> None:
    calls: list[str] = []

    def answer() -> None:
        when_done(lambda: calls.append("never"))
        before_blocking()

    with pytest.raises(WouldBlock), blocking_forbidden():
        answer()
    assert calls == []


def test_only_one_thread_is_affected() -> None:
    seen: list[bool] = []
    with blocking_forbidden():
        other = Thread(target=lambda: seen.append(is_blocking_forbidden()))
        other.start()
        other.join()
    assert seen == [False]


def test_handlers_of_failures_do_not_catch_it() -> None:
    assert not issubclass(WouldBlock, Exception)
