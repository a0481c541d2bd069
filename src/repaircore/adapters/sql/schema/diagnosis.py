"""Chats, the questionnaire, and diagnosis cases."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, Text

from repaircore.adapters.sql.schema.metadata import (
    PERSON,
    PROSE,
    THINGS,
    Big,
    Real,
    environment_check,
    row_id,
    table,
    where,
)

chat_sessions = table(
    "chat_sessions",
    row_id(),
    Column("session_id", Text, nullable=False, unique=True, info=PERSON),
    Column("owner_id", Big, nullable=False),  # the user's id; 0 is the installation itself
    Column("environment", Text, nullable=False, info=THINGS),
    Column("email", Text, info=PERSON),
    Column("status", Text, nullable=False, info=THINGS),  # idle chats expire without an update
    Column("step", Integer, nullable=False),
    Column("messages", Integer, nullable=False),
    Column("vin", Text, info=PERSON),
    Column("vehicle_id", Text, ForeignKey("vehicles.id", ondelete="SET NULL"), index=True, info=THINGS),
    Column("evidence", Text, nullable=False, info=PERSON),  # JSON
    Column("question", Text, info=PERSON),  # JSON of the pending question
    Column("diagnosis", Text, info=PERSON),  # JSON
    Column("started_at", Big, nullable=False),
    Column("active_at", Big, nullable=False),
    Column("version", Big, nullable=False),
    environment_check(),
    CheckConstraint("status IN ('awaiting_answer', 'diagnosed', 'reset')", name="status"),
    Index(None, "environment", "id"),
    Index(None, "environment", "owner_id", "id"),
    # The quota reads when a user's n-th latest chat was started.
    Index(None, "environment", "owner_id", "started_at"),
    Index("ix_chat_sessions_of_email", "environment", "email", "id", **where("email IS NOT NULL")),
)

chat_messages = table(
    "chat_messages",
    Column(
        "chat_id",
        Big,
        ForeignKey("chat_sessions.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("role", Text, nullable=False, info=THINGS),
    Column("kind", Text, nullable=False, info=THINGS),
    Column("text", Text, nullable=False, info=PERSON),
    Column("detail", Text, info=PERSON),  # JSON: options, repairs, interpretations, image details
    Column("created_at", Big, nullable=False),
    CheckConstraint("role IN ('user', 'assistant')", name="role"),
)

questionnaire_categories = table(
    "questionnaire_categories",
    Column("id", Big, primary_key=True, autoincrement=False),
    Column("slug", Text, nullable=False, info=THINGS),
    Column("name", Text, nullable=False, info=PROSE),
    Column("description", Text, nullable=False, info=PROSE),
    Column("icon", Text, nullable=False, info=THINGS),
    Column("position", Integer, nullable=False),
    Column("active", Integer, nullable=False),
    CheckConstraint("active IN (0, 1)", name="active"),
    # A retired category does not reserve its slug.
    Index("ix_questionnaire_categories_of_slug", "slug", unique=True, **where("active = 1")),
)

questions = table(
    "questions",
    Column("id", Big, primary_key=True, autoincrement=False),
    Column("category_id", Big, ForeignKey("questionnaire_categories.id"), nullable=False),
    Column("text", Text, nullable=False, info=PROSE),
    Column("answer_type", Text, nullable=False, info=THINGS),
    Column("options", Text, nullable=False, info=PROSE),  # JSON: the answers and their meanings
    Column("position", Integer, nullable=False),
    Column("active", Integer, nullable=False),
    CheckConstraint("active IN (0, 1)", name="active"),
    CheckConstraint("answer_type IN ('single_choice', 'yes_no')", name="answer_type"),
    Index(None, "category_id", "position"),
)

submissions = table(
    "submissions",
    row_id(),
    Column("reference", Text, nullable=False, unique=True, info=PERSON),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("user_id", Big),  # NULL: without an account
    # Questions and answers as they were shown: later editions of the questionnaire do not change them.
    Column("category_slug", Text, nullable=False, info=THINGS),
    Column("category_name", Text, nullable=False, info=THINGS),
    Column("vehicle_id", Text, info=PERSON),
    Column("vehicle_info", Text, info=PERSON),
    Column("answers", Text, nullable=False, info=PERSON),  # JSON
    Column("additional_notes", Text, info=PERSON),
    Column("outcome", Text, nullable=False, info=PERSON),  # JSON
    Column("created_at", Big, nullable=False),
    environment_check(),
    Index(None, "category_slug", "id"),
)

diagnosis_cases = table(
    "diagnosis_cases",
    row_id(),
    Column("reference", Text, nullable=False, unique=True, info=PERSON),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("owner_id", Big),  # the user's id; 0 is the installation itself; NULL: without an account
    Column("source", Text, nullable=False, info=THINGS),
    Column("text", Text, nullable=False, info=PERSON),
    Column("car", Big),  # as in transactions; NULL: without a VIN
    Column("suggested", Text, nullable=False, info=THINGS),  # JSON: slugs of repairs
    Column("confidence", Real, nullable=False),
    Column("repair", Text, info=THINGS),  # the slug of the actual repair; NULL: not known yet
    Column("confirmed_by", Text, info=THINGS),
    Column("created_at", Big, nullable=False),
    Column("confirmed_at", Big),
    environment_check(),
    CheckConstraint("source IN ('diagnosis', 'chat', 'questionnaire')", name="source"),
    CheckConstraint("confirmed_by IN ('operator', 'invoice')", name="confirmed_by"),
    Index("ix_diagnosis_cases_confirmed", "environment", "id", **where("repair IS NOT NULL")),
    Index("ix_diagnosis_cases_waiting", "created_at", **where("repair IS NULL")),
)
