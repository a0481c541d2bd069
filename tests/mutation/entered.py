"""Which functions each test enters: a pytest plugin that records it, and the record.

A mutant is tried with the tests that enter its function, the most specific first, instead of all tests of its slice. Functions
that only other processes enter are in no record.
"""

import os
import sys
from collections import defaultdict
from collections.abc import Generator, Iterable
from itertools import chain, zip_longest
from pathlib import Path
from types import CodeType
from typing import Any, Final, Self

import msgspec
import pytest
from attrs import define, field, frozen

FOLDER_VARIABLE: Final = "REPAIRCORE_TEST_ENTERED"
"""Names the folder into which each process of a run writes its record."""

_MONITORING: Final[Any] = getattr(sys, "monitoring", None)  # since Python 3.12
_SOURCES: Final = f"{os.sep}src{os.sep}"
_SPECIFIC: Final = 40
"""So many tests come first because they enter few other functions."""
_MOST_TESTS: Final = 2_000


class _Test(msgspec.Struct, array_like=True):
    """A test that passed: its name, its seconds, and the numbers of the functions that it entered."""

    name: str
    seconds: float
    functions: list[int]


class _Record(msgspec.Struct):
    """What one process wrote; a function is named ``src/repaircore/rides/fares.py Fare.amount``."""

    functions: list[str]
    tests: list[_Test]


@frozen(kw_only=True)
class Choice:
    """The tests that a mutant is tried with, and the seconds they took."""

    tests: list[str]
    seconds: float


@define(kw_only=True)
class Entered:
    """The tests of each function, with their seconds and how many functions they enter in all.

    A mutant is tried with tests that took at most ``most_seconds`` together.
    """

    most_seconds: float = 40.0
    _tests: dict[str, list[tuple[str, float, int]]]

    @classmethod
    def read(cls, folder: Path) -> Self:
        """Read what all processes of a run wrote."""
        tests: defaultdict[str, list[tuple[str, float, int]]] = defaultdict(list)
        for path in sorted(folder.glob("*.json")):
            record = msgspec.json.decode(path.read_bytes(), type=_Record)
            for test in record.tests:
                for number in test.functions:
                    tests[record.functions[number]].append((test.name, test.seconds, len(test.functions)))
        return cls(tests=dict(tests))

    def choose(self, module: Path, function: str) -> list[Choice]:
        """Return tests that enter the function: the most specific ones, then those of all files in turn, within the time.

        The first lie in few files, so they start at once; most mutants are noticed by them.
        """
        known = sorted(
            self._tests.get(f"{module.as_posix()} {function}", ()), key=lambda one: (one[2], one[1])
        )
        specific = [(name, seconds) for name, seconds, _ in known[:_SPECIFIC]]
        others: defaultdict[str, list[tuple[str, float]]] = defaultdict(list)
        for name, seconds, _ in known[_SPECIFIC:]:
            others[name.partition("::")[0]].append((name, seconds))
        # One test of each other file, then a second one of each: other files take other ways through a function.
        in_turn = chain.from_iterable(zip_longest(*others.values()))
        first = _within(specific, self.most_seconds)
        then = _within((one for one in in_turn if one is not None), self.most_seconds - first.seconds)
        return [choice for choice in (first, then) if choice.tests]


def _within(wanted: Iterable[tuple[str, float]], most: float) -> Choice:
    """Return the tests that take at most so many seconds, but the first one in any case."""
    chosen: list[str] = []
    total = 0.0
    for name, seconds in wanted:
        if not chosen or (total + seconds <= most and len(chosen) < _MOST_TESTS):
            chosen.append(name)
            total += seconds
    return Choice(tests=chosen, seconds=total)


def pytest_configure(config: pytest.Config) -> None:
    """Record, if a folder is named."""
    folder = os.environ.get(FOLDER_VARIABLE)
    if folder:
        worker = getattr(config, "workerinput", {"workerid": "main"})["workerid"]
        config.pluginmanager.register(_Recorder(Path(folder) / f"{worker}.json"))


@define(eq=False)
class Functions:
    """The functions of the product that are entered, numbered; each is seen once until ``restart``."""

    numbers: dict[str, int] = field(init=False, factory=dict[str, int])
    since: set[int] = field(init=False, factory=set[int])
    """Those that were entered since the last ``restart``."""

    def start(self) -> None:
        """Begin to watch."""
        _MONITORING.use_tool_id(_MONITORING.COVERAGE_ID, "entered")
        _MONITORING.register_callback(_MONITORING.COVERAGE_ID, _MONITORING.events.PY_START, self._enter)
        _MONITORING.set_events(_MONITORING.COVERAGE_ID, _MONITORING.events.PY_START)

    def restart(self) -> None:
        """See every function again."""
        self.since = set()
        _MONITORING.restart_events()

    def stop(self) -> None:
        """Watch no longer."""
        _MONITORING.set_events(_MONITORING.COVERAGE_ID, 0)
        _MONITORING.free_tool_id(_MONITORING.COVERAGE_ID)

    def _enter(self, code: CodeType, _offset: int) -> object:
        _, found, module = code.co_filename.rpartition(_SOURCES)
        if found:
            name = f"src/{module} {function_name(code.co_qualname)}"
            self.since.add(self.numbers.setdefault(name, len(self.numbers)))
        return _MONITORING.DISABLE


@define(eq=False)
class _Recorder:
    """Records the functions that are entered while a test runs, its fixtures included."""

    _path: Path
    _functions: Functions = field(init=False, factory=Functions)
    _tests: list[_Test] = field(init=False, factory=list[_Test])
    _passed: dict[str, float] = field(init=False, factory=dict[str, float])

    def pytest_sessionstart(self) -> None:
        self._functions.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        self._functions.restart()
        result = yield
        if item.nodeid in self._passed:
            seconds = round(self._passed[item.nodeid], 3)
            entered = sorted(self._functions.since)
            self._tests.append(_Test(name=item.nodeid, seconds=seconds, functions=entered))
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed or report.skipped:
            self._passed.pop(report.nodeid, None)
        elif report.when == "setup" or report.nodeid in self._passed:
            self._passed[report.nodeid] = self._passed.get(report.nodeid, 0.0) + report.duration

    def pytest_sessionfinish(self) -> None:
        self._functions.stop()
        if self._tests:
            functions = list(self._functions.numbers)
            self._path.write_bytes(msgspec.json.encode(_Record(functions=functions, tests=self._tests)))


def function_name(qualified: str) -> str:
    """Return the name of a function as mutants give it: ``Fare.amount`` for a generator within that method as well."""
    return ".".join(part for part in qualified.split(".") if not part.startswith("<"))
