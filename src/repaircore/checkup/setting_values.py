"""The settings in force, with secrets hidden."""

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Final

from repaircore.checkup.model import SettingSource, SettingValue
from repaircore.setting_table import Setting
from repaircore.settings import ANNOUNCEMENT, PREFIX, SETTINGS, SETUP_LINK, Settings

_OTHER_VARIABLES: Final = (PREFIX + "DEBUG", PREFIX + "TEST_", ANNOUNCEMENT, SETUP_LINK)
"""The prefixes of variables for developers, and of variables that a server passes to its workers."""


def describe_settings(settings: Settings, environ: Mapping[str, str]) -> Sequence[SettingValue]:
    """Return every setting with its value and the source of the value, in the order of ``Settings.shown``."""
    shown, defaults = settings.shown(), Settings()
    return [
        SettingValue(
            variable=entry.variable,
            value=None if shown[entry.variable] is None else str(shown[entry.variable]),
            source=_source(
                is_set=bool(environ.get(entry.variable, "").strip()),
                is_default=_raw(entry, settings) == _raw(entry, defaults),
            ),
            help=entry.help,
        )
        for entry in SETTINGS
    ]


def unknown_settings(environ: Mapping[str, str]) -> Sequence[str]:
    """List the variables that are named like settings but are none, such as misspelled ones."""
    known = {entry.variable for entry in SETTINGS}
    return sorted(
        name
        for name in environ
        if name.startswith(PREFIX) and name not in known and not name.startswith(_OTHER_VARIABLES)
    )


def _raw(entry: Setting, settings: Settings) -> object:
    return reduce(getattr, entry.path, settings)


def _source(*, is_set: bool, is_default: bool) -> SettingSource:
    if is_set:
        return SettingSource.ENVIRONMENT
    return SettingSource.DEFAULT if is_default else SettingSource.PROGRAM
