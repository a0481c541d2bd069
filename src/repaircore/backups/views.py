"""Backup manifests, as clients see them."""

from collections.abc import Mapping
from datetime import datetime
from typing import Self

from repaircore.backups.model import Manifest, TableChecksum
from repaircore.kernel.views import view


@view
class ManifestView:
    """The manifest of a backup."""

    format: str
    format_version: int
    version: str
    revision: str
    book_edition: str | None
    created_at: datetime
    rows: int
    tables: Mapping[str, TableChecksum]
    counters: Mapping[str, int]

    @classmethod
    def of(cls, manifest: Manifest) -> Self:
        """Return the view of a manifest."""
        return cls(
            format=manifest.format,
            format_version=manifest.format_version,
            version=manifest.version,
            revision=manifest.revision,
            book_edition=manifest.edition,
            created_at=manifest.created_at,
            rows=manifest.rows,
            tables={table.shape.name: table.weight for table in manifest.tables},
            counters=manifest.counters,
        )
