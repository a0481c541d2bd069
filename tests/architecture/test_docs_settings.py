"""The page of settings lists every setting with its default and its help."""

import re

from tests.docs.examples import ROOT

from repaircore.settings import SETTINGS, Settings

_ROW = re.compile(r"^\| `(REPAIRCORE_\w+)` \| ([^|]+) \| (.+) \|$", re.MULTILINE)
_LINK = re.compile(r"\[([^]]+)\]\([^)]+\)")


def _documented() -> dict[str, tuple[str, str]]:
    text = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
    return {
        name: (default.strip("` "), _LINK.sub(r"\1", help_)) for name, default, help_ in _ROW.findall(text)
    }


def test_settings_page_lists_the_settings_of_the_table() -> None:
    documented, settings = set(_documented()), {setting.variable for setting in SETTINGS}

    assert documented == settings, "docs/reference/settings.md has a row for each setting"


def test_settings_page_begins_each_description_with_the_help_of_the_setting() -> None:
    documented = _documented()
    for setting in SETTINGS:
        assert documented[setting.variable][1].startswith(setting.help), setting.variable


def test_settings_page_shows_the_defaults() -> None:
    shown = Settings.from_env({}).shown()
    # These depend on the machine, and the page describes them in words.
    places = {"REPAIRCORE_DATABASE_URL", "REPAIRCORE_SECRET_KEY", "REPAIRCORE_STATE_FOLDER"}
    expected = {
        name: f"{value:g}" if isinstance(value, float) else "none" if value is None else str(value)
        for name, value in shown.items()
        if name not in places
    }
    documented = _documented()

    assert {name: documented[name][0] for name in expected} == expected
