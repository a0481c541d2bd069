"""Add parts of payments, changed destinations, job proofs, tracking links, and ratings of businesses."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_LIVING = "state NOT IN ('declined', 'voided')"


def upgrade() -> None:
    """Add the columns and the tables."""
    op.add_column("payments", sa.Column("part", _BIG, server_default="0", nullable=False))
    _index_payments(["environment", "subject", "part"])
    op.add_column("rides", sa.Column("destination_changed_at", _BIG, nullable=True))
    for name in ("rating_sum", "rating_count"):
        op.add_column("businesses", sa.Column(name, _BIG, server_default="0", nullable=False))
    op.create_table(
        "job_proofs",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        *(
            sa.Column(name, sa.Text(), nullable=False)
            for name in ("ref", "environment", "kind", "ride_ref", "provider_ref", "stage", "form")
        ),
        sa.Column("signed_by", sa.Text(), nullable=True),
        sa.Column("media_type", sa.Text(), nullable=False),
        *(sa.Column(name, _BIG, nullable=False) for name in ("width", "height", "size")),
        sa.Column("sha256", sa.LargeBinary(), nullable=False),
        sa.Column("image", sa.LargeBinary(), nullable=True),
        sa.Column("added_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_job_proofs_environment")),
        sa.CheckConstraint("kind IN ('ride', 'tow')", name=op.f("ck_job_proofs_kind")),
        sa.CheckConstraint("stage IN ('pickup', 'dropoff')", name=op.f("ck_job_proofs_stage")),
        sa.CheckConstraint("form IN ('photo', 'signature')", name=op.f("ck_job_proofs_form")),
        sa.ForeignKeyConstraint(["ride_ref"], ["rides.ref"], name=op.f("fk_job_proofs_ride_ref")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_job_proofs")),
        sa.UniqueConstraint("ref", name=op.f("uq_job_proofs_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_job_proofs_ride", "job_proofs", ["ride_ref", "id"])
    op.create_index(
        "ix_job_proofs_stored",
        "job_proofs",
        ["added_at"],
        sqlite_where=sa.text("image IS NOT NULL"),
        postgresql_where=sa.text("image IS NOT NULL"),
    )
    op.create_table(
        "tracking_links",
        sa.Column("ride_ref", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("number", _BIG, nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("revoked_at", _BIG, nullable=True),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_tracking_links_environment")),
        sa.CheckConstraint("kind IN ('ride', 'tow')", name=op.f("ck_tracking_links_kind")),
        sa.ForeignKeyConstraint(["ride_ref"], ["rides.ref"], name=op.f("fk_tracking_links_ride_ref")),
        sa.PrimaryKeyConstraint("ride_ref", name=op.f("pk_tracking_links")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_tracking_links_token_hash")),
        sqlite_strict=True,
    )


def _index_payments(columns: list[str]) -> None:
    op.drop_index("uq_payments_living", table_name="payments")
    op.create_index(
        "uq_payments_living",
        "payments",
        columns,
        unique=True,
        sqlite_where=sa.text(_LIVING),
        postgresql_where=sa.text(_LIVING),
    )


def downgrade() -> None:
    """Drop the tables and the columns."""
    op.drop_table("tracking_links")
    op.drop_table("job_proofs")
    for name in ("rating_sum", "rating_count"):
        op.drop_column("businesses", name)
    op.drop_column("rides", "destination_changed_at")
    _index_payments(["environment", "subject"])
    op.drop_column("payments", "part")
