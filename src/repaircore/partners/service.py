"""Manage partner accounts, as operators do."""

from collections.abc import Sequence
from datetime import timedelta

from attrs import evolve, frozen

from repaircore.kernel.callers import LOCAL, Caller, Environment, require_admin
from repaircore.kernel.errors import Invalid
from repaircore.kernel.keys import KEY_BYTES, digest
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
    """The use cases of operators, who are admins. The audit log records each change."""

    transaction: OpenWork
    read: OpenWork
    random: RandomBytes
    clock: Clock

    def create(self, name: str, environment: str, operator: Caller = LOCAL) -> CreatedKey:
        """Create a partner with keys of one environment, or add such keys to an existing partner.

        Raises:
            Forbidden: the operator is not an admin.
            Invalid: on ``name`` and ``environment``.
            HasKeys: the partner already has keys of this environment.
        """
        require_admin(operator)
        require_valid(CreatePartner(name=name, environment=environment))
        place = Environment(environment)
        with self.transaction() as work:
            partner = work.partners.find_or_add(name.strip(), at=self.clock())
            if partner.keys_of(place):
                raise HasKeys(partner.name, place)
            return self._add_key(work, partner, place, "partner.create", operator)

    def list_all(self, operator: Caller = LOCAL) -> Sequence[Partner]:
        """List every partner with its keys, by id.

        Raises:
            Forbidden: the operator is not an admin.
        """
        require_admin(operator)
        with self.read() as work:
            return work.partners.list_all()

    def suspend(self, name: str, operator: Caller = LOCAL) -> Partner:
        """Reject a partner's requests from the next one on, those of open sessions included.

        Raises:
            Forbidden: the operator is not an admin.
            PartnerNotFound: there is none with this name.
        """
        return self._set_suspended(name, operator, suspended=True)

    def resume(self, name: str, operator: Caller = LOCAL) -> Partner:
        """Accept a suspended partner's requests again.

        Raises:
            Forbidden: the operator is not an admin.
            PartnerNotFound: there is none with this name.
        """
        return self._set_suspended(name, operator, suspended=False)

    def rotate_keys(
        self, name: str, environment: str, operator: Caller = LOCAL, *, overlap: timedelta = timedelta(0)
    ) -> CreatedKey:
        """Create new keys for a partner, and revoke the old ones after ``overlap``; open sessions are not ended.

        Raises:
            Forbidden: the operator is not an admin.
            PartnerNotFound: there is none with this name.
            NoKeys: the partner has no keys of this environment.
            Invalid: on ``environment`` and ``overlap``.
        """
        require_admin(operator)
        errors = field_errors(CreatePartner, {"name": name, "environment": environment})
        if not timedelta(0) <= overlap <= _LONGEST_OVERLAP:
            errors["overlap"] = [f"The overlap must be from 0 to {_LONGEST_OVERLAP.days} days."]
        if errors:
            raise Invalid(errors)
        place = Environment(environment)
        with self.transaction() as work:
            partner = _get(work, name)
            if not partner.keys_of(place):
                raise NoKeys(partner.name, place)
            work.partner_keys.revoke(partner.id, place, at=self.clock() + overlap)
            return self._add_key(work, _get(work, name), place, "partner.rotate_keys", operator)

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
            partner = _get(work, name)
            if not work.partners.set_suspended(partner.id, now if suspended else None):
                return _get(work, name)
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


def _get(work: PartnersWork, name: str) -> Partner:
    partner = work.partners.find(name.strip())
    if partner is None:
        raise PartnerNotFound(name)
    return partner
