"""Subscribing to what happens, as partners do."""

from collections.abc import Sequence
from typing import Final

from attrs import evolve, frozen

from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.references import Kind, is_reference, reference
from repaircore.kernel.types import Clock, NewId
from repaircore.webhooks import event_types, targets
from repaircore.webhooks.errors import NoSubscription, TooManySubscriptions
from repaircore.webhooks.model import (
    MOST_SUBSCRIPTIONS,
    OVERLAP,
    Subscription,
    SubscriptionHealth,
    SubscriptionWithSecret,
)
from repaircore.webhooks.ports import OpenWork, RandomBytes, SecretVault, WebhooksWork
from repaircore.webhooks.signing import SECRET_BYTES, secret_of

LONGEST_DESCRIPTION: Final = 255


@frozen(kw_only=True)
class NewSubscription:
    """What a partner tells of a subscription that is to be made."""

    url: str
    events: Sequence[str]
    description: str | None = None
    active: bool = True


@frozen(kw_only=True)
class SubscriptionChange:
    """What is to change: None is left as it is; a description is taken away by an empty one."""

    url: str | None = None
    events: Sequence[str] | None = None
    description: str | None = None
    active: bool | None = None
    rotate_secret: bool = False


@frozen(kw_only=True)
class Webhooks:
    """The use cases of a partner."""

    transaction: OpenWork
    read: OpenWork
    vault: SecretVault
    random: RandomBytes
    new_id: NewId
    clock: Clock

    def validate(
        self,
        environment: Environment,
        *,
        url: str | None = None,
        events: Sequence[str] | None = None,
        description: str | None = None,
        **_: object,
    ) -> dict[str, list[str]]:
        """Name what is wrong with fields; those that are None are not judged."""
        told: dict[str, list[str]] = {}
        wrong = None if url is None else targets.fault_of(url, environment)
        if wrong is not None:
            told["url"] = [f"The url field {wrong}."]
        if events is not None:
            told |= _wrong_events(events)
        if description is not None and len(description) > LONGEST_DESCRIPTION:
            told["description"] = [
                f"The description field must not be greater than {LONGEST_DESCRIPTION} characters."
            ]
        return told

    def page(self, caller: PartnerCaller, *, number: int = 1, per_page: int = PER_PAGE) -> Page[Subscription]:
        """List the caller's subscriptions, the newest first.

        Raises:
            Invalid: on ``page`` and ``per_page``.
        """
        require_page(number, per_page)
        with self.read() as work:
            return work.subscriptions.page(caller, number=number, per_page=per_page)

    def create(self, told: NewSubscription, caller: PartnerCaller) -> SubscriptionWithSecret:
        """Subscribe, and make the secret that deliveries are signed with.

        Raises:
            Invalid: with every bad field.
            TooManySubscriptions: the caller has as many as it may have.
        """
        wrong = self.validate(
            caller.environment, url=told.url, events=told.events, description=told.description
        )
        if wrong:
            raise Invalid(wrong)
        now, secret = self.clock(), secret_of(self.random(SECRET_BYTES))
        made = Subscription(
            ref=reference(Kind.WEBHOOK, self.new_id()),
            partner_id=caller.partner_id,
            environment=caller.environment,
            url=told.url,
            events=event_types.settled(told.events),
            description=told.description or None,
            active=told.active,
            sealed=self.vault.seal(secret),
            created_at=now,
            updated_at=now,
        )
        with self.transaction() as work:
            if work.subscriptions.count(caller) >= MOST_SUBSCRIPTIONS:
                raise TooManySubscriptions
            return SubscriptionWithSecret(subscription=work.subscriptions.add(made), secret=secret)

    def change(self, ref: str, told: SubscriptionChange, caller: PartnerCaller) -> SubscriptionWithSecret:
        """Change a subscription. One that is active again, or leads elsewhere, begins without failures.

        A new secret signs at once; the one before signs beside it for a day.

        Raises:
            NoSubscription: the caller has no such one.
            Invalid: with every bad field.
            Conflict: somebody else changed it at the same moment.
        """
        with self.read() as work:
            old = _of(work, ref, caller)
        wrong = self.validate(
            caller.environment, url=told.url, events=told.events, description=told.description
        )
        if wrong:
            raise Invalid(wrong)
        secret = secret_of(self.random(SECRET_BYTES)) if told.rotate_secret else None
        new = self._changed(old, told, secret)
        with self.transaction() as work:
            return SubscriptionWithSecret(subscription=work.subscriptions.replace(old, new), secret=secret)

    def remove(self, ref: str, caller: PartnerCaller) -> Subscription:
        """Unsubscribe: what was not delivered yet never will be.

        Raises:
            NoSubscription: the caller has no such one.
        """
        with self.transaction() as work:
            gone = _of(work, ref, caller)
            work.subscriptions.remove(gone)
        return gone

    def _changed(self, old: Subscription, told: SubscriptionChange, secret: str | None) -> Subscription:
        now = self.clock()
        new = evolve(
            old,
            url=old.url if told.url is None else told.url,
            events=old.events if told.events is None else event_types.settled(told.events),
            description=old.description if told.description is None else told.description or None,
            active=old.active if told.active is None else told.active,
            updated_at=now,
        )
        if new.active and (not old.active or new.url != old.url):
            standing = SubscriptionHealth(at=old.standing.at, status=old.standing.status)
            new = evolve(new, standing=standing, disabled_reason=None)
        if secret is not None:
            new = evolve(
                new,
                sealed=self.vault.seal(secret),
                previous_sealed=old.sealed,
                previous_until=now + OVERLAP,
            )
        return new


def _of(work: WebhooksWork, ref: str, caller: PartnerCaller) -> Subscription:
    found = work.subscriptions.by_ref(ref, caller) if is_reference(Kind.WEBHOOK, ref) else None
    if found is None:
        raise NoSubscription
    return found


def _wrong_events(events: Sequence[str]) -> dict[str, list[str]]:
    if not events:
        return {"events": ['The events field must name an event, or be ["*"].']}
    return {
        f"events.{place}": [f"The events.{place} field names no event: {name[:64]}."]
        for place, name in event_types.unknown(events)
    }
