"""What the kept settings promise, on both databases."""

from repaircore.adapters.shipped.edition import edition
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.settings import BOOK_EDITION, PRICE_ADJUSTMENT


def test_what_was_never_set_is_none(database: Database) -> None:
    with work.open_work(database, write=False) as unit:
        assert unit.settings.get(PRICE_ADJUSTMENT) is None


def test_setting_comes_back_and_the_last_one_counts(database: Database) -> None:
    for value in ("5.5", "", "ä '%s' ?"):
        with work.open_work(database, write=True) as unit:
            unit.settings.set(PRICE_ADJUSTMENT, value)
        with work.open_work(database, write=False) as unit:
            assert unit.settings.get(PRICE_ADJUSTMENT) == value


def test_settings_do_not_disturb_one_another(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.settings.set(PRICE_ADJUSTMENT, "5")
    with work.open_work(database, write=False) as unit:
        assert unit.settings.get(BOOK_EDITION) == edition()
