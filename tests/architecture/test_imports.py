"""Import contracts, and names of modules and packages."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PACKAGES = sorted(path.parent for path in SOURCES if path.name == "__init__.py")
CATCH_ALLS = {"utils", "util", "helpers", "helper", "common", "base", "manager", "managers", "misc"}


def test_import_contracts_are_kept() -> None:
    linted = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports; raise SystemExit(lint_imports())"],
        cwd=ROOT,
        env={"PYTHONPATH": f"{ROOT / 'src'}:{ROOT}", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert linted.returncode == 0, linted.stdout + linted.stderr
    assert "0 broken" in linted.stdout


def test_no_module_has_a_catch_all_name() -> None:
    assert SOURCES
    assert not [path for path in SOURCES if CATCH_ALLS & {*path.relative_to(ROOT).with_suffix("").parts}]


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ROOT / "src")))
def test_package_documents_its_purpose(package: Path) -> None:
    result = ast.get_docstring(ast.parse((package / "__init__.py").read_text("utf-8")))
    assert result
    assert result.splitlines()[0].endswith(".")


def test_folders_are_at_most_two_levels_below_a_package() -> None:
    deep = [path for path in PACKAGES if len(path.relative_to(ROOT / "src").parts) > 4]
    assert {path.parts[-2:] for path in deep} == {("migrations", "versions")}  # Alembic's own layout


def test_every_folder_with_sources_is_a_package() -> None:
    assert {path.parent for path in SOURCES} == set(PACKAGES)


def test_importing_an_embedded_core_reads_no_environment_and_connects_to_nothing() -> None:
    script = (
        "import os, socket, sqlite3\n"
        "os.environ.clear()\n"
        "def refuse(*_, **__): raise SystemExit('connected')\n"
        "socket.socket.connect = refuse\n"
        "sqlite3.connect = refuse\n"
        "import repaircore, repaircore.core\n"
    )
    ran = subprocess.run(  # noqa: S603 - this interpreter, and a text of ours
        [sys.executable, "-c", script],
        env={"PYTHONPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
