"""Diagnostics: conversations and what was said in them; the questionnaire and what was answered."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Create the tables."""
    op.create_table(
        "chat_sessions",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("messages", sa.Integer(), nullable=False),
        sa.Column("vin", sa.Text(), nullable=True),
        sa.Column("vehicle_id", sa.Text(), nullable=True),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=True),
        sa.Column("diagnosis", sa.Text(), nullable=True),
        sa.Column("started_at", _BIG, nullable=False),
        sa.Column("active_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_chat_sessions_environment")),
        sa.CheckConstraint(
            "status IN ('awaiting_answer', 'diagnosed', 'reset')", name=op.f("ck_chat_sessions_status")
        ),
        sa.ForeignKeyConstraint(
            ["vehicle_id"], ["vehicles.id"], name=op.f("fk_chat_sessions_vehicle_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_sessions")),
        sa.UniqueConstraint("session_id", name=op.f("uq_chat_sessions_session_id")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_chat_sessions_environment_id"), "chat_sessions", ["environment", "id"], unique=False
    )
    op.create_index(
        op.f("ix_chat_sessions_environment_owner_id_id"),
        "chat_sessions",
        ["environment", "owner_id", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_chat_sessions_environment_owner_id_started_at"),
        "chat_sessions",
        ["environment", "owner_id", "started_at"],
        unique=False,
    )
    op.create_index(
        "ix_chat_sessions_of_email",
        "chat_sessions",
        ["environment", "email", "id"],
        unique=False,
        sqlite_where=sa.text("email IS NOT NULL"),
        postgresql_where=sa.text("email IS NOT NULL"),
    )
    op.create_index(op.f("ix_chat_sessions_vehicle_id"), "chat_sessions", ["vehicle_id"], unique=False)
    op.create_table(
        "chat_messages",
        sa.Column("chat_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint("role IN ('user', 'assistant')", name=op.f("ck_chat_messages_role")),
        sa.ForeignKeyConstraint(
            ["chat_id"], ["chat_sessions.id"], name=op.f("fk_chat_messages_chat_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("chat_id", "number", name=op.f("pk_chat_messages")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    _create_questionnaire()


def _create_questionnaire() -> None:
    op.create_table(
        "questionnaire_categories",
        sa.Column("id", _BIG, autoincrement=False, nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("icon", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("active", sa.Integer(), nullable=False),
        sa.CheckConstraint("active IN (0, 1)", name=op.f("ck_questionnaire_categories_active")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_questionnaire_categories")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_questionnaire_categories_of_slug",
        "questionnaire_categories",
        ["slug"],
        unique=True,
        sqlite_where=sa.text("active = 1"),
        postgresql_where=sa.text("active = 1"),
    )
    op.create_table(
        "questions",
        sa.Column("id", _BIG, autoincrement=False, nullable=False),
        sa.Column("category_id", _BIG, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("answer_type", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("active", sa.Integer(), nullable=False),
        sa.CheckConstraint("active IN (0, 1)", name=op.f("ck_questions_active")),
        sa.CheckConstraint(
            "answer_type IN ('single_choice', 'yes_no')", name=op.f("ck_questions_answer_type")
        ),
        sa.ForeignKeyConstraint(
            ["category_id"], ["questionnaire_categories.id"], name=op.f("fk_questions_category_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_questions")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_questions_category_id_position"), "questions", ["category_id", "position"], unique=False
    )
    op.create_table(
        "submissions",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("user_id", _BIG, nullable=True),
        sa.Column("category_slug", sa.Text(), nullable=False),
        sa.Column("category_name", sa.Text(), nullable=False),
        sa.Column("vehicle_id", sa.Text(), nullable=True),
        sa.Column("vehicle_info", sa.Text(), nullable=True),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.Column("additional_notes", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_submissions_environment")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("reference", name=op.f("uq_submissions_reference")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_submissions_category_slug_id"), "submissions", ["category_slug", "id"], unique=False
    )


def downgrade() -> None:
    """Drop the tables, and what tells that there is a questionnaire in them."""
    op.execute("DELETE FROM settings WHERE name = 'questionnaire_edition'")
    op.drop_index(op.f("ix_submissions_category_slug_id"), table_name="submissions")
    op.drop_table("submissions")
    op.drop_index(op.f("ix_questions_category_id_position"), table_name="questions")
    op.drop_table("questions")
    op.drop_index("ix_questionnaire_categories_of_slug", table_name="questionnaire_categories")
    op.drop_table("questionnaire_categories")
    op.drop_table("chat_messages")
    op.drop_index(op.f("ix_chat_sessions_vehicle_id"), table_name="chat_sessions")
    op.drop_index("ix_chat_sessions_of_email", table_name="chat_sessions")
    op.drop_index(op.f("ix_chat_sessions_environment_owner_id_started_at"), table_name="chat_sessions")
    op.drop_index(op.f("ix_chat_sessions_environment_owner_id_id"), table_name="chat_sessions")
    op.drop_index(op.f("ix_chat_sessions_environment_id"), table_name="chat_sessions")
    op.drop_table("chat_sessions")
