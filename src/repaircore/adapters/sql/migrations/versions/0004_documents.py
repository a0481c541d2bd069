"""Add the shops that are named at the top of documents, and the links that share visits."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Create the tables of shops and visit links."""
    op.create_table(
        "shops",
        sa.Column("owner_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("zip_code", sa.Text(), nullable=True),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("license_number", sa.Text(), nullable=True),
        sa.Column("terms", sa.Text(), nullable=True),
        sa.Column("valid_days", _BIG, nullable=False),
        sa.Column("facility_id", _BIG, nullable=True),
        sa.Column("logo", sa.LargeBinary(), nullable=True),
        sa.Column("logo_width", _BIG, nullable=True),
        sa.Column("logo_height", _BIG, nullable=True),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["facility_id"],
            ["facilities.id"],
            name=op.f("fk_shops_facility_id"),
            ondelete="SET NULL",
        ),
        sa.PrimaryKeyConstraint("owner_id", name=op.f("pk_shops")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_shops_facility_id"), "shops", ["facility_id"], unique=False)
    op.create_table(
        "visit_links",
        sa.Column("visit_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["visit_id"], ["visits.id"], name=op.f("fk_visit_links_visit_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("visit_id", name=op.f("pk_visit_links")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_visit_links_token_hash")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )


def downgrade() -> None:
    """Drop the tables of shops and visit links."""
    op.drop_table("visit_links")
    op.drop_index(op.f("ix_shops_facility_id"), table_name="shops")
    op.drop_table("shops")
