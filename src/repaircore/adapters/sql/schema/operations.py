"""Operations: the audit log, settings, imports, messages, timelines, job leases and processes, rate windows."""

from sqlalchemy import CheckConstraint, Column, Index, LargeBinary, Text

from repaircore.adapters.sql.schema.metadata import (
    PERSON,
    PROSE,
    THINGS,
    Big,
    environment_check,
    row_id,
    table,
    where,
)

# The progress of file imports, which resume where they stopped.
imports = table(
    "imports",
    row_id(),
    Column("kind", Text, nullable=False, info=THINGS),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("digest", Text, nullable=False, info=THINGS),  # of the file's contents
    Column("file", Text, nullable=False, info=PROSE),
    Column("read", Big, nullable=False),
    Column("added", Big, nullable=False),
    Column("known", Big, nullable=False),
    Column("updated", Big, nullable=False),
    Column("refused", Big, nullable=False),
    Column("started_at", Big, nullable=False),
    Column("finished_at", Big),
    environment_check(),
    Index(
        "uq_imports_unfinished", "kind", "environment", "digest", unique=True, **where("finished_at IS NULL")
    ),
)

audit = table(
    "audit",
    row_id(),
    Column("at", Big, nullable=False),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("user_id", Big),  # NULL is the installation itself
    Column("key_id", Big),
    Column("action", Text, nullable=False, info=THINGS),
    Column("subject", Text, nullable=False, info=PROSE),
    Column("before", Text, info=PROSE),  # JSON
    Column("after", Text, info=PROSE),
    environment_check(),
)

settings = table(
    "settings",
    Column("name", Text, primary_key=True, info=THINGS),
    Column("value", Text, nullable=False, info=PROSE),
)

# Pending messages, and those that ended recently.
messages = table(
    "messages",
    row_id(),
    Column("channel", Text, nullable=False, info=THINGS),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("recipient", Text, nullable=False, info=PERSON),
    Column("recipient_key", Text, nullable=False, index=True, info=PERSON),  # case-folded
    Column("subject", Text, nullable=False, info=PERSON),
    Column("body", Text, nullable=False, info=PERSON),
    Column("about", Text, nullable=False, index=True, info=THINGS),  # the record's reference
    Column("sealed", Text, info=THINGS),  # the secret that signs a webhook, encrypted
    Column("state", Text, nullable=False, info=THINGS),
    Column("attempts", Big, nullable=False),
    Column("due_at", Big, nullable=False),  # for a claimed message, the end of its lease
    Column("last_error", Text, info=PROSE),
    Column("created_at", Big, nullable=False),
    Column("ended_at", Big),
    Column("expires_at", Big),  # not sent after this, and without a body once it has ended
    environment_check(),
    CheckConstraint("channel IN ('email', 'sms', 'webhook')", name="channel"),
    CheckConstraint("state IN ('pending', 'sent', 'dead')", name="state"),
    Index("ix_messages_due", "channel", "due_at", **where("state = 'pending'")),
    Index("ix_messages_dead", "ended_at", **where("state = 'dead'")),
)

# The steps in the life of each record, by its reference.
timeline = table(
    "timeline",
    row_id(),
    Column("subject", Text, nullable=False, info=THINGS),
    Column("at", Big, nullable=False),
    Column("action", Text, nullable=False, info=THINGS),
    Column("before", Text, info=THINGS),
    Column("after", Text, nullable=False, info=THINGS),
    Column("actor", Text, nullable=False, info=THINGS),
    Column("detail", Text, info=PROSE),  # JSON
    Index(None, "subject", "id"),
)

# The leases and last runs of background jobs.
job_leases = table(
    "job_leases",
    Column("name", Text, primary_key=True, info=THINGS),
    Column("holder", Text, info=THINGS),  # the process that is running it, until ``held_until``
    Column("held_until", Big),
    Column("done_at", Big),
    Column("failure", Text, info=THINGS),
    Column("requested_at", Big),  # an operator wants it to run now
    Column("counts", Text, info=THINGS),  # JSON: what the last run did
)

# The processes that run jobs, removed by an orderly shutdown.
job_processes = table(
    "job_processes",
    Column("holder", Text, primary_key=True, info=THINGS),
    Column("started_at", Big, nullable=False),
    Column("seen_at", Big, nullable=False),
)

# Recent admissions, shared by all machines. UNLOGGED on PostgreSQL: what a crash loses expires within a minute anyway.
rate_windows = table(
    "rate_windows",
    Column("name", LargeBinary, primary_key=True, info=THINGS),  # a digest of the subject and the limit
    Column(
        "log", LargeBinary, nullable=False, info=THINGS
    ),  # nanoseconds since 1970, eight bytes each, the oldest first
    Column("over_at", Big, nullable=False, index=True),
)
