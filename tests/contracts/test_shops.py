"""The contract of the port ``ShopRecords``, on both databases."""

from datetime import UTC, datetime

import pytest
from attrs import evolve

from repaircore.accounts.model import User
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.kernel.errors import Conflict
from repaircore.shops.model import Logo, Shop

AT = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
LOGO = Logo(png=b"\x89PNG\0\xff", width=3, height=2)


def shop(owner: User) -> Shop:
    return Shop(owner_id=owner.id, name="Ada's Garage", terms="Ü „quoted“ 'text'?", updated_at=AT)


def save(database: Database, data: Shop) -> Shop:
    with work.open_work(database, write=True) as unit:
        return unit.shops.save(data)


def set_logo(database: Database, owner: User, logo: Logo | None) -> None:
    with work.open_work(database, write=True) as unit:
        unit.shops.set_logo(owner.id, logo)


def find(database: Database, owner: User) -> Shop | None:
    with work.open_work(database, write=False) as unit:
        return unit.shops.find(owner.id)


def logo_of(database: Database, owner: User) -> Logo | None:
    with work.open_work(database, write=False) as unit:
        return unit.shops.logo(owner.id)


def test_find_returns_a_shop_only_to_its_owner(database: Database, ada: User, eve: User) -> None:
    saved = save(database, shop(ada))

    assert find(database, ada) == saved == shop(ada)
    assert find(database, eve) is None


def test_save_replaces_the_fields_and_keeps_the_logo(database: Database, ada: User) -> None:
    save(database, shop(ada))
    set_logo(database, ada, LOGO)

    saved = save(database, evolve(shop(ada), name="Ada & Co.", terms=None))

    assert (saved.name, saved.terms, saved.has_logo, saved.version) == ("Ada & Co.", None, True, 3)
    assert logo_of(database, ada) == LOGO


def test_logo_is_replaced_and_deleted(database: Database, ada: User) -> None:
    save(database, shop(ada))
    assert logo_of(database, ada) is None
    for logo in (LOGO, evolve(LOGO, width=7), None):
        set_logo(database, ada, logo)

        assert logo_of(database, ada) == logo


def test_save_refuses_a_facility_that_does_not_exist(database: Database, ada: User) -> None:
    with pytest.raises(Conflict):
        save(database, evolve(shop(ada), facility_id=999_999))
