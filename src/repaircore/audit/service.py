"""Read the audit log."""

from collections.abc import Iterator, Sequence
from typing import Final

from attrs import frozen

from repaircore.audit.model import ALL_CHANGES, INSTALLATION, AuditCriteria, AuditFilter
from repaircore.audit.ports import AuditWork, OpenWork
from repaircore.kernel.audit import AuditEntry
from repaircore.kernel.callers import LOCAL, Caller, require_admin
from repaircore.kernel.emails import fold_email
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest, require_page
from repaircore.kernel.rules import FieldErrors

MOST_LISTED: Final = 1000
_BATCH: Final = 500


@frozen(kw_only=True)
class Audit:
    """Use cases for the audit log."""

    read: OpenWork

    def list_newest(
        self,
        wanted: AuditFilter = ALL_CHANGES,
        *,
        limit: int = 50,
        before_id: int | None = None,
        caller: Caller = LOCAL,
    ) -> Sequence[AuditEntry]:
        """List changes, newest first; ``before_id`` continues after the entry with that ID.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``limit``, which must be between 1 and 1000, and on ``who``, ``action`` and ``date_to``.
        """
        require_admin(caller)
        if not 1 <= limit <= MOST_LISTED:
            raise Invalid({"limit": [f"The limit field must be between 1 and {MOST_LISTED}."]})
        with self.read() as work:
            return work.audit.list_matching(_validated(work, wanted), limit=limit, before_id=before_id)

    def page(
        self, wanted: AuditFilter = ALL_CHANGES, *, request: PageRequest = FIRST_PAGE, caller: Caller = LOCAL
    ) -> Page[AuditEntry]:
        """Return a page of changes, newest first unless another order is requested.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``page``, ``per_page``, ``sort``, ``cursor``, ``who``, ``action`` and ``date_to``.
        """
        require_admin(caller)
        require_page(request.number, request.per_page)
        with self.read() as work:
            return work.audit.page(_validated(work, wanted), request)

    def list_each(self, wanted: AuditFilter = ALL_CHANGES, caller: Caller = LOCAL) -> Iterator[AuditEntry]:
        """Yield all changes, newest first, in short units of work that a slow consumer cannot hold open.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``who``, ``action`` and ``date_to``.
        """
        require_admin(caller)
        with self.read() as work:
            criteria = _validated(work, wanted)
        return self._each(criteria)

    def list_actions(self, caller: Caller = LOCAL) -> Sequence[str]:
        """List the actions that occur in the log, in alphabetical order.

        Raises:
            Forbidden: the caller is not an admin.
        """
        require_admin(caller)
        with self.read() as work:
            return work.audit.list_actions()

    def _each(self, criteria: AuditCriteria) -> Iterator[AuditEntry]:
        before_id: int | None = None
        while True:
            with self.read() as work:
                entries = work.audit.list_matching(criteria, limit=_BATCH, before_id=before_id)
            yield from entries
            if len(entries) < _BATCH:
                return
            before_id = entries[-1].id


def _validated(work: AuditWork, wanted: AuditFilter) -> AuditCriteria:
    """Return the validated filter; its author and action must exist.

    Raises:
        Invalid: on ``who``, ``action`` and ``date_to``.
    """
    errors: FieldErrors = {}
    who = fold_email(wanted.who or "")
    user_id = None if who in {"", INSTALLATION} else work.audit.find_author(who)
    if user_id is None and who not in {"", INSTALLATION}:
        errors["who"] = [
            f"There is no user with the e-mail {who}. For changes made at the command line, enter {INSTALLATION}."
        ]
    if wanted.action and wanted.action not in work.audit.list_actions():
        errors["action"] = [f"The audit log has no action {wanted.action}."]
    if wanted.date_from and wanted.date_to and wanted.date_to < wanted.date_from:
        errors["date_to"] = ["The last day must not be before the first day."]
    if errors:
        raise Invalid(errors)
    return AuditCriteria(
        by_installation=who == INSTALLATION,
        user_id=user_id,
        action=wanted.action or None,
        date_from=wanted.date_from,
        date_to=wanted.date_to,
    )
