"""Whether a database keeps what it has acknowledged, asked of the database itself."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.adapters.sql.driver import Driver

__all__ = ["Durable", "durability"]


@frozen
class Durable:
    """A setting of the database, and the values that are fine (empty: any)."""

    name: str
    value: str
    fine: tuple[str, ...] = ()

    @property
    def holds(self) -> bool:
        """Tell whether the value is fine."""
        return not self.fine or self.value in self.fine


_SQLITE: Final = (
    ("journal_mode", ("wal",)),
    ("synchronous", ("2", "3")),
    ("foreign_keys", ("1",)),
    ("quick_check", ("ok",)),
)
_POSTGRES: Final = (
    ("server_version", ()),
    ("fsync", ("on",)),
    ("full_page_writes", ("on",)),
    ("synchronous_commit", ("on", "remote_apply", "remote_write", "local")),
)


def durability(driver: Driver, *, sqlite: bool) -> Sequence[Durable]:
    """Ask for every setting that decides what a crash may take.

    Raises:
        Unavailable: the database does not answer.
    """
    asked = _SQLITE if sqlite else _POSTGRES
    statement = "PRAGMA {}" if sqlite else "SELECT current_setting('{}')"
    rows = ((name, driver.one(statement.format(name), ()), fine) for name, fine in asked)
    return [Durable(name, "" if row is None else str(row[0]), fine) for name, row, fine in rows]
