"""Where a server is required, its tests run or the run fails."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.docs.examples import ROOT

_SKIPPED = "import pytest\n\n\n@pytest.mark.postgres\ndef test_it():\n    pytest.skip('no server')\n"
_RUN = "import pytest\n\n\n@pytest.mark.postgres\ndef test_it():\n    pass\n"
_UNMARKED = "def test_it():\n    pass\n"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\nmarkers =\n    postgres\n    redis\n")
    (tmp_path / "tests").mkdir()
    return tmp_path


def _outcome(project: Path, required: str, *arguments: str) -> int:
    done = subprocess.run(  # noqa: S603 - this interpreter, our own words
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=project,
        env={
            **os.environ,
            "PYTHONPATH": str(ROOT),  # conftest.py imports from the tests
            "REPAIRCORE_TEST_REQUIRE": required,
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        timeout=60,
        check=False,
    )
    return done.returncode


def test_skip_passes_where_no_server_is_required(project: Path) -> None:
    (project / "tests" / "test_it.py").write_text(_SKIPPED)
    assert _outcome(project, "") == 0
    assert _outcome(project, "redis") == 0


def test_skip_fails_where_the_server_is_required(project: Path) -> None:
    (project / "tests" / "test_it.py").write_text(_SKIPPED)
    assert _outcome(project, "postgres,redis") == 1


def test_run_without_any_required_test_fails(project: Path) -> None:
    (project / "tests" / "test_it.py").write_text(_RUN)
    (project / "tests" / "test_other.py").write_text(_UNMARKED)
    assert _outcome(project, "postgres", "tests/test_other.py") == 1
    assert _outcome(project, "postgres") == 0


def test_requirement_without_marked_tests_passes(project: Path) -> None:
    (project / "tests" / "test_it.py").write_text(_UNMARKED)
    assert _outcome(project, "redis") == 0


def test_workers_report_which_tests_ran(project: Path) -> None:
    (project / "tests" / "test_it.py").write_text(_RUN)
    assert _outcome(project, "postgres", "-p", "xdist", "-n", "1") == 0
