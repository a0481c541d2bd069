"""List, lock and unlock users, for operators."""

from attrs import evolve, frozen

from repaircore.accounts.admins import lock_admins_and_find, require_other_admin
from repaircore.accounts.errors import UserNotFound
from repaircore.accounts.model import ALL_USERS, User, UserFilter, UserSummary
from repaircore.accounts.ports import AccountsWork, OpenWork
from repaircore.kernel.callers import LOCAL, Caller, require_admin, require_operator
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest, require_page
from repaircore.kernel.types import Clock


@frozen(kw_only=True)
class UserAdministration:
    """Use cases for operators who manage other users' accounts."""

    transaction: OpenWork
    read: OpenWork
    clock: Clock

    def page(
        self,
        wanted: UserFilter = ALL_USERS,
        *,
        request: PageRequest = FIRST_PAGE,
        caller: Caller = LOCAL,
    ) -> Page[UserSummary]:
        """Return a page of users, each with the number of their API keys and open sessions.

        Raises:
            Forbidden: the caller is not an admin.
            Invalid: on ``page``, ``per_page``, ``sort`` and ``cursor``.
        """
        require_admin(caller)
        require_page(request.number, request.per_page)
        with self.read() as work:
            return work.users.page(wanted, request, now=self.clock())

    def get(self, user_id: int, caller: Caller = LOCAL) -> UserSummary:
        """Return a user, with the number of their API keys and open sessions.

        Raises:
            Forbidden: the caller is not an admin.
            UserNotFound: there is no such user.
        """
        require_admin(caller)
        with self.read() as work:
            found = work.users.summarize(user_id, now=self.clock())
        if found is None:
            raise UserNotFound
        return found

    def lock(self, email: str, caller: Caller = LOCAL) -> User:
        """Lock an account: end its sessions and password reset link, disable its keys and reject logins.

        Raises:
            Forbidden: the caller is not an admin of the live environment.
            UserNotFound: no user has this e-mail.
            OwnAccount: an admin would lock their own account.
            LastAdmin: no admin who can log in would remain. The command line is exempt from both of these.
        """
        require_operator(caller)
        with self.transaction() as work:
            user, now = lock_admins_and_find(work, email), self.clock()
            if user.is_locked:
                return user
            require_other_admin(work, user, caller)
            work.users.set_locked(user.id, now)
            work.sessions.delete_for_user(user.id)
            self._record(work, caller, "user.lock", user, locked=True)
        return evolve(user, locked_at=now)

    def unlock(self, email: str, caller: Caller = LOCAL) -> User:
        """Unlock an account: its keys work again, and its user can log in with the same password.

        Raises:
            Forbidden: the caller is not an admin of the live environment.
            UserNotFound: no user has this e-mail.
        """
        require_operator(caller)
        with self.transaction() as work:
            user = lock_admins_and_find(work, email)
            if user.is_locked:
                work.users.set_locked(user.id, None)
                self._record(work, caller, "user.unlock", user, locked=False)
        return evolve(user, locked_at=None)

    def _record(self, work: AccountsWork, caller: Caller, action: str, user: User, *, locked: bool) -> None:
        before, after = {"locked": not locked}, {"locked": locked}
        work.audit.add(caller, action, f"users/{user.id}", before=before, after=after, at=self.clock())
