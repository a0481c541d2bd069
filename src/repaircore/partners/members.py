"""Members of partners: accounts with access to their partner's data in the console."""

from collections.abc import Collection, Mapping, Sequence
from datetime import timedelta

from attrs import frozen

from repaircore.kernel.callers import LOCAL, Caller, PartnerCaller, require_admin
from repaircore.kernel.emails import fold_email
from repaircore.kernel.errors import Invalid
from repaircore.kernel.types import Clock
from repaircore.partners.errors import MemberElsewhere, MemberNotFound, Suspended
from repaircore.partners.model import CreatedKey, Partner, PartnerMember
from repaircore.partners.ports import OpenWork
from repaircore.partners.service import Partners, get_partner


@frozen(kw_only=True)
class Members:
    """Use cases for members, and for the operators who manage them. The audit log records each change."""

    transaction: OpenWork
    read: OpenWork
    partners: Partners
    clock: Clock

    def add(self, name: str, email: str, operator: Caller = LOCAL) -> PartnerMember:
        """Make an account a member of a partner, and return the member; an existing member is returned unchanged.

        Raises:
            Forbidden: the operator is not an admin.
            PartnerNotFound: no partner has this name.
            Invalid: on ``email``: there is no such account.
            MemberElsewhere: the account is a member of another partner.
        """
        require_admin(operator)
        at = self.clock()
        with self.transaction() as work:
            partner, before = get_partner(work, name), email.strip()
            known = {each.user_id for each in work.partner_members.list_for(partner.id)}
            member = work.partner_members.add(partner.id, fold_email(email), at=at)
            if member is None:
                raise Invalid({"email": [f"There is no account with the e-mail {before}. Create it first."]})
            if member.partner_id != partner.id:
                raise MemberElsewhere(member.email)
            if member.user_id not in known:
                after = {"user_id": member.user_id}
                work.audit.add(
                    operator, "partner.add_member", f"partners/{partner.id}", before=None, after=after, at=at
                )
        return member

    def remove(self, name: str, email: str, operator: Caller = LOCAL) -> None:
        """Remove an account from a partner; its next request no longer has access.

        Raises:
            Forbidden: the operator is not an admin.
            PartnerNotFound: no partner has this name.
            MemberNotFound: the account is not a member of this partner.
        """
        require_admin(operator)
        with self.transaction() as work:
            partner, folded = get_partner(work, name), fold_email(email)
            found = [each for each in work.partner_members.list_for(partner.id) if each.email == folded]
            if not found or not work.partner_members.remove(partner.id, folded):
                raise MemberNotFound
            before = {"user_id": found[0].user_id}
            at, subject = self.clock(), f"partners/{partner.id}"
            work.audit.add(operator, "partner.remove_member", subject, before=before, after=None, at=at)

    def list_for(self, name: str, operator: Caller = LOCAL) -> Sequence[PartnerMember]:
        """List the members of a partner, sorted by e-mail address.

        Raises:
            Forbidden: the operator is not an admin.
            PartnerNotFound: no partner has this name.
        """
        require_admin(operator)
        with self.read() as work:
            return work.partner_members.list_for(get_partner(work, name).id)

    def list_by_partner(
        self, partners: Collection[Partner], operator: Caller = LOCAL
    ) -> Mapping[int, Sequence[PartnerMember]]:
        """Return the members of several partners by partner id, each list sorted by e-mail address.

        Raises:
            Forbidden: the operator is not an admin.
        """
        require_admin(operator)
        with self.read() as work:
            found = work.partner_members.list_for(*(partner.id for partner in partners))
        return {
            partner.id: [member for member in found if member.partner_id == partner.id]
            for partner in partners
        }

    def is_member(self, caller: Caller) -> bool:
        """Return whether the caller's account is a member of a partner."""
        if caller.user_id is None:
            return False
        with self.read() as work:
            return work.partner_members.find(caller.user_id) is not None

    def get(self, caller: Caller) -> tuple[Partner, PartnerCaller]:
        """Return the partner that the caller belongs to, and a ``PartnerCaller`` for it in the caller's environment.

        Raises:
            MemberNotFound: the caller's account is not a member of a partner.
            Suspended: the partner is suspended.
        """
        with self.read() as work:
            member = None if caller.user_id is None else work.partner_members.find(caller.user_id)
            partner = None if member is None else work.partners.find_by_id(member.partner_id)
        if partner is None:
            raise MemberNotFound
        if partner.suspended_at is not None:
            raise Suspended
        return partner, PartnerCaller(partner_id=partner.id, environment=caller.environment)

    def rotate_keys(
        self, caller: Caller, *, overlap: timedelta = timedelta(0), end_sessions: bool = False
    ) -> CreatedKey:
        """Replace the keys of the caller's partner in the caller's environment, as ``Partners.rotate_keys`` does.

        Raises:
            MemberNotFound: the caller's account is not a member of a partner.
            Suspended: the partner is suspended.
            NoKeys: the partner has no keys for this environment.
            Invalid: on ``overlap``.
        """
        partner, own = self.get(caller)
        return self.partners.replace_keys(
            partner.name, own.environment, caller, overlap=overlap, end_sessions=end_sessions
        )
