"""Roadside: drivers and businesses, rides and offers, payments and the books about them, and what the sandbox holds."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_REAL = sa.Float(53).with_variant(sqlite.REAL(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    _create_businesses()
    _create_drivers()
    _create_sandbox_charges()
    _create_payments()
    _create_payment_entries()
    _create_rides()
    _create_ride_offers()


def downgrade() -> None:
    """Take them away; what was kept in them is lost."""
    op.drop_table("ride_offers")
    op.drop_table("rides")
    op.drop_table("payment_entries")
    op.drop_table("payments")
    op.drop_table("sandbox_charges")
    op.drop_table("drivers")
    op.drop_table("businesses")


def _create_businesses() -> None:
    op.create_table(
        "businesses",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text()),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("phone", sa.Text()),
        sa.Column("ride_types", sa.Text(), nullable=False),
        sa.Column("address", sa.Text()),
        sa.Column("latitude", _REAL, nullable=False),
        sa.Column("longitude", _REAL, nullable=False),
        sa.Column("radius_miles", _REAL, nullable=False),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("weekly", sa.Text()),
        sa.Column("active", _BIG, nullable=False),
        sa.Column("sandbox", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_businesses_environment")),
        sa.CheckConstraint("sandbox = 0 OR environment = 'test'", name=op.f("ck_businesses_sandbox")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_businesses")),
        sa.UniqueConstraint("environment", "identity", name=op.f("uq_businesses_environment_identity")),
        sa.UniqueConstraint("ref", name=op.f("uq_businesses_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_businesses_environment_latitude"), "businesses", ["environment", "latitude"])


def _create_drivers() -> None:
    op.create_table(
        "drivers",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text()),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("phone", sa.Text()),
        sa.Column("services", sa.Text(), nullable=False),
        sa.Column("vehicle", sa.Text()),
        sa.Column("latitude", _REAL, nullable=False),
        sa.Column("longitude", _REAL, nullable=False),
        sa.Column("radius_miles", _REAL, nullable=False),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("weekly", sa.Text()),
        sa.Column("active", _BIG, nullable=False),
        sa.Column("sandbox", _BIG, nullable=False),
        sa.Column("rating_sum", _BIG, nullable=False),
        sa.Column("rating_count", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_drivers_environment")),
        sa.CheckConstraint("sandbox = 0 OR environment = 'test'", name=op.f("ck_drivers_sandbox")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drivers")),
        sa.UniqueConstraint("environment", "identity", name=op.f("uq_drivers_environment_identity")),
        sa.UniqueConstraint("ref", name=op.f("uq_drivers_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_drivers_environment_latitude"), "drivers", ["environment", "latitude"])


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
        sa.CheckConstraint(
            "(moving IS NOT NULL) = (state IN ('capturing', 'refunding'))", name=op.f("ck_payments_moving")
        ),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_payments_environment")),
        sa.CheckConstraint("gateway IN ('sandbox', 'stripe')", name=op.f("ck_payments_gateway")),
        sa.CheckConstraint(
            "state IN ('authorizing', 'authorized', 'declined', 'capturing', 'captured', 'voiding', 'voided', 'refunding', 'refunded')",
            name=op.f("ck_payments_state"),
        ),
        sa.CheckConstraint(
            "amount > 0 AND 0 <= refunded AND refunded <= captured AND captured <= amount",
            name=op.f("ck_payments_amount"),
        ),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_payments_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payments")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_payments_environment_id"), "payments", ["environment", "id"])
    op.create_index(op.f("ix_payments_environment_subject"), "payments", ["environment", "subject"])
    op.create_index(op.f("ix_payments_partner_id"), "payments", ["partner_id"])
    op.create_index(
        "ix_payments_under_way",
        "payments",
        ["id"],
        sqlite_where=sa.text("state IN ('authorizing', 'capturing', 'voiding', 'refunding')"),
        postgresql_where=sa.text("state IN ('authorizing', 'capturing', 'voiding', 'refunding')"),
    )
    op.create_index(
        "uq_payments_living",
        "payments",
        ["environment", "subject"],
        unique=True,
        sqlite_where=sa.text("state NOT IN ('declined', 'voided')"),
        postgresql_where=sa.text("state NOT IN ('declined', 'voided')"),
    )


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
            "account IN ('customer', 'held', 'partner_revenue')", name=op.f("ck_payment_entries_account")
        ),
        sa.CheckConstraint(
            "kind IN ('authorize', 'capture', 'refund', 'void')", name=op.f("ck_payment_entries_kind")
        ),
        sa.ForeignKeyConstraint(["payment_id"], ["payments.id"], name=op.f("fk_payment_entries_payment_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment_entries")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_payment_entries_payment_id_id"), "payment_entries", ["payment_id", "id"])


def _create_rides() -> None:
    op.create_table(
        "rides",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("customer_id", _BIG, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("service", sa.Text(), nullable=False),
        sa.Column("pickup_latitude", _REAL, nullable=False),
        sa.Column("pickup_longitude", _REAL, nullable=False),
        sa.Column("dropoff_latitude", _REAL, nullable=False),
        sa.Column("dropoff_longitude", _REAL, nullable=False),
        sa.Column("pickup_address", sa.Text()),
        sa.Column("dropoff_address", sa.Text()),
        sa.Column("fare", sa.Text(), nullable=False),
        sa.Column("vehicle", sa.Text(), nullable=False),
        sa.Column("notes", sa.Text()),
        sa.Column("reason", sa.Text()),
        sa.Column("partner_reference", sa.Text()),
        sa.Column("session_id", sa.Text()),
        sa.Column("payment_method", sa.Text()),
        sa.Column("scenario", sa.Text(), nullable=False),
        sa.Column("offer_id", _BIG),
        sa.Column("provider_ref", sa.Text()),
        sa.Column("provider_name", sa.Text()),
        sa.Column("eta_at", _BIG),
        sa.Column("accepted_at", _BIG),
        sa.Column("arrived_at", _BIG),
        sa.Column("started_at", _BIG),
        sa.Column("ended_at", _BIG),
        sa.Column("outcome", sa.Text()),
        sa.Column("cancel_reason", sa.Text()),
        sa.Column("cancel_note", sa.Text()),
        sa.Column("fee", _BIG),
        sa.Column("linked_ref", sa.Text()),
        sa.Column("bill", sa.Text()),
        sa.Column("rating", _BIG),
        sa.Column("comment", sa.Text()),
        sa.Column("rated_at", _BIG),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_rides_environment")),
        sa.CheckConstraint("kind IN ('ride', 'tow')", name=op.f("ck_rides_kind")),
        sa.CheckConstraint(
            "status IN ('pending', 'accepted', 'driver_arrived', 'provider_arrived', 'in_progress', 'completed', 'cancelled', 'expired')",
            name=op.f("ck_rides_status"),
        ),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name=op.f("fk_rides_customer_id")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_rides_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rides")),
        sa.UniqueConstraint("ref", name=op.f("uq_rides_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_rides_customer_id"), "rides", ["customer_id"])
    op.create_index(
        op.f("ix_rides_partner_id_environment_kind_id"), "rides", ["partner_id", "environment", "kind", "id"]
    )
    op.create_index(
        "ix_rides_pending",
        "rides",
        ["kind", "expires_at"],
        sqlite_where=sa.text("status = 'pending'"),
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_index(
        "uq_rides_driver",
        "rides",
        ["provider_ref"],
        unique=True,
        sqlite_where=sa.text(
            "environment = 'live' AND kind = 'ride' AND status IN ('accepted', 'driver_arrived', 'in_progress')"
        ),
        postgresql_where=sa.text(
            "environment = 'live' AND kind = 'ride' AND status IN ('accepted', 'driver_arrived', 'in_progress')"
        ),
    )


def _create_ride_offers() -> None:
    op.create_table(
        "ride_offers",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ride_ref", sa.Text(), nullable=False),
        sa.Column("provider_ref", sa.Text(), nullable=False),
        sa.Column("provider_id", _BIG, nullable=False),
        sa.Column("provider_name", sa.Text(), nullable=False),
        sa.Column("rating", _REAL),
        sa.Column("price", _BIG, nullable=False),
        sa.Column("distance_miles", _REAL, nullable=False),
        sa.Column("eta_minutes", _BIG, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("offered_at", _BIG, nullable=False),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.Column("closed_at", _BIG),
        sa.CheckConstraint(
            "status IN ('offered', 'accepted', 'declined', 'withdrawn', 'expired')",
            name=op.f("ck_ride_offers_status"),
        ),
        sa.ForeignKeyConstraint(["ride_ref"], ["rides.ref"], name=op.f("fk_ride_offers_ride_ref")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ride_offers")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_ride_offers_ride_ref_id"), "ride_offers", ["ride_ref", "id"])
    op.create_index(
        "uq_ride_offers_accepted",
        "ride_offers",
        ["ride_ref"],
        unique=True,
        sqlite_where=sa.text("status = 'accepted'"),
        postgresql_where=sa.text("status = 'accepted'"),
    )
