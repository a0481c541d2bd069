"""Read the audit log."""

from collections.abc import Sequence
from typing import Final

from attrs import frozen

from repaircore.audit.ports import OpenWork
from repaircore.kernel.audit import AuditEntry
from repaircore.kernel.callers import LOCAL, Caller, require_admin
from repaircore.kernel.errors import Invalid

MOST_LISTED: Final = 1000


@frozen(kw_only=True)
class Audit:
    """The use cases of the audit log."""

    read: OpenWork

    def list_newest(
        self, *, limit: int = 50, before_id: int | None = None, caller: Caller = LOCAL
    ) -> Sequence[AuditEntry]:
        """List changes, newest first; ``before_id`` continues after the entry with that id.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``limit``, which must be between 1 and 1000.
        """
        require_admin(caller)
        if not 1 <= limit <= MOST_LISTED:
            raise Invalid({"limit": [f"The limit field must be between 1 and {MOST_LISTED}."]})
        with self.read() as work:
            return work.audit.list_newest(limit=limit, before_id=before_id)
