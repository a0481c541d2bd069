"""Passwords: stored hashes, the work to check them, and queueing."""

import fcntl
import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import Queue
from typing import Literal

import pytest
from argon2 import PasswordHasher as Argon2
from argon2 import Type, extract_parameters
from typing_extensions import override

from repaircore.adapters.crypto.passwords import Argon2Passwords
from repaircore.kernel.errors import TooMany

PLACES = 4
SECONDS = 5.0


class CountingHasher(Argon2):
    """Count the work, with weak parameters so that tests are quick."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.work = 0

    @override
    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        self.work += 1
        return super().hash(password, salt=salt)

    @override
    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        self.work += 1
        return super().verify(hash, password)


class BlockingHasher(CountingHasher):
    """An argon2 that blocks until it is released."""

    def __init__(self) -> None:
        super().__init__()
        self.inside = threading.Event()
        self.go = threading.Event()
        self.most = 0
        self._inside = 0

    @override
    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        self._inside += 1
        self.most = max(self.most, self._inside)
        self.inside.set()
        assert self.go.wait(30)
        self._inside -= 1
        return super().hash(password, salt=salt)


def wait_until(is_true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 30
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.001)


@pytest.fixture
def counting() -> CountingHasher:
    return CountingHasher()


@pytest.fixture
def passwords(tmp_path: Path, counting: CountingHasher) -> Argon2Passwords:
    return Argon2Passwords(tmp_path / "state" / "passwords.lock", argon2=lambda: counting)


def test_new_hash_is_as_strong_as_owasp_recommends(tmp_path: Path) -> None:
    parameters = extract_parameters(Argon2Passwords(tmp_path / "lock").hash("correct horse"))

    assert parameters.type is Type.ID
    assert parameters.memory_cost >= 19 * 1024
    assert parameters.time_cost >= 2
    assert parameters.parallelism >= 1
    assert parameters.salt_len >= 16


def test_only_the_right_password_is_accepted(passwords: Argon2Passwords) -> None:
    stored = passwords.hash("correct horse ä")

    assert passwords.verify(stored, "correct horse ä")
    assert not passwords.verify(stored, "correct horse a")
    assert not passwords.verify(stored, "")


def test_same_password_never_has_the_same_hash(passwords: Argon2Passwords) -> None:
    assert passwords.hash("correct horse") != passwords.hash("correct horse")


@pytest.mark.parametrize("stored", ["", "x", "$argon2id$v=19$m=8,t=1,p=1$$", "plain:correct horse"])
def test_damaged_hash_accepts_no_password(passwords: Argon2Passwords, stored: str) -> None:
    assert not passwords.verify(stored, "correct horse")


def test_unknown_account_accepts_no_password_and_costs_the_same_work(
    passwords: Argon2Passwords, counting: CountingHasher
) -> None:
    stored = passwords.hash("correct horse")
    for presented in (stored, None, None):
        counting.work = 0
        passwords.verify(presented, "correct horse")
        assert counting.work == 1

    assert not passwords.verify(None, "correct horse")


def test_hash_of_weaker_parameters_is_outdated(tmp_path: Path, passwords: Argon2Passwords) -> None:
    weak = passwords.hash("correct horse")
    strong = Argon2Passwords(tmp_path / "lock")

    assert strong.needs_rehash(weak)
    assert not strong.needs_rehash(strong.hash("correct horse"))
    assert strong.verify(weak, "correct horse")


class Crowd:
    """Threads that hash at the same time, each for a subject."""

    def __init__(self, folder: Path) -> None:
        self.argon2 = BlockingHasher()
        self.now = 0.0
        self.passwords = Argon2Passwords(folder / "lock", argon2=lambda: self.argon2, clock=lambda: self.now)
        self._answers: Queue[bool | TooMany] = Queue()
        self._threads: list[threading.Thread] = []

    def join(self, subject: str | None) -> None:
        def ask() -> None:
            try:
                self._answers.put(self.passwords.verify(None, "correct horse", subject=subject))
            except TooMany as refused:
                self._answers.put(refused)

        thread = threading.Thread(target=ask)
        thread.start()
        self._threads.append(thread)
        if len(self._threads) == 1:
            assert self.argon2.inside.wait(30)

    def refused(self, count: int) -> list[int]:
        """Wait for that many answers; return the retry times of the refused ones."""
        answers = [self._answers.get(timeout=30) for _ in range(count)]
        return [answer.retry_after for answer in answers if isinstance(answer, TooMany)]

    def disperse(self) -> int:
        """Release all threads; return how much work was done."""
        self.argon2.go.set()
        for thread in self._threads:
            thread.join(30)
        return self.argon2.work


def test_twenty_people_can_hash_at_once(tmp_path: Path) -> None:
    crowd = Crowd(tmp_path)
    for number in range(20):
        crowd.join(f"visitor{number}@example.org 192.0.2.1")

    assert crowd.disperse() == 20
    assert crowd.refused(20) == []
    assert crowd.argon2.most == 1


def test_third_hash_of_a_subject_is_refused_and_others_are_not(tmp_path: Path) -> None:
    crowd = Crowd(tmp_path)
    for _ in range(5):
        crowd.join("suspect 192.0.2.1")
    refused = crowd.refused(3)
    crowd.join("ada@example.org 192.0.2.1")

    assert refused == [1, 1, 1]
    assert crowd.disperse() == 3
    crowd.join("suspect 192.0.2.1")
    assert crowd.disperse() == 4  # its places are free again


def test_new_hash_is_refused_while_the_queue_is_stuck(tmp_path: Path) -> None:
    crowd = Crowd(tmp_path)
    for _ in range(PLACES + 1):
        crowd.join(None)
    wait_until(lambda: crowd.passwords.waiting == PLACES + 1)
    crowd.now = SECONDS + 1
    crowd.join(None)

    assert crowd.refused(1) == [1]
    assert crowd.disperse() == PLACES + 1
    crowd.join(None)
    assert crowd.disperse() == PLACES + 2


@pytest.mark.parametrize("typed", ["cafe\u0301 au lait", "caf\u00e9 au lait", "\uff43af\u00e9 au lait"])
def test_password_is_accepted_in_each_unicode_form(
    passwords: Argon2Passwords, counting: CountingHasher, typed: str
) -> None:
    normalized, earlier = passwords.hash("caf\u00e9 au lait"), counting.hash(typed)

    assert passwords.verify(normalized, typed)
    assert passwords.verify(earlier, typed)  # from before passwords were normalized
    assert not passwords.verify(normalized, "cafe au lait")


def test_unicode_form_costs_the_same_work_for_unknown_accounts(
    passwords: Argon2Passwords, counting: CountingHasher
) -> None:
    stored = passwords.hash("caf\u00e9 au lait")
    for presented in (stored, None):
        counting.work = 0
        passwords.verify(presented, "cafe\u0301 au lait")
        assert counting.work == 2


def test_failed_hash_releases_its_place(passwords: Argon2Passwords) -> None:
    for _ in range(PLACES + 1):
        with pytest.raises(UnicodeEncodeError):
            passwords.hash("\ud800")

    assert passwords.waiting == 0


def test_hash_waits_for_the_other_workers_of_the_machine(tmp_path: Path, counting: CountingHasher) -> None:
    lock = tmp_path / "lock"
    passwords = Argon2Passwords(lock, argon2=lambda: counting)
    other = os.open(lock, os.O_RDWR | os.O_CREAT)  # as another worker opens it
    fcntl.flock(other, fcntl.LOCK_EX)
    thread = threading.Thread(target=passwords.hash, args=("correct horse",))
    thread.start()
    thread.join(0.05)
    assert counting.work == 0
    fcntl.flock(other, fcntl.LOCK_UN)
    thread.join(30)

    assert counting.work == 1
    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody holds it
    os.close(other)


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # it forks on purpose
def test_process_forked_during_a_hash_neither_deadlocks_nor_holds_the_lock(
    tmp_path: Path,
) -> None:
    slow, quick = BlockingHasher(), CountingHasher()
    turns = iter([slow])
    passwords = Argon2Passwords(tmp_path / "lock", argon2=lambda: next(turns, quick))
    thread = threading.Thread(target=passwords.hash, args=("correct horse",))
    thread.start()
    assert slow.inside.wait(30)
    done, go = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # ends a process that waits for a lock that nobody releases
        os.read(done, 1)
        passwords.hash("correct horse")
        os._exit(0)
    slow.go.set()
    thread.join(30)
    passwords.hash("the child is still there and hashes nothing")
    os.write(go, b"!")

    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    for end in (done, go):
        os.close(end)


def test_lock_is_held_while_hashing(tmp_path: Path) -> None:
    seen: list[bool] = []
    lock = tmp_path / "lock"

    class LockObserver(CountingHasher):
        @override
        def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
            other = os.open(lock, os.O_RDWR)
            try:
                fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                seen.append(True)
            else:
                seen.append(False)
            finally:
                os.close(other)
            return super().hash(password, salt=salt)

    Argon2Passwords(lock, argon2=LockObserver).hash("correct horse")

    assert seen == [True]
