"""Passwords: what is kept, how much work it is, and who has to wait."""

import fcntl
import os
import signal
import threading
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


def test_one_too_many_is_told_to_come_back_and_the_rest_take_turns(tmp_path: Path) -> None:
    argon2 = Waiting()
    passwords = Argon2Passwords(tmp_path / "lock", argon2=lambda: argon2)
    answers: Queue[str | TooMany] = Queue()

    def ask() -> None:
        try:
            answers.put(passwords.hash("correct horse"))
        except TooMany as refused:
            answers.put(refused)

    threads = [threading.Thread(target=ask) for _ in range(PLACES + 3)]
    for thread in threads:
        thread.start()
    refused = [answers.get(timeout=30) for _ in range(3)]
    assert [answer.retry_after for answer in refused if isinstance(answer, TooMany)] == [1, 1, 1]
    argon2.go.set()
    for thread in threads:
        thread.join(30)

    assert argon2.work == answers.qsize() == PLACES
    assert argon2.most == 1
    assert passwords.hash("a place is free again")


def test_failed_hash_gives_its_place_back(passwords: Argon2Passwords) -> None:
    for _ in range(PLACES + 1):
        with pytest.raises(UnicodeEncodeError):
            passwords.hash("\ud800")


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
