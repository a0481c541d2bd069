"""What operators do with partner accounts."""

from collections.abc import Sequence
from datetime import timedelta

from attrs import evolve, frozen

from repaircore.kernel.callers import LOCAL, Caller, Environment, require_admin
from repaircore.kernel.errors import Invalid
from repaircore.kernel.keys import KEY_BYTES, digest
from repaircore.kernel.types import Clock
from repaircore.kernel.views import iso_utc
from repaircore.partners import rules
from repaircore.partners.errors import HasKeys, NoKeys, PartnerNotFound
from repaircore.partners.model import NewPartnerKey, Partner
from repaircore.partners.ports import OpenWork, PartnersWork, RandomBytes

_LONGEST_OVERLAP = timedelta(days=30)


@frozen(kw_only=True)
class Partners:
    """The use cases of operators, who are admins; each change is written to the audit log."""

    transaction: OpenWork
    read: OpenWork
    random: RandomBytes
    clock: Clock

    def create(self, name: str, environment: str, operator: Caller = LOCAL) -> NewPartnerKey:
        """Make a partner account, or open one that there is in another environment; its secret is shown this once.

        Raises:
            Forbidden: the operator is not an admin.
            Invalid: on ``name`` and ``environment``.
            HasKeys: the partner has keys of this environment already.
        """
        require_admin(operator)
        faults = rules.validate(name=name, environment=environment)
        if faults:
            raise Invalid(faults)
        where = Environment(environment)
        with self.transaction() as work:
            partner = work.partners.add_or_find(name.strip(), at=self.clock())
            if partner.keys_of(where):
                raise HasKeys(partner.name, where)
            return self._with_new_key(work, partner, where, "partner.create", operator)

    def all(self, operator: Caller = LOCAL) -> Sequence[Partner]:
        """List every partner with its keys, by id.

        Raises:
            Forbidden: the operator is not an admin.
        """
        require_admin(operator)
        with self.read() as work:
            return work.partners.all()

    def suspend(self, name: str, operator: Caller = LOCAL) -> Partner:
        """Turn a partner away from the next request on, sessions that are open included.

        Raises:
            Forbidden: the operator is not an admin.
            PartnerNotFound: there is none with this name.
        """
        return self._set_suspended(name, operator, suspended=True)

    def resume(self, name: str, operator: Caller = LOCAL) -> Partner:
        """Let a suspended partner in again.

        Raises:
            Forbidden: the operator is not an admin.
            PartnerNotFound: there is none with this name.
        """
        return self._set_suspended(name, operator, suspended=False)

    def rotate_keys(
        self,
        name: str,
        environment: str,
        operator: Caller = LOCAL,
        *,
        overlap: timedelta = timedelta(0),
    ) -> NewPartnerKey:
        """Give a partner another pair of keys; those that it had open sessions for as long as ``overlap``.

        Sessions that are open go on to their end.

        Raises:
            Forbidden: the operator is not an admin.
            PartnerNotFound: there is none with this name.
            NoKeys: the partner was never created in this environment.
            Invalid: on ``environment`` and ``overlap``.
        """
        require_admin(operator)
        faults = rules.validate(name=name, environment=environment)
        if not timedelta(0) <= overlap <= _LONGEST_OVERLAP:
            faults["overlap"] = [f"The overlap must be from 0 to {_LONGEST_OVERLAP.days} days."]
        if faults:
            raise Invalid(faults)
        where = Environment(environment)
        with self.transaction() as work:
            partner = _known(work, name)
            if not partner.keys_of(where):
                raise NoKeys(partner.name, where)
            work.partner_keys.revoke(partner.id, where, at=self.clock() + overlap)
            return self._with_new_key(work, _known(work, name), where, "partner.rotate_keys", operator)

    def _with_new_key(
        self, work: PartnersWork, partner: Partner, where: Environment, action: str, operator: Caller
    ) -> NewPartnerKey:
        public = rules.public_key(where, self.random(KEY_BYTES))
        secret = rules.secret_key(where, self.random(KEY_BYTES))
        key = work.partner_keys.add(
            partner_id=partner.id,
            environment=where,
            public_key=public,
            secret_hash=digest(secret),
            secret_last4=secret[-4:],
            at=self.clock(),
        )
        after = {"name": partner.name, "environment": where.value, "public_key": public}
        work.audit.add(operator, action, f"partners/{partner.id}", before=None, after=after, at=self.clock())
        return NewPartnerKey(partner=evolve(partner, keys=(*partner.keys, key)), key=key, secret_key=secret)

    def _set_suspended(self, name: str, operator: Caller, *, suspended: bool) -> Partner:
        require_admin(operator)
        now = self.clock()
        with self.transaction() as work:
            partner = _known(work, name)
            if not work.partners.set_suspended(partner.id, now if suspended else None):
                return _known(work, name)
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


def _known(work: PartnersWork, name: str) -> Partner:
    partner = work.partners.by_name(name.strip())
    if partner is None:
        raise PartnerNotFound(name)
    return partner
