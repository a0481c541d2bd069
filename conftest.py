"""Tests that need a server are skipped where there is none, unless it is required.

``REPAIRCORE_TEST_REQUIRE=postgres,redis`` turns the skips of tests marked so into failures, and fails
a run in which no test with a required mark ran, as long as the tests have any.
"""

import gc
import os
import re
from collections.abc import Generator
from pathlib import Path

import pytest
from tests.sampling import everything_is_wanted, left_out

_TESTS = Path(__file__).parent / "tests"
_LEFT_BEHIND = ("*.db", "*.db-*", "*.key")
"""What an installation leaves in the working directory when a test forgets to give it a folder."""


def pytest_configure(config: pytest.Config) -> None:
    """Watch over what is required, where anything is."""
    config.pluginmanager.register(_Tidy(Path.cwd()))
    required = frozenset(re.findall(r"\w+", os.environ.get("REPAIRCORE_TEST_REQUIRE", "")))
    if required:
        config.pluginmanager.register(_Required(required))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Collect no garbage while tests are collected: what is imported stays, and looking through it took a fifth of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Have each worker begin with other folders: what one has compiled, the others find compiled."""
    report = yield
    if isinstance(collector, pytest.Dir) and hasattr(collector.config, "workerinput"):
        worker = int(collector.config.workerinput["workerid"].removeprefix("gw"))
        first = len(report.result) * worker // collector.config.workerinput["workercount"]
        report.result = [*report.result[first:], *report.result[:first]]
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Bring the tests of a worker into the order that all have, and leave out much of the long ones."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.path)
    by_name = any("::" in argument for argument in config.args)
    if not by_name and not everything_is_wanted() and (fewer := set(left_out(items))):
        config.hook.pytest_deselected(items=list(fewer))
        items[:] = [item for item in items if item not in fewer]


def pytest_collection_finish() -> None:
    """Exempt the tests and all that is imported from garbage collection, which took a third of the time of the HTTP tests."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


class _Tidy:
    """Fails a run that leaves files of an installation in the working directory."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._before = self._found()

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._left() and not hasattr(session.config, "workerinput"):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for name in self._left():
            terminalreporter.write_line(f"LEFT BEHIND in the working directory: {name}", red=True)

    def _left(self) -> list[str]:
        return sorted(self._found() - self._before)

    def _found(self) -> set[str]:
        return {path.name for pattern in _LEFT_BEHIND for path in self._folder.glob(pattern)}


class _Required:
    """Knows what is required, and what of it ran."""

    def __init__(self, services: frozenset[str]) -> None:
        self._services = services
        self._ran: set[str] = set()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        needed = self._services.intersection(mark.name for mark in item.iter_markers())
        if report.skipped and needed and not hasattr(report, "wasxfail"):
            report.outcome = "failed"
            report.longrepr = (
                f"Skipped, but REPAIRCORE_TEST_REQUIRE names {', '.join(sorted(needed))}: {report.longrepr}"
            )
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and not report.skipped:
            self._ran |= self._services.intersection(report.keywords)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self._missing() and not hasattr(session.config, "workerinput"):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for service in self._missing():
            terminalreporter.write_line(f"REQUIRED: no test marked {service} ran.", red=True)

    def _missing(self) -> list[str]:
        return sorted(service for service in self._services - self._ran if _marks(service))


def _marks(service: str) -> bool:
    mark = re.compile(rf"\bmark\.{service}\b")
    return any(mark.search(path.read_text(encoding="utf-8")) for path in _TESTS.rglob("*.py"))
