"""Add mechanics' services, languages and ratings, holds, and the details of appointments."""

from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_CHECKS: Final = {
    "holder": "(appointment_id IS NULL) <> (hold_id IS NULL)",
    "held": "(held_until IS NULL) = (hold_id IS NULL)",
}
_SLOTS: Final = "appointment_slots"
_OLD_SLOTS: Final = "old_appointment_slots"


def _columns() -> dict[str, Sequence[sa.Column[Any]]]:
    return {
        "mechanics": [
            sa.Column("ratings", _BIG, server_default="0", nullable=False),
            sa.Column("stars", _BIG, server_default="0", nullable=False),
        ],
        "mechanic_services": [
            sa.Column("minutes", _BIG, nullable=True),
            sa.Column("price", _BIG, nullable=True),
        ],
        "appointments": [
            sa.Column("cancel_fee", _BIG, nullable=True),
            sa.Column("service", sa.Text(), nullable=True),
            sa.Column("price", _BIG, nullable=True),
            sa.Column("vehicle", sa.Text(), nullable=True),
            sa.Column("address", sa.Text(), nullable=True),
            sa.Column("response", sa.Text(), server_default="pending", nullable=False),
            sa.Column("response_reason", sa.Text(), nullable=True),
            sa.Column("responded_at", _BIG, nullable=True),
            sa.Column("rating", _BIG, nullable=True),
            sa.Column("moves", _BIG, server_default="0", nullable=False),
            sa.Column("remind_at", _BIG, nullable=True),
        ],
    }


_INDEXES: Final = {
    "ix_mechanics_place": ("mechanics", ["environment", "latitude", "longitude"]),
    "ix_appointments_start": ("appointments", ["partner_id", "environment", "starts_at", "id"]),
}


def upgrade() -> None:
    """Add the columns and tables."""
    for name, columns in _columns().items():
        for column in columns:
            op.add_column(name, column)
    for index, (name, names) in _INDEXES.items():
        op.create_index(index, name, names, unique=False)
    reminded = sa.text("remind_at IS NOT NULL")
    op.create_index(
        op.f("ix_appointments_remind_at"),
        "appointments",
        ["remind_at"],
        unique=False,
        sqlite_where=reminded,
        postgresql_where=reminded,
    )
    op.create_table(
        "mechanic_languages",
        sa.Column("mechanic_id", _BIG, nullable=False),
        sa.Column("language", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["mechanic_id"],
            ["mechanics.id"],
            name=op.f("fk_mechanic_languages_mechanic_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("mechanic_id", "language", name=op.f("pk_mechanic_languages")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    _create_holds()
    if op.get_bind().dialect.name == "sqlite":
        _rebuild_slots(has_holds=True)
        return
    op.alter_column(_SLOTS, "appointment_id", nullable=True)
    op.add_column(_SLOTS, sa.Column("hold_id", _BIG, nullable=True))
    op.add_column(_SLOTS, sa.Column("held_until", _BIG, nullable=True))
    for check, condition in _CHECKS.items():
        op.create_check_constraint(op.f(f"ck_{_SLOTS}_{check}"), _SLOTS, condition)
    op.create_foreign_key(
        op.f("fk_appointment_slots_hold_id"),
        _SLOTS,
        "appointment_holds",
        ["hold_id"],
        ["id"],
        ondelete="CASCADE",
    )
    op.create_index(op.f("ix_appointment_slots_hold_id"), _SLOTS, ["hold_id"], unique=False)


def downgrade() -> None:
    """Drop the columns and tables, and free the held seats."""
    op.execute("DELETE FROM appointment_slots WHERE hold_id IS NOT NULL")
    if op.get_bind().dialect.name == "sqlite":
        _rebuild_slots(has_holds=False)
    else:
        op.drop_column(_SLOTS, "held_until")
        op.drop_column(_SLOTS, "hold_id")
        op.alter_column(_SLOTS, "appointment_id", nullable=False)
    op.drop_table("appointment_holds")
    op.drop_table("mechanic_languages")
    op.drop_index(op.f("ix_appointments_remind_at"), table_name="appointments")
    for index, (name, _) in _INDEXES.items():
        op.drop_index(index, table_name=name)
    for name, columns in _columns().items():
        for column in columns:
            op.drop_column(name, column.name)


def _create_holds() -> None:
    op.create_table(
        "appointment_holds",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("mechanic_id", _BIG, nullable=False),
        sa.Column("service", sa.Text(), nullable=True),
        sa.Column("starts_at", _BIG, nullable=False),
        sa.Column("ends_at", _BIG, nullable=False),
        sa.Column("local_date", sa.Text(), nullable=False),
        sa.Column("local_time", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_appointment_holds_environment")),
        sa.ForeignKeyConstraint(
            ["mechanic_id"], ["mechanics.id"], name=op.f("fk_appointment_holds_mechanic_id")
        ),
        sa.ForeignKeyConstraint(
            ["partner_id"], ["partners.id"], name=op.f("fk_appointment_holds_partner_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_appointment_holds")),
        sa.UniqueConstraint("ref", name=op.f("uq_appointment_holds_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    for names in (["expires_at"], ["mechanic_id", "expires_at"]):
        op.create_index(
            op.f(f"ix_appointment_holds_{'_'.join(names)}"), "appointment_holds", names, unique=False
        )


def _rebuild_slots(*, has_holds: bool) -> None:
    """Create the table of seats again with its rows: SQLite cannot change a column."""
    op.drop_index(op.f("ix_appointment_slots_appointment_id"), table_name=_SLOTS)
    if not has_holds:
        op.drop_index(op.f("ix_appointment_slots_hold_id"), table_name=_SLOTS)
    op.rename_table(_SLOTS, _OLD_SLOTS)
    holds: list[sa.schema.SchemaItem] = [
        sa.Column("hold_id", _BIG, nullable=True),
        sa.Column("held_until", _BIG, nullable=True),
        sa.ForeignKeyConstraint(
            ["hold_id"],
            ["appointment_holds.id"],
            name=op.f("fk_appointment_slots_hold_id"),
            ondelete="CASCADE",
        ),
        *(
            sa.CheckConstraint(condition, name=op.f(f"ck_{_SLOTS}_{check}"))
            for check, condition in _CHECKS.items()
        ),
    ]
    op.create_table(
        _SLOTS,
        sa.Column("mechanic_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("starts_at", _BIG, autoincrement=False, nullable=False),
        sa.Column("seat", _BIG, autoincrement=False, nullable=False),
        sa.Column("appointment_id", _BIG, nullable=has_holds),
        sa.ForeignKeyConstraint(
            ["appointment_id"],
            ["appointments.id"],
            name=op.f("fk_appointment_slots_appointment_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["mechanic_id"], ["mechanics.id"], name=op.f("fk_appointment_slots_mechanic_id")
        ),
        sa.PrimaryKeyConstraint("mechanic_id", "starts_at", "seat", name=op.f("pk_appointment_slots")),
        *(holds if has_holds else []),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    names = "mechanic_id, starts_at, seat, appointment_id"
    op.execute(f"INSERT INTO {_SLOTS} ({names}) SELECT {names} FROM {_OLD_SLOTS}")  # noqa: S608 - constants
    op.drop_table(_OLD_SLOTS)
    op.create_index(op.f("ix_appointment_slots_appointment_id"), _SLOTS, ["appointment_id"], unique=False)
    if has_holds:
        op.create_index(op.f("ix_appointment_slots_hold_id"), _SLOTS, ["hold_id"], unique=False)
