"""Exports and erasures of personal data, as clients see them."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Self

from repaircore.kernel.views import view
from repaircore.persons.model import Erasure, Export, Record


@view
class ExportView:
    """A person's data: their own rows by table, and mentions of them in other rows."""

    email: str
    exported_at: datetime
    kept: Mapping[str, Sequence[Record]]
    mentions: Sequence[Record]

    @classmethod
    def of(cls, export: Export) -> Self:
        """Return the view of an export."""
        return cls(
            email=export.email, exported_at=export.exported_at, kept=export.own, mentions=export.mentions
        )


@view
class ErasureView:
    """The result of an erasure: rows removed and changed by table, and traces found afterward."""

    removed: Mapping[str, int]
    changed: Mapping[str, int]
    vins: int
    traces: Sequence[str]
    dry_run: bool

    @classmethod
    def of(cls, erasure: Erasure, *, dry_run: bool) -> Self:
        """Return the view of an erasure."""
        return cls(
            removed=erasure.removed,
            changed=erasure.changed,
            vins=erasure.vins,
            traces=erasure.traces,
            dry_run=dry_run,
        )
