"""Rebuild the catalog when the installed VIN data is newer than the catalog."""

from attrs import frozen

from repaircore.catalog.ports import VinData
from repaircore.kernel.types import Clock


@frozen(kw_only=True)
class RebuildResult:
    """The result of a rebuild. ``models`` is None when nothing was built, because the catalog is already from that month."""

    month: str
    was: str
    models: int | None


@frozen(kw_only=True)
class CatalogRebuild:
    """The use case of rebuilding the catalog."""

    data: VinData
    clock: Clock

    @property
    def month(self) -> str:
        """Return the month of the installed VIN data: "2026-10"."""
        return self.data.month()

    @property
    def catalog_month(self) -> str:
        """Return the month of the VIN data that the catalog was built from."""
        return self.data.catalog_month()

    def run(self, *, force: bool = False) -> RebuildResult:
        """Build the catalog if the data is newer, or with ``force``.

        It takes minutes; running servers use it after their next start.

        Raises:
            Unavailable: the file cannot be written.
        """
        was, month = self.data.catalog_month(), self.data.month()
        models = self.data.build(latest=self.clock().year + 1) if force or month > was else None
        return RebuildResult(month=month, was=was, models=models)
