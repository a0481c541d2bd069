"""The partner platform: accounts, kept replies, customers, mechanics, appointments, events and who hears of them."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_REAL = sa.Float(53).with_variant(sqlite.REAL(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    _create_job_turns()
    _create_mails()
    _create_mechanics()
    _create_partners()
    _create_rate_windows()
    _create_timeline()
    _create_customers()
    _create_events()
    _create_kept_replies()
    _create_mechanic_exceptions()
    _create_mechanic_services()
    _create_partner_keys()
    _create_webhook_subscriptions()
    _create_appointments()
    _create_webhook_deliveries()
    _create_appointment_slots()
    _create_webhook_attempts()


def downgrade() -> None:
    """Take them away; what was kept in them is lost."""
    op.drop_table("webhook_attempts")
    op.drop_table("appointment_slots")
    op.drop_table("webhook_deliveries")
    op.drop_table("appointments")
    op.drop_table("webhook_subscriptions")
    op.drop_table("partner_keys")
    op.drop_table("mechanic_services")
    op.drop_table("mechanic_exceptions")
    op.drop_table("kept_replies")
    op.drop_table("events")
    op.drop_table("customers")
    op.drop_table("timeline")
    op.drop_table("rate_windows")
    op.drop_table("partners")
    op.drop_table("mechanics")
    op.drop_table("mails")
    op.drop_table("job_turns")


def _create_job_turns() -> None:
    op.create_table(
        "job_turns",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text()),
        sa.Column("held_until", _BIG),
        sa.Column("done_at", _BIG),
        sa.Column("failure", sa.Text()),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_job_turns")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )


def _create_mails() -> None:
    op.create_table(
        "mails",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("recipient_key", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", _BIG, nullable=False),
        sa.Column("due_at", _BIG, nullable=False),
        sa.Column("last_error", sa.Text()),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("ended_at", _BIG),
        sa.CheckConstraint("state IN ('pending', 'sent', 'dead')", name=op.f("ck_mails_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mails")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_mails_due",
        "mails",
        ["due_at"],
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_index(op.f("ix_mails_recipient_key"), "mails", ["recipient_key"])


def _create_mechanics() -> None:
    op.create_table(
        "mechanics",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("email", sa.Text()),
        sa.Column("phone", sa.Text()),
        sa.Column("address", sa.Text()),
        sa.Column("city", sa.Text()),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("zip_code", sa.Text()),
        sa.Column("latitude", _REAL),
        sa.Column("longitude", _REAL),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("slot_minutes", _BIG, nullable=False),
        sa.Column("capacity", _BIG, nullable=False),
        sa.Column("weekly", sa.Text(), nullable=False),
        sa.Column("active", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_mechanics_environment")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mechanics")),
        sa.UniqueConstraint("ref", name=op.f("uq_mechanics_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_mechanics_environment_name_key"), "mechanics", ["environment", "name_key"])
    op.create_index(op.f("ix_mechanics_environment_state_id"), "mechanics", ["environment", "state", "id"])


def _create_partners() -> None:
    op.create_table(
        "partners",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("suspended_at", _BIG),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_partners")),
        sa.UniqueConstraint("name", name=op.f("uq_partners_name")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )


def _create_rate_windows() -> None:
    op.create_table(
        "rate_windows",
        sa.Column("name", sa.LargeBinary(), nullable=False),
        sa.Column("log", sa.LargeBinary(), nullable=False),
        sa.Column("over_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_rate_windows")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_rate_windows_over_at"), "rate_windows", ["over_at"])


def _create_timeline() -> None:
    op.create_table(
        "timeline",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("at", _BIG, nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("before", sa.Text()),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text()),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_timeline")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_timeline_subject_id"), "timeline", ["subject", "id"])


def _create_customers() -> None:
    op.create_table(
        "customers",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("first_name", sa.Text(), nullable=False),
        sa.Column("last_name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text()),
        sa.Column("email_key", sa.Text()),
        sa.Column("phone", sa.Text()),
        sa.Column("address", sa.Text()),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_customers_environment")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_customers_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_customers")),
        sa.UniqueConstraint(
            "partner_id",
            "environment",
            "email_key",
            name=op.f("uq_customers_partner_id_environment_email_key"),
        ),
        sa.UniqueConstraint(
            "partner_id", "environment", "phone", name=op.f("uq_customers_partner_id_environment_phone")
        ),
        sa.UniqueConstraint("ref", name=op.f("uq_customers_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )


def _create_events() -> None:
    op.create_table(
        "events",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("sequence", _BIG, nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_events_environment")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_events_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("subject", "sequence", name=op.f("uq_events_subject_sequence")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_events_partner_id_environment_created_at"),
        "events",
        ["partner_id", "environment", "created_at"],
    )


def _create_kept_replies() -> None:
    op.create_table(
        "kept_replies",
        sa.Column("partner_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(), nullable=False),
        sa.Column("status", _BIG),
        sa.Column("body", sa.LargeBinary()),
        sa.Column("kept_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_kept_replies_environment")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_kept_replies_partner_id")),
        sa.PrimaryKeyConstraint("partner_id", "environment", "key", name=op.f("pk_kept_replies")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_kept_replies_kept_at"), "kept_replies", ["kept_at"])


def _create_mechanic_exceptions() -> None:
    op.create_table(
        "mechanic_exceptions",
        sa.Column("mechanic_id", _BIG, nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("intervals", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["mechanic_id"],
            ["mechanics.id"],
            name=op.f("fk_mechanic_exceptions_mechanic_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("mechanic_id", "day", name=op.f("pk_mechanic_exceptions")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )


def _create_mechanic_services() -> None:
    op.create_table(
        "mechanic_services",
        sa.Column("mechanic_id", _BIG, nullable=False),
        sa.Column("service", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["mechanic_id"],
            ["mechanics.id"],
            name=op.f("fk_mechanic_services_mechanic_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("mechanic_id", "service", name=op.f("pk_mechanic_services")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )


def _create_partner_keys() -> None:
    op.create_table(
        "partner_keys",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("public_hash", sa.LargeBinary(), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False),
        sa.Column("secret_last4", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("revoked_at", _BIG),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_partner_keys_environment")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_partner_keys_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_partner_keys")),
        sa.UniqueConstraint("public_hash", name=op.f("uq_partner_keys_public_hash")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_partner_keys_secret_hash")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_partner_keys_partner_id"), "partner_keys", ["partner_id"])


def _create_webhook_subscriptions() -> None:
    op.create_table(
        "webhook_subscriptions",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("description", sa.Text()),
        sa.Column("active", _BIG, nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("previous_sealed", sa.Text()),
        sa.Column("previous_until", _BIG),
        sa.Column("last_delivery_at", _BIG),
        sa.Column("last_status", _BIG),
        sa.Column("failing_since", _BIG),
        sa.Column("disabled_reason", sa.Text()),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint(
            "environment IN ('test', 'live')", name=op.f("ck_webhook_subscriptions_environment")
        ),
        sa.ForeignKeyConstraint(
            ["partner_id"], ["partners.id"], name=op.f("fk_webhook_subscriptions_partner_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_subscriptions")),
        sa.UniqueConstraint("ref", name=op.f("uq_webhook_subscriptions_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_webhook_subscriptions_partner_id_environment_id"),
        "webhook_subscriptions",
        ["partner_id", "environment", "id"],
    )


def _create_appointments() -> None:
    op.create_table(
        "appointments",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("mechanic_id", _BIG, nullable=False),
        sa.Column("customer_id", _BIG, nullable=False),
        sa.Column("starts_at", _BIG, nullable=False),
        sa.Column("ends_at", _BIG, nullable=False),
        sa.Column("local_date", sa.Text(), nullable=False),
        sa.Column("local_time", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("pickup_step", sa.Text(), nullable=False),
        sa.Column("description", sa.Text()),
        sa.Column("partner_reference", sa.Text()),
        sa.Column("session_id", sa.Text()),
        sa.Column("cancel_reason", sa.Text()),
        sa.Column("bill", sa.Text()),
        sa.Column("notified_step", sa.Text()),
        sa.Column("notified_at", _BIG),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_appointments_environment")),
        sa.CheckConstraint(
            "status IN ('scheduled', 'completed', 'cancelled', 'no_show')",
            name=op.f("ck_appointments_status"),
        ),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name=op.f("fk_appointments_customer_id")),
        sa.ForeignKeyConstraint(["mechanic_id"], ["mechanics.id"], name=op.f("fk_appointments_mechanic_id")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_appointments_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_appointments")),
        sa.UniqueConstraint("ref", name=op.f("uq_appointments_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_appointments_customer_id"), "appointments", ["customer_id"])
    op.create_index(
        op.f("ix_appointments_mechanic_id_starts_at"), "appointments", ["mechanic_id", "starts_at"]
    )
    op.create_index(
        op.f("ix_appointments_partner_id_environment_id"), "appointments", ["partner_id", "environment", "id"]
    )


def _create_webhook_deliveries() -> None:
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("subscription_id", _BIG, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", _BIG, nullable=False),
        sa.Column("due_at", _BIG, nullable=False),
        sa.Column("holder", sa.Text()),
        sa.Column("held_until", _BIG),
        sa.Column("last_status", _BIG),
        sa.Column("last_error", sa.Text()),
        sa.Column("delivered_at", _BIG),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint(
            "state IN ('pending', 'delivered', 'dead', 'dropped')", name=op.f("ck_webhook_deliveries_state")
        ),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_webhook_deliveries_event_id")),
        sa.ForeignKeyConstraint(
            ["subscription_id"],
            ["webhook_subscriptions.id"],
            name=op.f("fk_webhook_deliveries_subscription_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_webhook_deliveries_due",
        "webhook_deliveries",
        ["subscription_id", "due_at"],
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_index(op.f("ix_webhook_deliveries_event_id"), "webhook_deliveries", ["event_id"])
    op.create_index(
        op.f("ix_webhook_deliveries_subscription_id_id"), "webhook_deliveries", ["subscription_id", "id"]
    )


def _create_appointment_slots() -> None:
    op.create_table(
        "appointment_slots",
        sa.Column("mechanic_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("starts_at", _BIG, autoincrement=False, nullable=False),
        sa.Column("seat", _BIG, autoincrement=False, nullable=False),
        sa.Column("appointment_id", _BIG, nullable=False),
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
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_appointment_slots_appointment_id"), "appointment_slots", ["appointment_id"])


def _create_webhook_attempts() -> None:
    op.create_table(
        "webhook_attempts",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("delivery_id", _BIG, nullable=False),
        sa.Column("at", _BIG, nullable=False),
        sa.Column("status", _BIG),
        sa.Column("error", sa.Text()),
        sa.Column("milliseconds", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["delivery_id"],
            ["webhook_deliveries.id"],
            name=op.f("fk_webhook_attempts_delivery_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_attempts")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_webhook_attempts_delivery_id"), "webhook_attempts", ["delivery_id"])
