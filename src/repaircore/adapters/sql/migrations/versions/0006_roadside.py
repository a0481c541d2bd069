"""Roadside: payments, the books about them, and what the sandbox holds."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_ENVIRONMENT = "environment IN ('test', 'live')"


def upgrade() -> None:
    """Create the tables."""
    _create_payments()
    _create_payment_entries()
    _create_sandbox_charges()


def downgrade() -> None:
    """Take them away; what was told in them is lost."""
    for table in ("sandbox_charges", "payment_entries", "payments"):
        op.drop_table(table)


def _create_payments() -> None:
    op.create_table(
        "payments",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("offer_ref", sa.Text(), nullable=False),
        sa.Column("amount", _BIG, nullable=False),
        sa.Column("captured", _BIG, nullable=False),
        sa.Column("refunded", _BIG, nullable=False),
        sa.Column("moving", _BIG),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("gateway", sa.Text(), nullable=False),
        sa.Column("gateway_ref", sa.Text()),
        sa.Column("claim", sa.Text()),
        sa.Column("payment_method", sa.Text()),
        sa.Column("sandbox", sa.Text()),
        sa.Column("reason", sa.Text()),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint(_ENVIRONMENT, name=op.f("ck_payments_environment")),
        sa.CheckConstraint(
            "state IN ('authorizing', 'authorized', 'declined', 'capturing', 'captured', 'voiding', 'voided',"
            " 'refunding', 'refunded')",
            name=op.f("ck_payments_state"),
        ),
        sa.CheckConstraint("gateway IN ('sandbox', 'stripe')", name=op.f("ck_payments_gateway")),
        sa.CheckConstraint(
            "amount > 0 AND 0 <= refunded AND refunded <= captured AND captured <= amount",
            name=op.f("ck_payments_amount"),
        ),
        sa.CheckConstraint(
            "(moving IS NOT NULL) = (state IN ('capturing', 'refunding'))", name=op.f("ck_payments_moving")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payments")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    living = sa.text("state NOT IN ('declined', 'voided')")
    op.create_index(
        "uq_payments_living",
        "payments",
        ["environment", "subject"],
        unique=True,
        sqlite_where=living,
        postgresql_where=living,
    )
    under_way = sa.text("state IN ('authorizing', 'capturing', 'voiding', 'refunding')")
    op.create_index(
        "ix_payments_under_way", "payments", ["id"], sqlite_where=under_way, postgresql_where=under_way
    )
    op.create_index("ix_payments_environment_subject", "payments", ["environment", "subject"])
    op.create_index("ix_payments_environment_id", "payments", ["environment", "id"])


def _create_payment_entries() -> None:
    op.create_table(
        "payment_entries",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("payment_id", sa.Text(), nullable=False),
        sa.Column("at", _BIG, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("cents", _BIG, nullable=False),
        sa.CheckConstraint(
            "kind IN ('authorize', 'capture', 'refund', 'void')", name=op.f("ck_payment_entries_kind")
        ),
        sa.CheckConstraint(
            "account IN ('customer', 'held', 'partner_revenue')", name=op.f("ck_payment_entries_account")
        ),
        sa.ForeignKeyConstraint(["payment_id"], ["payments.id"], name=op.f("fk_payment_entries_payment_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment_entries")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_payment_entries_payment_id_id", "payment_entries", ["payment_id", "id"])


def _create_sandbox_charges() -> None:
    op.create_table(
        "sandbox_charges",
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("amount", _BIG, nullable=False),
        sa.Column("captured", _BIG, nullable=False),
        sa.Column("refunded", _BIG, nullable=False),
        sa.Column("sandbox", sa.Text()),
        sa.Column("done", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint(
            "state IN ('authorized', 'captured', 'canceled', 'declined')",
            name=op.f("ck_sandbox_charges_state"),
        ),
        sa.CheckConstraint(
            "amount > 0 AND 0 <= refunded AND refunded <= captured AND captured <= amount",
            name=op.f("ck_sandbox_charges_amount"),
        ),
        sa.PrimaryKeyConstraint("ref", name=op.f("pk_sandbox_charges")),
        sa.UniqueConstraint("key", name=op.f("uq_sandbox_charges_key")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
