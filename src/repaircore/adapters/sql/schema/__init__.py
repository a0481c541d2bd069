"""The schema: a module of tables for each area, all in one ``METADATA``.

Importing any of them imports them all, so that ``METADATA`` is never without a table.
"""

from repaircore.adapters.sql.schema import (  # noqa: F401 - for what they add to METADATA
    accounts,
    diagnosis,
    fleet,
    invoice_files,
    learning,
    mechanics,
    operations,
    partners,
    payments,
    predictions,
    problems,
    quotes,
    recalls,
    rides,
    shops,
    transactions,
    vehicles,
    visits,
    webhooks,
)
