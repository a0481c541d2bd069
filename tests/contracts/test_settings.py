"""The contract of the stored settings, on both databases."""

from repaircore.adapters.shipped.edition import edition
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.settings import BOOK_EDITION, PRICE_ADJUSTMENT


def test_unset_setting_is_none(database: Database) -> None:
    with work.open_work(database, write=False) as unit:
        assert unit.settings.get(PRICE_ADJUSTMENT) is None


def test_setting_has_the_last_stored_value(database: Database) -> None:
    for value in ("5.5", "", "ä '%s' ?"):
        with work.open_work(database, write=True) as unit:
            unit.settings.set(PRICE_ADJUSTMENT, value)
        with work.open_work(database, write=False) as unit:
            assert unit.settings.get(PRICE_ADJUSTMENT) == value


def test_settings_are_independent(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.settings.set(PRICE_ADJUSTMENT, "5")
    with work.open_work(database, write=False) as unit:
        assert unit.settings.get(BOOK_EDITION) == edition()
