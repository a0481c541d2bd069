"""The repair book: its problems, their descriptions, and the installation's own changes."""

from sqlalchemy import Column, ForeignKey, Text

from repaircore.adapters.sql.schema.metadata import PROSE, THINGS, Big, environment_check, table

problems = table(
    "problems",
    Column("id", Big, primary_key=True, autoincrement=False),
    Column("parent_id", Big, ForeignKey("problems.id"), index=True),
    Column("slug", Text, nullable=False, unique=True, info=THINGS),
    Column("name", Text, nullable=False, info=PROSE),
    Column("description", Text, nullable=False, info=PROSE),
    Column("book", Text, info=THINGS),  # JSON of the rest of the repair; NULL for a main category
)

descriptions = table(
    "descriptions",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("problem_id", Big, ForeignKey("problems.id"), primary_key=True, autoincrement=False),
    Column("edition", Text, nullable=False, info=THINGS),
    Column("text", Text, nullable=False, info=PROSE),
    Column("generated_by", Text, nullable=False, info=THINGS),
    Column("generated_at", Big, nullable=False),
    environment_check(),
)

book_changes = table(
    "book_changes",
    Column("slug", Text, primary_key=True, info=THINGS),
    Column("change", Text, nullable=False, info=PROSE),
    Column("changed_at", Big, nullable=False),
)
