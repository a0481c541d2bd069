"""Manage subscriptions on behalf of partners and accounts."""

from datetime import datetime

from attrs import evolve, frozen

from repaircore.json_text import plain
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Invalid
from repaircore.kernel.events import Event
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest, require_page
from repaircore.kernel.references import Kind, is_reference, reference
from repaircore.kernel.rules import FieldErrors, require_valid, sentence
from repaircore.kernel.types import Clock, NewId
from repaircore.webhooks import event_types, targets
from repaircore.webhooks.errors import (
    EventNotFound,
    SubscriptionDisabled,
    SubscriptionNotFound,
    TooManySubscriptions,
)
from repaircore.webhooks.model import (
    MOST_SUBSCRIPTIONS,
    SECRET_OVERLAP,
    AccountSubscriber,
    CreateAccountSubscription,
    CreateSubscription,
    Delivery,
    ReplayEvents,
    ReplayResult,
    Subscriber,
    Subscription,
    SubscriptionHealth,
    SubscriptionWithSecret,
    UpdateSubscription,
)
from repaircore.webhooks.ports import OpenWork, RandomBytes, SecretVault, WebhooksWork
from repaircore.webhooks.signing import SECRET_BYTES, encode_secret
from repaircore.webhooks.views import SubscriptionView


@frozen(kw_only=True)
class Webhooks:
    """Use cases for the webhook subscriptions of partners and accounts."""

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
        is_trusted: bool = True,
        url: str | None = None,
        **_others: object,
    ) -> FieldErrors:
        """Return the errors in a URL for an environment; ``is_trusted`` is as in ``AccountSubscriber``."""
        error = None if url is None else targets.url_error(url, environment, is_trusted=is_trusted)
        return {} if error is None else {"url": [sentence("url", error)]}

    def list_page(self, caller: Subscriber, *, request: PageRequest = FIRST_PAGE) -> Page[Subscription]:
        """Return a page of the caller's subscriptions, newest first unless another order is requested.

        Raises:
            Invalid: on ``page``, ``per_page``, ``sort`` and ``cursor``.
        """
        require_page(request.number, request.per_page)
        with self.read() as work:
            return work.subscriptions.list_page(caller, request)

    def create(
        self, data: CreateSubscription | CreateAccountSubscription, caller: Subscriber
    ) -> SubscriptionWithSecret:
        """Create a subscription, and the secret that signs its deliveries.

        Raises:
            Invalid: with every bad field.
            TooManySubscriptions: the caller has reached the limit.
        """
        self._require_valid(data, caller)
        now, secret = self.clock(), encode_secret(self.random(SECRET_BYTES))
        created = Subscription(
            ref=reference(Kind.WEBHOOK, self.new_id()),
            partner_id=None if isinstance(caller, AccountSubscriber) else caller.partner_id,
            user_id=caller.user_id if isinstance(caller, AccountSubscriber) else None,
            environment=caller.environment,
            url=data.url,
            events=event_types.normalize(data.events),
            description=data.description or None,
            active=not isinstance(data, CreateSubscription) or data.active,
            sealed=self.vault.seal(secret),
            created_at=now,
            updated_at=now,
        )
        with self.transaction() as work:
            if work.subscriptions.count_locked(caller) >= MOST_SUBSCRIPTIONS:
                raise TooManySubscriptions
            return SubscriptionWithSecret(subscription=work.subscriptions.add(created), secret=secret)

    def update(self, ref: str, data: UpdateSubscription, caller: PartnerCaller) -> SubscriptionWithSecret:
        """Update the given fields; activating a subscription or changing its URL clears its failures.

        A new secret signs immediately; for a day, the previous one also signs.

        Raises:
            SubscriptionNotFound: the caller has no such subscription.
            Invalid: with every bad field.
            Conflict: another request changed it at the same time.
        """
        with self.read() as work:
            old = _get(work, ref, caller)
        self._require_valid(data, caller)
        secret = encode_secret(self.random(SECRET_BYTES)) if data.rotate_secret else None
        new = self._updated(old, data, secret)
        with self.transaction() as work:
            return SubscriptionWithSecret(subscription=work.subscriptions.replace(old, new), secret=secret)

    def delete(self, ref: str, caller: Subscriber) -> Subscription:
        """Delete a subscription and its deliveries, and return it.

        Raises:
            SubscriptionNotFound: the caller has no such subscription.
        """
        with self.transaction() as work:
            subscription = _get(work, ref, caller)
            work.subscriptions.delete(subscription)
        return subscription

    def get(self, ref: str, caller: Subscriber) -> Subscription:
        """Return a subscription.

        Raises:
            SubscriptionNotFound: the caller has no such subscription.
        """
        with self.read() as work:
            return _get(work, ref, caller)

    def count(self, caller: Subscriber) -> int:
        """Return how many subscriptions the caller has."""
        with self.read() as work:
            return work.subscriptions.count(caller)

    def replay(self, ref: str, data: ReplayEvents, caller: Subscriber) -> ReplayResult:
        """Deliver events again to the caller's subscription, with the same ids: one event, or those of a period.

        Raises:
            SubscriptionNotFound: the caller has no such subscription.
            SubscriptionDisabled: the subscription no longer receives events.
            EventNotFound: the caller has no such event, or it was pruned.
            Invalid: on ``event``, ``since`` and ``until``.
        """
        now = self.clock()
        _require_replayable(data, now)
        with self.transaction() as work:
            subscription = _get_active(work, ref, caller)
            if data.event is None:
                return work.deliveries.replay_between(
                    data.since or now,
                    data.until or now,
                    at=now,
                    subscription=subscription,
                    undelivered=data.undelivered,
                )
            replayed = work.deliveries.replay_to(data.event, subscription, at=now)
            if replayed is None:
                raise EventNotFound
            return replayed

    def list_deliveries(
        self, ref: str, caller: Subscriber, *, request: PageRequest = FIRST_PAGE
    ) -> Page[Delivery]:
        """Return a page of a subscription's deliveries, newest first unless another order is requested.

        Raises:
            Invalid: on ``page``, ``per_page``, ``sort`` and ``cursor``.
            SubscriptionNotFound: the caller has no such subscription.
        """
        require_page(request.number, request.per_page)
        with self.read() as work:
            return work.deliveries.list_page(_get(work, ref, caller), request)

    def enqueue_test(self, ref: str, caller: Subscriber) -> str:
        """Store a ``webhook.test`` event for a subscription, to be delivered like any other event, and return its id.

        The subscription need not list the type.

        Raises:
            SubscriptionDisabled: the subscription no longer receives events.
            SubscriptionNotFound: the caller has no such subscription.
        """
        with self.transaction() as work:
            subscription = _get_active(work, ref, caller)
            event = webhook_test(subscription, self.new_id, self.clock())
            work.deliveries.enqueue_test(event, subscription)
        return event.id

    def _require_valid(
        self, data: CreateSubscription | CreateAccountSubscription | UpdateSubscription, caller: Subscriber
    ) -> None:
        require_valid(data)
        is_trusted = isinstance(caller, PartnerCaller) or caller.is_trusted
        errors = self.validate(caller.environment, is_trusted=is_trusted, url=data.url)
        if errors:
            raise Invalid(errors)

    def _updated(self, old: Subscription, data: UpdateSubscription, secret: str | None) -> Subscription:
        now = self.clock()
        new = evolve(
            old,
            url=old.url if data.url is None else data.url,
            events=old.events if data.events is None else event_types.normalize(data.events),
            description=old.description if data.description is None else data.description or None,
            active=old.active if data.active is None else data.active,
            updated_at=now,
        )
        if new.active and (not old.active or new.url != old.url):
            health = SubscriptionHealth(at=old.health.at, status=old.health.status)
            new = evolve(new, health=health, disabled_reason=None)
        if secret is not None:
            new = evolve(
                new,
                sealed=self.vault.seal(secret),
                previous_sealed=old.sealed,
                previous_until=now + SECRET_OVERLAP,
            )
        return new


