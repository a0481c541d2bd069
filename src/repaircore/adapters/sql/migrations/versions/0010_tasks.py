"""Add tasks: long-running work in the background, with its files and its log."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_OPEN = sa.text("status IN ('queued', 'running')")


def upgrade() -> None:
    """Create the tables of tasks, their files and their log lines."""
    op.create_table(
        "task_files",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("media_type", sa.Text(), nullable=False),
        sa.Column("size", _BIG, nullable=False),
        sa.Column("user_id", _BIG, nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_task_files")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_task_files_user_id"), "task_files", ["user_id"], unique=False)
    op.create_table(
        "task_chunks",
        sa.Column("file_id", _BIG, nullable=False),
        sa.Column("number", _BIG, nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["file_id"], ["task_files.id"], name=op.f("fk_task_chunks_file_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("file_id", "number", name=op.f("pk_task_chunks")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "tasks",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("user_id", _BIG, nullable=True),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("credential", sa.Text(), nullable=False),
        sa.Column("key_id", _BIG, nullable=True),
        sa.Column("key_name", sa.Text(), nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("phase", sa.Text(), nullable=True),
        sa.Column("done", _BIG, nullable=False),
        sa.Column("total", _BIG, nullable=True),
        sa.Column("percent", _BIG, nullable=False),
        sa.Column("mark", sa.Text(), nullable=True),
        sa.Column("result", sa.Text(), nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.Column("input_id", _BIG, nullable=True),
        sa.Column("output_id", _BIG, nullable=True),
        sa.Column("attempts", _BIG, nullable=False),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("held_until", _BIG, nullable=True),
        sa.Column("due_at", _BIG, nullable=False),
        sa.Column("cancelled_at", _BIG, nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("started_at", _BIG, nullable=True),
        sa.Column("finished_at", _BIG, nullable=True),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_tasks_environment")),
        sa.CheckConstraint(
            "status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')",
            name=op.f("ck_tasks_status"),
        ),
        sa.ForeignKeyConstraint(
            ["input_id"], ["task_files.id"], name=op.f("fk_tasks_input_id"), ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["output_id"], ["task_files.id"], name=op.f("fk_tasks_output_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tasks")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_tasks_open", "tasks", ["id"], unique=False, sqlite_where=_OPEN, postgresql_where=_OPEN
    )
    op.create_index(
        op.f("ix_tasks_environment_user_id_id"), "tasks", ["environment", "user_id", "id"], unique=False
    )
    for column in ("finished_at", "input_id", "output_id"):
        op.create_index(op.f(f"ix_tasks_{column}"), "tasks", [column], unique=False)
    op.create_table(
        "task_lines",
        sa.Column("task_id", _BIG, nullable=False),
        sa.Column("number", _BIG, nullable=False),
        sa.Column("at", _BIG, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["task_id"], ["tasks.id"], name=op.f("fk_task_lines_task_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("task_id", "number", name=op.f("pk_task_lines")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )


def downgrade() -> None:
    """Drop the tables of tasks, their files and their log lines."""
    for table in ("task_lines", "tasks", "task_chunks", "task_files"):
        op.drop_table(table)
