"""Tries mutants in forks of one process that has collected all tests.

Starting pytest and collecting takes longer than most mutants live. A fork has both behind it: it puts the changed code into the
functions that are loaded, wherever they are referred to, and runs the tests that enter the changed one.
"""

import gc
import os
import signal
import time
from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, Final

import pytest
from attrs import define, field, frozen
from tests.mutation.entered import Choice, Entered, Functions, function_name
from tests.mutation.mutants import Mutant
from tests.mutation.selection import FOLDERS

TIMEOUT_FACTOR: Final = 5
"""The factor, beside half a minute, by which a mutant's tests may be slower: endless loops are detected too."""
_SURVIVED, _NOTICED, _NOT_LOADED, _KILLED = range(4)
"""The statuses with which a fork ends."""
_OUTCOMES: Final = {_SURVIVED: "survived", _NOTICED: "noticed", _KILLED: "endless"}


@frozen(kw_only=True)
class Candidate:
    """A mutant and its module."""

    module: Path
    mutant: Mutant


@frozen(kw_only=True)
class Verdict:
    """The outcome for one: ``noticed``, ``survived``, ``endless``, or ``untested`` if no passing test is known for it."""

    candidate: Candidate
    outcome: str
    seconds: float


def try_in_forks(
    candidates: Mapping[int, Candidate],
    entered: Entered,
    workers: int,
    folder: Path,
    report: Callable[[int, Verdict], None],
) -> Mapping[int, Candidate]:
    """Try mutants, report each verdict by its number, and return those that only a process of its own can try.

    These are mutants of functions that no recorded test enters, and of functions that already ran while the tests were
    imported, if they survive.
    """
    imported = Functions()
    imported.start()
    trials = _Trials(
        candidates=candidates,
        entered=entered,
        workers=workers,
        report=report,
        imported=imported,
        folder=folder,
    )
    options = ["-q", "-p", "no:cacheprovider", "--tb=no", "--no-header", "--no-summary"]
    pytest.main([*options, *(f"tests/{name}" for name in FOLDERS)], plugins=[trials])
    return trials.left


@define(eq=False, kw_only=True)
class _Trials:
    """The plugin that tries mutants in place of running the tests."""

    candidates: Mapping[int, Candidate]
    entered: Entered
    workers: int
    report: Callable[[int, Verdict], None]
    imported: Functions
    folder: Path
    left: dict[int, Candidate] = field(init=False, factory=dict[int, Candidate])
    _passes: dict[str, bool] = field(init=False, factory=dict[str, bool])

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.imported.stop()
        forks = _Forks(session, self.folder)
        waiting = deque(self.candidates.items())
        running: dict[int, tuple[int, Candidate, _Fork]] = {}
        while waiting or running:
            while waiting and len(running) < self.workers:
                number, candidate = waiting.popleft()
                choice = self._choose(candidate, forks.items)
                if choice.tests:
                    fork = forks.start(candidate, choice)
                    running[fork.pid] = (number, candidate, fork)
                else:
                    self.left[number] = candidate
            time.sleep(0.01)
            for number, candidate, fork in list(running.values()):
                status = fork.status()
                if status is not None:
                    del running[fork.pid]
                    self._judge(number, candidate, fork, status, forks)
        return True

    def _choose(self, candidate: Candidate, items: Mapping[str, pytest.Item]) -> Choice:
        choices = self.entered.choose(candidate.module, candidate.mutant.within)
        return Choice(
            tests=[name for choice in choices for name in choice.tests if name in items],
            seconds=sum(choice.seconds for choice in choices),
        )

    def _judge(self, number: int, candidate: Candidate, fork: "_Fork", status: int, forks: "_Forks") -> None:
        outcome = _OUTCOMES.get(status)
        function = f"{candidate.module.as_posix()} {candidate.mutant.within}"
        if outcome is None or (outcome == "survived" and function in self.imported.numbers):
            self.left[number] = candidate
            return
        seconds, failed = fork.seconds(), fork.failed_test()
        if failed and not self._passes_alone(failed, forks):
            outcome = "untested"
        self.report(number, Verdict(candidate=candidate, outcome=outcome, seconds=seconds))

    def _passes_alone(self, test: str, forks: "_Forks") -> bool:
        """Tell whether a test that noticed a mutant passes on the unchanged code, for it now ran without those before it."""
        if test not in self._passes:
            fork = forks.start(None, Choice(tests=[test], seconds=10))
            while (status := fork.status()) is None:
                time.sleep(0.01)
            self._passes[test] = status == _SURVIVED
        return self._passes[test]