def _require_replayable(data: ReplayEvents, now: datetime) -> None:
    errors: dict[str, list[str]] = {}
    if (data.event is None) == (data.since is None):
        errors["event"] = ["Send either the event field or the since field."]
    if data.event is not None and not is_reference(Kind.EVENT, data.event):
        errors["event"] = ["The event field must be the id of an event, evt_…."]
    if data.since is not None and (data.until or now) <= data.since:
        errors["until"] = ["The until field must be after the since field."]
    if errors:
        raise Invalid(errors)


def webhook_test(subscription: Subscription, new_id: NewId, at: datetime) -> Event:
    """Return the event that tests a subscription."""
    return Event(
        id=reference(Kind.EVENT, new_id()),
        type=event_types.TEST,
        partner_id=subscription.partner_id,
        user_id=subscription.user_id,
        environment=subscription.environment,
        subject=subscription.ref,
        data=plain(SubscriptionView.of(subscription)),
        created_at=at,
    )


def _get_active(work: WebhooksWork, ref: str, caller: Subscriber) -> Subscription:
    subscription = _get(work, ref, caller)
    if not subscription.active:
        raise SubscriptionDisabled(
            subscription.disabled_reason, can_be_updated=isinstance(caller, PartnerCaller)
        )
    return subscription


def _get(work: WebhooksWork, ref: str, caller: Subscriber) -> Subscription:
    found = work.subscriptions.find(ref, caller) if is_reference(Kind.WEBHOOK, ref) else None
    if found is None:
        raise SubscriptionNotFound
    return found
