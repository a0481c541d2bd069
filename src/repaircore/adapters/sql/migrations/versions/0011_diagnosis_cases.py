"""The cases of diagnoses: what was described, what was suggested, and which repair it was."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_REAL = sa.Float(53).with_variant(sqlite.REAL(), "sqlite")


def upgrade() -> None:
    """Create the table."""
    op.create_table(
        "diagnosis_cases",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("car", _BIG, nullable=True),
        sa.Column("suggested", sa.Text(), nullable=False),
        sa.Column("confidence", _REAL, nullable=False),
        sa.Column("repair", sa.Text(), nullable=True),
        sa.Column("confirmed_by", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("confirmed_at", _BIG, nullable=True),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_diagnosis_cases_environment")),
        sa.CheckConstraint(
            "source IN ('diagnosis', 'chat', 'questionnaire')", name=op.f("ck_diagnosis_cases_source")
        ),
        sa.CheckConstraint(
            "confirmed_by IN ('operator', 'invoice')", name=op.f("ck_diagnosis_cases_confirmed_by")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_diagnosis_cases")),
        sa.UniqueConstraint("reference", name=op.f("uq_diagnosis_cases_reference")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_diagnosis_cases_confirmed",
        "diagnosis_cases",
        ["environment", "id"],
        unique=False,
        sqlite_where=sa.text("repair IS NOT NULL"),
        postgresql_where=sa.text("repair IS NOT NULL"),
    )
    op.create_index(
        "ix_diagnosis_cases_waiting",
        "diagnosis_cases",
        ["created_at"],
        unique=False,
        sqlite_where=sa.text("repair IS NULL"),
        postgresql_where=sa.text("repair IS NULL"),
    )


def downgrade() -> None:
    """Drop it."""
    op.drop_table("diagnosis_cases")
