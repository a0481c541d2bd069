"""Rebuild the catalog when the installed VIN data is newer than the catalog."""

from attrs import frozen

from repaircore.catalog.ports import VinData
from repaircore.kernel.types import Clock


@frozen(kw_only=True)
class RebuildResult:
    """The result of a rebuild. ``month`` is that of the installed data; ``was`` is that of the previous catalog.

    ``models`` is None if nothing was built, because the catalog was already from that month.
    """

    month: str
    was: str
    models: int | None


@frozen(kw_only=True)
class CatalogRebuild:
    """Rebuilds the catalog from the installed VIN data."""

    data: VinData
    clock: Clock

    @property
    def month(self) -> str:
        """Return the month of the installed VIN data, such as "2026-10"."""
        return self.data.month()

    @property
    def catalog_month(self) -> str:
        """Return the month of the VIN data that the catalog was built from."""
        return self.data.catalog_month()

    def run(self, *, force: bool = False) -> RebuildResult:
        """Build the catalog if the data is newer or if ``force`` is set.

        This takes minutes. Running servers use the new catalog after their next start.

        Raises:
            Unavailable: the catalog's file cannot be written.
        """
        was, month = self.data.catalog_month(), self.data.month()
        models = self.data.build(latest=self.clock().year + 1) if force or month > was else None
        return RebuildResult(month=month, was=was, models=models)
