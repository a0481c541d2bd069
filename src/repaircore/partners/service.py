"""Manage partner accounts, for operators."""

from collections.abc import Collection, Mapping
from datetime import timedelta

from attrs import evolve, frozen

from repaircore.kernel.callers import LOCAL, Caller, Environment, require_admin
from repaircore.kernel.errors import Invalid
from repaircore.kernel.keys import KEY_BYTES, digest
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.rules import field_errors, require_valid
from repaircore.kernel.types import Clock
from repaircore.kernel.views import iso_utc
from repaircore.partners import rules
from repaircore.partners.errors import HasKeys, NoKeys, PartnerNotFound
from repaircore.partners.model import CreatedKey, CreatePartner, Partner
from repaircore.partners.ports import OpenWork, PartnersWork, RandomBytes

_LONGEST_OVERLAP = timedelta(days=30)


@frozen(kw_only=True)
class Partners:
    """Use cases for operators, who must be admins. The audit log records each change."""

    transaction: OpenWork
    read: OpenWork
    random: RandomBytes
    clock: Clock

    def create(self, name: str, environment: str, operator: Caller = LOCAL) -> CreatedKey:
        """Create a partner with keys for one environment, or add such keys to an existing partner.

        Raises:
            Forbidden: the operator is not an admin.
            Invalid: on ``name`` and ``environment``.
            HasKeys: the partner already has keys for this environment.
        """
        require_admin(operator)
        require_valid(CreatePartner(name=name, environment=environment))
        place = Environment(environment)
        with self.transaction() as work:
            partner = work.partners.find_or_add(name.strip(), at=self.clock())
            if partner.keys_of(place):
                raise HasKeys(partner.name, place)
            return self._add_key(work, partner, place, "partner.create", operator)

    def list_page(
        self,
        *,
        number: int = 1,
        per_page: int = PER_PAGE,
        search: str = "",
        sort: str = "",
        operator: Caller = LOCAL,
    ) -> Page[Partner]:
        """List a page of partners, with their keys, that have each word of ``search`` in their name or a public key.

        ``sort`` is ``created_at``, the default, or ``name``; a leading "-" reverses the order.

        Raises:
            Forbidden: the operator is not an admin.
            Invalid: on ``page``, ``per_page`` and ``sort``.
        """
        require_admin(operator)
        require_page(number, per_page)
        with self.read() as work:
            return work.partners.list_page(number=number, per_page=per_page, search=search, sort=sort)

    def list_names(self, partner_ids: Collection[int], operator: Caller = LOCAL) -> Mapping[int, str]:
        """Return the names of the given partners, by id.

        Raises:
            Forbidden: the operator is not an admin.
        """
        require_admin(operator)
        with self.read() as work:
            return work.partners.list_names(partner_ids)

    def suspend(self, name: str, operator: Caller = LOCAL) -> Partner:
        """Reject all further requests from a partner, even in open sessions.

        Raises:
            Forbidden: the operator is not an admin.
            PartnerNotFound: no partner has this name.
        """
        return self._set_suspended(name, operator, suspended=True)

    def resume(self, name: str, operator: Caller = LOCAL) -> Partner:
        """Accept requests from a suspended partner again.

        Raises:
            Forbidden: the operator is not an admin.
            PartnerNotFound: no partner has this name.
        """
        return self._set_suspended(name, operator, suspended=False)

    def rotate_keys(
        self,
        name: str,
        environment: str,
        operator: Caller = LOCAL,
        *,
        overlap: timedelta = timedelta(0),
        end_sessions: bool = False,
    ) -> CreatedKey:
        """Create new keys for a partner, and revoke the old ones after ``overlap``.

        ``end_sessions`` also ends the open sessions of the environment.

        Raises:
            Forbidden: the operator is not an admin.
            PartnerNotFound: no partner has this name.
            NoKeys: the partner has no keys for this environment.
            Invalid: on ``environment`` and ``overlap``.
        """
        require_admin(operator)
        return self.replace_keys(name, environment, operator, overlap=overlap, end_sessions=end_sessions)

    def replace_keys(
        self,
        name: str,
        environment: str,
        caller: Caller,
        *,
        overlap: timedelta = timedelta(0),
        end_sessions: bool = False,
    ) -> CreatedKey:
        """Rotate keys as ``rotate_keys`` does, for a caller who was already authorized."""
        errors = field_errors(CreatePartner, {"name": name, "environment": environment})
        if not timedelta(0) <= overlap <= _LONGEST_OVERLAP:
            errors["overlap"] = [f"The overlap must be between 0 and {_LONGEST_OVERLAP.days} days."]
        if errors:
            raise Invalid(errors)
        place = Environment(environment)
        with self.transaction() as work:
            partner = get_partner(work, name)
            if not partner.keys_of(place):
                raise NoKeys(partner.name, place)
            work.partner_keys.revoke(partner.id, place, at=self.clock() + overlap)
            if end_sessions:
                work.partner_keys.end_sessions(partner.id, place, at=self.clock())
            return self._add_key(work, get_partner(work, name), place, "partner.rotate_keys", caller)

    def _add_key(
        self, work: PartnersWork, partner: Partner, environment: Environment, action: str, operator: Caller
    ) -> CreatedKey:
        public = rules.public_key(environment, self.random(KEY_BYTES))
        secret = rules.secret_key(environment, self.random(KEY_BYTES))
        key = work.partner_keys.add(
            partner_id=partner.id,
            environment=environment,
            public_key=public,
            secret_hash=digest(secret),
            secret_last4=secret[-4:],
            at=self.clock(),
        )
        after = {"name": partner.name, "environment": environment.value, "public_key": public}
        work.audit.add(operator, action, f"partners/{partner.id}", before=None, after=after, at=self.clock())
        return CreatedKey(partner=evolve(partner, keys=(*partner.keys, key)), key=key, secret_key=secret)

    def _set_suspended(self, name: str, operator: Caller, *, suspended: bool) -> Partner:
        require_admin(operator)
        now = self.clock()
        with self.transaction() as work:
            partner = get_partner(work, name)
            if not work.partners.set_suspended(partner.id, now if suspended else None):
                return get_partner(work, name)
            since = partner.suspended_at
            work.audit.add(
                operator,
                "partner.suspend" if suspended else "partner.resume",
                f"partners/{partner.id}",
                before={"suspended_at": None if since is None else iso_utc(since)},
                after={"suspended_at": iso_utc(now) if suspended else None},
                at=now,
            )
        return evolve(partner, suspended_at=now if suspended else None)


def get_partner(work: PartnersWork, name: str) -> Partner:
    """Return the partner with this name.

    Raises:
        PartnerNotFound: no partner has this name.
    """
    partner = work.partners.find(name.strip())
    if partner is None:
        raise PartnerNotFound(name)
    return partner
