"""Passwords: what is kept, how much work it is, and who has to wait."""

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


class Counting(Argon2):
    """Weak parameters, so that tests are quick, and a count of the work."""

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


class Waiting(Counting):
    """An argon2 that does not come back before it is let go."""

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
def counting() -> Counting:
    return Counting()


@pytest.fixture
def passwords(tmp_path: Path, counting: Counting) -> Argon2Passwords:
    return Argon2Passwords(tmp_path / "state" / "passwords.lock", argon2=lambda: counting)


def test_new_hash_is_as_strong_as_owasp_asks(tmp_path: Path) -> None:
    made = extract_parameters(Argon2Passwords(tmp_path / "lock").hash("correct horse"))

    assert made.type is Type.ID
    assert made.memory_cost >= 19 * 1024
    assert made.time_cost >= 2
    assert made.parallelism >= 1
    assert made.salt_len >= 16


def test_only_the_right_password_is_right(passwords: Argon2Passwords) -> None:
    kept = passwords.hash("correct horse ä")

    assert passwords.verify(kept, "correct horse ä")
    assert not passwords.verify(kept, "correct horse a")
    assert not passwords.verify(kept, "")


def test_same_password_is_never_kept_twice_alike(passwords: Argon2Passwords) -> None:
    assert passwords.hash("correct horse") != passwords.hash("correct horse")


@pytest.mark.parametrize("kept", ["", "x", "$argon2id$v=19$m=8,t=1,p=1$$", "plain:correct horse"])
def test_damaged_hash_is_never_right(passwords: Argon2Passwords, kept: str) -> None:
    assert not passwords.verify(kept, "correct horse")


def test_nobodys_password_is_never_right_and_costs_the_same_work(
    passwords: Argon2Passwords, counting: Counting
) -> None:
    kept = passwords.hash("correct horse")
    for presented in (kept, None, None):
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
    """Threads that hash at the same time, each for a subject; ``refused`` counts those that found no place."""

    def __init__(self, folder: Path) -> None:
        self.argon2 = Waiting()
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
        """Return when those who found no place may come back; wait for so many."""
        answers = [self._answers.get(timeout=30) for _ in range(count)]
        return [answer.retry_after for answer in answers if isinstance(answer, TooMany)]

    def disperse(self) -> int:
        """Let all of them go on; return how much work was done."""
        self.argon2.go.set()
        for thread in self._threads:
            thread.join(30)
        return self.argon2.work


def test_twenty_people_at_once_all_find_a_place(tmp_path: Path) -> None:
    crowd = Crowd(tmp_path)
    for number in range(20):
        crowd.join(f"visitor{number}@example.org 192.0.2.1")

    assert crowd.disperse() == 20
    assert crowd.refused(20) == []
    assert crowd.argon2.most == 1


def test_third_of_a_subject_is_refused_and_others_are_not(tmp_path: Path) -> None:
    crowd = Crowd(tmp_path)
    for _ in range(5):
        crowd.join("suspect 192.0.2.1")
    refused = crowd.refused(3)
    crowd.join("ada@example.org 192.0.2.1")

    assert refused == [1, 1, 1]
    assert crowd.disperse() == 3
    crowd.join("suspect 192.0.2.1")
    assert crowd.disperse() == 4  # its places are free again


def test_crowd_that_does_not_end_leaves_threads_free(tmp_path: Path) -> None:
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
def test_password_is_right_in_each_form(passwords: Argon2Passwords, counting: Counting, typed: str) -> None:
    normalized, earlier = passwords.hash("caf\u00e9 au lait"), counting.hash(typed)

    assert passwords.verify(normalized, typed)
    assert passwords.verify(earlier, typed)  # from before passwords were normalized
    assert not passwords.verify(normalized, "cafe au lait")


def test_form_of_a_password_costs_the_same_for_nobody(passwords: Argon2Passwords, counting: Counting) -> None:
    kept = passwords.hash("caf\u00e9 au lait")
    for presented in (kept, None):
        counting.work = 0
        passwords.verify(presented, "cafe\u0301 au lait")
        assert counting.work == 2


def test_failed_hash_gives_its_place_back(passwords: Argon2Passwords) -> None:
    for _ in range(PLACES + 1):
        with pytest.raises(UnicodeEncodeError):
            passwords.hash("\ud800")

    assert passwords.waiting == 0


def test_hash_waits_for_the_other_workers_of_the_machine(tmp_path: Path, counting: Counting) -> None:
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
    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)  # nobody has kept it
    os.close(other)


@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")  # it forks on purpose
def test_process_forked_while_another_thread_hashes_neither_waits_for_ever_nor_keeps_the_gate(
    tmp_path: Path,
) -> None:
    slow, quick = Waiting(), Counting()
    turns = iter([slow])
    passwords = Argon2Passwords(tmp_path / "lock", argon2=lambda: next(turns, quick))
    thread = threading.Thread(target=passwords.hash, args=("correct horse",))
    thread.start()
    assert slow.inside.wait(30)
    done, go = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # ends whoever waits for a lock that nobody gives back
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

    class Looking(Counting):
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

    Argon2Passwords(lock, argon2=Looking).hash("correct horse")

    assert seen == [True]
