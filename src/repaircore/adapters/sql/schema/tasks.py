"""Tasks: long-running work in the background, with its files and its log."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, LargeBinary, Text

from repaircore.adapters.sql.schema.metadata import (
    PROSE,
    THINGS,
    Big,
    environment_check,
    row_id,
    table,
    where,
)

# Files are stored in the database, so that tasks may run on a different machine than the one that received the files.
task_files = table(
    "task_files",
    row_id(),
    Column("name", Text, nullable=False, info=PROSE),
    Column("media_type", Text, nullable=False, info=THINGS),
    Column("size", Big, nullable=False),
    Column("user_id", Big, index=True),  # NULL is the installation itself
    Column("created_at", Big, nullable=False),
)

task_chunks = table(
    "task_chunks",
    Column("file_id", Big, ForeignKey("task_files.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Big, primary_key=True),  # from 0
    Column("content", LargeBinary, nullable=False, info=PROSE),
)

tasks = table(
    "tasks",
    row_id(),
    Column("kind", Text, nullable=False, info=THINGS),
    # The account that it runs for.
    Column("user_id", Big),  # NULL is the installation itself
    Column("role", Text, nullable=False, info=THINGS),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("credential", Text, nullable=False, info=THINGS),
    Column("key_id", Big),
    Column("key_name", Text, info=PROSE),
    Column("title", Text, nullable=False, info=PROSE),
    Column("options", Text, nullable=False, info=PROSE),  # JSON
    Column("status", Text, nullable=False, info=THINGS),
    Column("phase", Text, info=THINGS),
    Column("done", Big, nullable=False),
    Column("total", Big),
    Column("percent", Big, nullable=False),
    Column("mark", Text, info=PROSE),  # JSON: what an interrupted run left for the next one
    Column("result", Text, info=PROSE),  # JSON
    Column("failure", Text, info=PROSE),
    Column("input_id", Big, ForeignKey("task_files.id", ondelete="SET NULL"), index=True),
    Column("output_id", Big, ForeignKey("task_files.id", ondelete="SET NULL"), index=True),
    Column("attempts", Big, nullable=False),
    Column("holder", Text, info=THINGS),  # the run that holds the lease: its process, "#" and a random id
    Column("held_until", Big),
    Column("due_at", Big, nullable=False),
    Column("cancelled_at", Big),  # when its cancellation was requested
    Column("created_at", Big, nullable=False),
    Column("started_at", Big),
    Column("finished_at", Big),
    environment_check(),
    CheckConstraint("status IN ('queued', 'running', 'succeeded', 'failed', 'cancelled')", name="status"),
    Index("ix_tasks_open", "id", **where("status IN ('queued', 'running')")),
    Index(None, "environment", "user_id", "id"),
    Index(None, "finished_at"),
)

task_lines = table(
    "task_lines",
    Column("task_id", Big, ForeignKey("tasks.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Big, primary_key=True),  # from 1
    Column("at", Big, nullable=False),
    Column("text", Text, nullable=False, info=PROSE),
)
