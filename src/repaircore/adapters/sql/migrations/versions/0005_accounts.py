"""Add password resets, replaced secret keys, and where sessions began."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Add the tables and columns."""
    op.add_column("sessions", sa.Column("browser", sa.Text(), nullable=True))
    op.add_column("sessions", sa.Column("network", sa.Text(), nullable=True))
    op.add_column("mails", sa.Column("expires_at", _BIG, nullable=True))
    op.create_index(
        "ix_users_admins",
        "users",
        ["id"],
        unique=False,
        sqlite_where=sa.text("role = 'admin'"),
        postgresql_where=sa.text("role = 'admin'"),
    )
    op.create_table(
        "old_secrets",
        sa.Column("key_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False),
        sa.Column("ends_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["key_id"], ["api_keys.id"], name=op.f("fk_old_secrets_key_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("key_id", name=op.f("pk_old_secrets")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_old_secrets_secret_hash")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "password_resets",
        sa.Column("user_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_password_resets_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("user_id", name=op.f("pk_password_resets")),
        sa.UniqueConstraint("token_hash", name=op.f("uq_password_resets_token_hash")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "reset_requests",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("requested_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_reset_requests")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_reset_requests_email"), "reset_requests", ["email"], unique=False)


def downgrade() -> None:
    """Drop the tables and columns."""
    op.drop_index(op.f("ix_reset_requests_email"), table_name="reset_requests")
    op.drop_table("reset_requests")
    op.drop_table("password_resets")
    op.drop_table("old_secrets")
    op.drop_index("ix_users_admins", table_name="users")
    op.drop_column("mails", "expires_at")
    op.drop_column("sessions", "network")
    op.drop_column("sessions", "browser")
