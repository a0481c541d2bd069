"""The schema: a module of tables for each area, all in one ``METADATA``.

Importing any of them imports them all, so that ``METADATA`` is never missing a table.
"""

from repaircore.adapters.sql.schema import (  # noqa: F401 - for what they add to METADATA
    accounts,
    diagnosis,
    fleet,
    garage,
    invoice_drafts,
    invoice_files,
    learning,
    mechanics,
    operations,
    partners,
    payments,
    predictions,
    problems,
    proofs,
    quotes,
    recalls,
    rides,
    shops,
    tasks,
    transactions,
    vehicles,
    visits,
    webhooks,
)
