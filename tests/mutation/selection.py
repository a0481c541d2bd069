"""The modules to mutate, and the tests of a module's slice."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

RULES: Final = (
    "src/repaircore/*/*.py",
    "src/repaircore/adapters/sql/*.py",
)
"""Rules, lifecycles, guards and use cases of the slices, and the SQL adapters."""

_EXCLUDED: Final = frozenset({"__init__", "errors", "ports", "views", "words"})
"""Declarations and sentences, which compute nothing."""
_NOT_SLICES: Final = frozenset({"testing", "wiring", "data", "adapters"})
_IMPORTED_SLICE: Final = re.compile(r"^\s*from repaircore\.(\w+)", re.MULTILINE)
FOLDERS: Final = ("unit", "contracts", "adapters", "http", "cli")
"""Folders of tests, the fastest first."""


def modules(root: Path) -> list[Path]:
    """Return the modules to mutate, relative to the root of the repository."""
    found = (path.relative_to(root) for pattern in RULES for path in root.glob(pattern))
    return sorted(
        path
        for path in found
        if path.stem not in _EXCLUDED and (path.parent.name not in _NOT_SLICES or _is_sql(path))
    )


def slice_tests(root: Path, module: Path) -> list[str]:
    """Return the test files of a module's slice, the fastest first.

    These are the slice's folder of unit tests, the files that import the module, and those named after the slice. An SQL adapter
    has those that are named after it; without any, those of the slices that it imports.
    """
    if not _is_sql(module):
        return _subject_tests(root, module, module.parent.name)
    return _subject_tests(root, module, module.stem) or [
        *dict.fromkeys(
            path
            for subject in sorted(set(_IMPORTED_SLICE.findall((root / module).read_text())))
            if (root / "src" / "repaircore" / subject).is_dir() and subject not in {*_NOT_SLICES, "kernel"}
            for path in _subject_tests(root, module, subject)
        )
    ]


def _subject_tests(root: Path, module: Path, subject: str) -> list[str]:
    named = re.compile(rf"(^|_){re.escape(_singular(subject))}(s|es|ies)?(_|$)")
    imported = re.compile(rf"\b{re.escape('.'.join(module.with_suffix('').parts[1:]))}\b")
    return [str(path) for folder in FOLDERS for path in _tests_in(root, folder, subject, named, imported)]


def _tests_in(
    root: Path, folder: str, subject: str, named: re.Pattern[str], imported: re.Pattern[str]
) -> Iterator[Path]:
    for path in sorted((root / "tests" / folder).rglob("test_*.py")):
        inside = folder == "unit" and path.parent.name == subject
        if inside or named.search(path.stem.removeprefix("test_")) or imported.search(path.read_text()):
            yield path.relative_to(root)


def _is_sql(path: Path) -> bool:
    return path.parts[:4] == ("src", "repaircore", "adapters", "sql")


def _singular(word: str) -> str:
    return word.removesuffix("ies") if word.endswith("ies") else word.removesuffix("s")
