"""The page of settings lists what is read, and nothing else."""

import re
from collections.abc import Iterator, Mapping

from tests.docs.examples import ROOT
from typing_extensions import override

from repaircore.settings import Settings

_ROW = re.compile(r"^\| `(REPAIRCORE_\w+)` \| ([^|]+) \|", re.MULTILINE)


class _Asked(Mapping[str, str]):
    """An empty environment that remembers what it was asked for."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    @override
    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        raise KeyError(name)

    @override
    def __iter__(self) -> Iterator[str]:
        return iter(())

    @override
    def __len__(self) -> int:
        return 0


def _documented() -> dict[str, str]:
    text = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    return {name: default.strip("` ") for name, default in _ROW.findall(text)}


def test_the_page_and_the_environments_reader_name_the_same_variables() -> None:
    asked = _Asked()
    Settings.from_env(asked)
    assert set(_documented()) == asked.names


def test_the_page_tells_the_defaults() -> None:
    shown = Settings.from_env({}).shown()
    assert set(shown) == set(_documented())
    # These depend on the machine, and are told in words.
    places = {"REPAIRCORE_DATABASE_URL", "REPAIRCORE_SECRET_KEY", "REPAIRCORE_STATE_FOLDER"}
    expected = {
        name: f"{value:g}" if isinstance(value, float) else "none" if value is None else str(value)
        for name, value in shown.items()
        if name not in places
    }
    assert {name: _documented()[name] for name in expected} == expected
