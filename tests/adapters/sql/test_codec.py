"""Values of attrs classes are converted to rows and back by the types of their fields."""

from collections.abc import Mapping
from datetime import UTC, date, datetime
from types import SimpleNamespace
from uuid import UUID

import pytest
from attrs import frozen

from repaircore.adapters.sql.engine.codec import ColumnCodec, RowCodec
from repaircore.kernel.callers import Role


@frozen(kw_only=True)
class Size:
    width: int
    height: int | None


@frozen(kw_only=True)
class Everything:
    id: UUID
    name: str
    role: Role
    at: datetime
    until: datetime | None
    on: date
    active: bool
    size: Size
    tags: tuple[str, ...]
    detail: Mapping[str, int] | None
    doubled: int


CODEC = RowCodec(
    Everything,
    {"at": "created_at"},
    size=RowCodec(Size),
    doubled=ColumnCodec(lambda stored: stored // 2, lambda value: value * 2),
)
VALUE = Everything(
    id=UUID(int=7),
    name="Ada",
    role=Role.ADMIN,
    at=datetime(2026, 1, 2, tzinfo=UTC),
    until=None,
    on=date(2026, 1, 2),
    active=True,
    size=Size(width=3, height=None),
    tags=("a", "b"),
    detail={"n": 1},
    doubled=21,
)
STORED = {
    "id": "00000000-0000-0000-0000-000000000007",
    "name": "Ada",
    "role": "admin",
    "created_at": 1767312000_000000,
    "until": None,
    "on": "2026-01-02",
    "active": 1,
    "width": 3,
    "height": None,
    "tags": '["a","b"]',
    "detail": '{"n":1}',
    "doubled": 42,
}


def test_row_codec_writes_each_field_as_its_type_is_stored() -> None:
    assert CODEC.write(VALUE) == STORED


def test_row_codec_reads_what_it_writes() -> None:
    assert CODEC.read(SimpleNamespace(**STORED)) == VALUE


def test_row_codec_refuses_a_value_that_its_enum_does_not_have() -> None:
    with pytest.raises(ValueError, match="root"):
        CODEC.read(SimpleNamespace(**STORED | {"role": "root"}))