@frozen(kw_only=True)
class _Fork:
    """A process that runs tests; ``failure`` is the file with the name of the first that fails."""

    pid: int
    failure: Path
    started: float
    deadline: float

    def status(self) -> int | None:
        """Return the status with which it ended, or None while it runs before its deadline, after which it is killed."""
        ended, status = os.waitpid(self.pid, os.WNOHANG)
        if ended:
            # One that a signal ended, such as a stack overflow, was noticed.
            return os.WEXITSTATUS(status) if os.WIFEXITED(status) else _NOTICED
        if time.monotonic() < self.deadline:
            return None
        os.killpg(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        return _KILLED

    def seconds(self) -> float:
        """Return how long it has run."""
        return time.monotonic() - self.started

    def failed_test(self) -> str | None:
        """Return the name of the test that failed."""
        return self.failure.read_text() if self.failure.exists() else None


class _Forks:
    """Starts forks of a process that has collected the tests."""

    def __init__(self, session: pytest.Session, folder: Path) -> None:
        self.items = {item.nodeid: item for item in session.items}
        self._session = session
        self._loaded = loaded_functions()
        self._folder = folder
        self._count = 0
        gc.freeze()

    def start(self, candidate: Candidate | None, choice: Choice) -> _Fork:
        """Run tests on a mutant, or on the unchanged code."""
        self._count += 1
        started, failure = time.monotonic(), self._folder / f"{self._count}.failed"
        pid = os.fork()
        if not pid:
            status = _NOT_LOADED  # of one that cannot even begin
            try:
                os.setsid()
                status = self._run(candidate, choice.tests, failure)
            finally:
                os._exit(status)
        deadline = started + choice.seconds * TIMEOUT_FACTOR + 30
        return _Fork(pid=pid, failure=failure, started=started, deadline=deadline)

    def _run(self, candidate: Candidate | None, tests: Sequence[str], failure: Path) -> int:
        """Run tests in a fork until the first fails."""
        config = self._session.config
        _be_quiet(config)
        config._tmp_path_factory._given_basetemp = failure.with_suffix(".tmp")  # type: ignore[attr-defined]
        if candidate is not None and not put_in(candidate, self._loaded):
            return _NOT_LOADED
        items = [self.items[name] for name in tests]
        for item, following in zip(items, [*items[1:], None], strict=True):
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._session.testsfailed:
                failure.write_text(item.nodeid)
                with suppress(Exception):
                    self._session._setupstate.teardown_exact(None)  # no database stays on a server
                return _NOTICED
        return _SURVIVED


def _be_quiet(config: pytest.Config) -> None:
    config.pluginmanager.unregister(name="terminalreporter")
    void = os.open(os.devnull, os.O_WRONLY)
    for descriptor in (1, 2):
        os.dup2(void, descriptor)


def put_in(candidate: Candidate, loaded: Mapping[str, Sequence[FunctionType]]) -> bool:
    """Put the changed code of a module into its loaded functions; return whether the changed function is one of these."""
    path = str(candidate.module.resolve())
    source = candidate.module.read_text()
    before = _codes(compile(source, path, "exec"))
    after = _codes(compile(candidate.mutant.apply(source), path, "exec"))
    new = {(key[0], code.co_firstlineno): after[key] for key, code in before.items() if key in after}
    is_changed = False
    for function in loaded.get(path, ()):
        old = function.__code__
        code = new.get((old.co_qualname, old.co_firstlineno))
        if code is not None and code.co_freevars == old.co_freevars:
            function.__code__ = code
            name = function_name(old.co_qualname)
            is_changed = is_changed or f"{candidate.mutant.within}.".startswith(f"{name}.")
    return is_changed


def _codes(module: CodeType) -> dict[tuple[str, int], CodeType]:
    """Return all codes within a module, by their names and which of that name each is."""
    found: dict[tuple[str, int], CodeType] = {}
    seen = Counter[str]()
    for code in _within(module):
        found[code.co_qualname, seen[code.co_qualname]] = code
        seen[code.co_qualname] += 1
    return found


def _within(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield constant
            yield from _within(constant)


def loaded_functions() -> Mapping[str, Sequence[FunctionType]]:
    """Return the functions that are loaded, by their files, whatever refers to them."""
    gc.unfreeze()
    found: defaultdict[str, list[FunctionType]] = defaultdict(list)
    each: Any
    for each in gc.get_objects():
        if type(each) is FunctionType:
            found[each.__code__.co_filename].append(each)
    return found
