"""Indexes for what is asked again and again, however many rows there are."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Create the indexes, and drop those that they stand for."""
    op.create_index(op.f("ix_payments_environment_subject_id"), "payments", ["environment", "subject", "id"])
    op.drop_index(op.f("ix_payments_environment_subject"), "payments")
    op.create_index(
        op.f("ix_payments_partner_id_environment_id"), "payments", ["partner_id", "environment", "id"]
    )
    op.drop_index(op.f("ix_payments_partner_id"), "payments")
    op.create_index(
        op.f("ix_rides_partner_id_environment_kind_status_id"),
        "rides",
        ["partner_id", "environment", "kind", "status", "id"],
    )
    op.create_index(
        "ix_rides_provider",
        "rides",
        ["provider_ref"],
        sqlite_where=sa.text("provider_ref IS NOT NULL"),
        postgresql_where=sa.text("provider_ref IS NOT NULL"),
    )
    op.create_index(op.f("ix_ride_offers_provider_ref"), "ride_offers", ["provider_ref"])
    op.create_index(
        op.f("ix_car_connections_environment_owner_id_email"),
        "car_connections",
        ["environment", "owner_id", "email"],
    )
    op.drop_index(op.f("ix_car_connections_environment_email"), "car_connections")


def downgrade() -> None:
    """Take them away."""
    op.create_index(op.f("ix_car_connections_environment_email"), "car_connections", ["environment", "email"])
    op.drop_index(op.f("ix_car_connections_environment_owner_id_email"), "car_connections")
    op.drop_index(op.f("ix_ride_offers_provider_ref"), "ride_offers")
    op.drop_index("ix_rides_provider", "rides")
    op.drop_index(op.f("ix_rides_partner_id_environment_kind_status_id"), "rides")
    op.create_index(op.f("ix_payments_partner_id"), "payments", ["partner_id"])
    op.drop_index(op.f("ix_payments_partner_id_environment_id"), "payments")
    op.create_index(op.f("ix_payments_environment_subject"), "payments", ["environment", "subject"])
    op.drop_index(op.f("ix_payments_environment_subject_id"), "payments")
