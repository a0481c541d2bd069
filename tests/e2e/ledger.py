"""Admins who write concurrently and record what was acknowledged, compared with the database afterwards."""

import random
from collections import Counter
from collections.abc import Callable, Collection
from contextlib import suppress
from typing import Any, Final, Self

import httpx
import sqlalchemy as sa
from attrs import Factory, define, frozen

from repaircore.adapters.sql.schema.accounts import users
from repaircore.adapters.sql.schema.operations import audit, settings
from repaircore.adapters.sql.schema.transactions import transactions

_ACTIONS: Final = {
    "create": "transaction.add",
    "change": "transaction.change",
    "delete": "transaction.remove",
    "adjust": "price_adjustment.set",
}
_WEIGHTED_KINDS: Final = (*["create"] * 4, *["change"] * 3, *["delete"] * 2, "adjust", "register")


_MAX_WRITERS: Final = 8


@frozen
class Unanswered:
    """A request without a response, which may or may not have been executed."""

    kind: str
    subject: Any = None


@define
class Acknowledged:
    """Everything acknowledged to one writer: invoices with their totals, and counts of its requests."""

    totals: dict[int, float] = Factory(dict)
    deleted: set[int] = Factory(set)
    emails: set[str] = Factory(set)
    done: Counter[str] = Factory(Counter)
    percent: float | None = None
    unanswered: Unanswered | None = None


class Writer:
    """An admin with an API key who sends one request after the other, about its own invoices."""

    def __init__(self, number: int, key: str, invoice: dict[str, Any]) -> None:
        self.acknowledged = Acknowledged()
        self._name = f"writer{number}"
        self._headers = {"Authorization": f"Bearer {key}"}
        self._invoice = invoice
        self._number = number
        self._sent = 0
        self._random = random.Random(number)  # noqa: S311 - no secret

    def work(self, client: httpx.Client, acknowledged: Callable[[], None]) -> None:
        """Write until the server stops."""
        with suppress(httpx.TransportError):
            while True:
                kind = self._random.choice(_WEIGHTED_KINDS)
                if self.acknowledged.totals or kind in {"create", "adjust", "register"}:
                    getattr(self, f"_{kind}")(client)
                    acknowledged()

    def _request(
        self, client: httpx.Client, unanswered: Unanswered, method: str, path: str, body: Any = None
    ) -> Any:
        self.acknowledged.unanswered = unanswered
        answer = client.request(method, f"/api/v1{path}", json=body, headers=self._headers)
        assert answer.status_code in {200, 201}, answer.text
        self.acknowledged.unanswered = None
        self.acknowledged.done[unanswered.kind] += 1
        return answer.json()["data"] if unanswered.kind in {"create", "change"} else None

    def _create(self, client: httpx.Client) -> None:
        body = {**self._invoice, "labor_hours": self._hours()}
        data = self._request(client, Unanswered("create"), "POST", "/admin/transactions", body)
        self.acknowledged.totals[data["id"]] = data["total"]

    def _change(self, client: httpx.Client) -> None:
        number = self._random.choice(sorted(self.acknowledged.totals))
        body = {"labor_hours": self._hours()}
        data = self._request(
            client, Unanswered("change", number), "PUT", f"/admin/transactions/{number}", body
        )
        self.acknowledged.totals[number] = data["total"]

    def _delete(self, client: httpx.Client) -> None:
        number = self._random.choice(sorted(self.acknowledged.totals))
        self._request(client, Unanswered("delete", number), "DELETE", f"/admin/transactions/{number}")
        del self.acknowledged.totals[number]
        self.acknowledged.deleted.add(number)

    def _adjust(self, client: httpx.Client) -> None:
        percent = round(self._random.uniform(-50, 50), 2)
        path = "/admin/settings/price-adjustment"
        self._request(client, Unanswered("adjust", percent), "PUT", path, {"percent": percent})
        self.acknowledged.percent = percent

    def _register(self, client: httpx.Client) -> None:
        email = f"{self._name}-{self._random.getrandbits(40)}@example.org"
        account = {"name": self._name, "email": email, "password": "correct horse"}
        self._request(client, Unanswered("register", email), "POST", "/auth/register", account)
        self.acknowledged.emails.add(email)

    def _hours(self) -> float:
        """Return hours not used before, because an update that changes nothing is not audited.

        They differ between writers: a writer may take over an invoice that another did not get a response for.
        """
        self._sent += 1
        return round(0.5 + (self._sent * _MAX_WRITERS + self._number) % 5000 / 100, 2)


@frozen(kw_only=True)
class StoredState:
    """The state of the database."""

    totals: dict[int, float]
    emails: set[str]
    audited: dict[str, int]
    percent: float

    @classmethod
    def read(cls, url: str) -> Self:
        engine = sa.create_engine(url)
        counts = sa.select(audit.c.action, sa.func.count().label("times")).group_by(audit.c.action)
        percent = sa.select(settings.c.value).where(settings.c.name == "price_adjustment")
        totals = sa.select(transactions.c.id, transactions.c.total)
        with engine.connect() as connection:
            found = cls(
                totals={row.id: row.total / 100 for row in connection.execute(totals)},
                emails=set(connection.execute(sa.select(users.c.email)).scalars()),
                audited={row.action: row.times for row in connection.execute(counts)},
                percent=float(connection.execute(percent).scalar() or 0),
            )
        engine.dispose()
        return found

    def differences(self, writers: Collection[Writer], before: Self) -> list[str]:
        """List what differs from the acknowledgements; unanswered requests may be executed or not, but not in part."""
        return [
            *(
                f"invoice {number}"
                for writer in writers
                for number in self._wrong_invoices(writer.acknowledged)
            ),
            *(f"user {email}" for writer in writers for email in writer.acknowledged.emails - self.emails),
            *self._unknown_invoices(writers),
            *self._unaudited(writers, before),
            *([] if self.percent in self._percents(writers, before) else ["price adjustment"]),
        ]

    def _wrong_invoices(self, acknowledged: Acknowledged) -> set[int]:
        maybe = {acknowledged.unanswered.subject} if acknowledged.unanswered is not None else set()
        changed = {
            number for number, total in acknowledged.totals.items() if self.totals.get(number) != total
        }
        return changed - maybe | acknowledged.deleted & self.totals.keys()

    def _unknown_invoices(self, writers: Collection[Writer]) -> list[str]:
        unknown = self.totals.keys() - {number for writer in writers for number in writer.acknowledged.totals}
        created = sum(writer.acknowledged.unanswered == Unanswered("create") for writer in writers)
        return [] if len(unknown) <= created else [f"{len(unknown)} unknown invoices"]

    def _unaudited(self, writers: Collection[Writer], before: Self) -> list[str]:
        wrong = []
        for kind, action in _ACTIONS.items():
            acknowledged = sum(writer.acknowledged.done[kind] for writer in writers)
            maybe = sum(
                writer.acknowledged.unanswered is not None and writer.acknowledged.unanswered.kind == kind
                for writer in writers
            )
            count = self.audited.get(action, 0) - before.audited.get(action, 0)
            if not acknowledged <= count <= acknowledged + maybe:
                wrong.append(f"{count} entries of {action} for {acknowledged} that were acknowledged")
        return wrong

    @staticmethod
    def _percents(writers: Collection[Writer], before: "StoredState") -> set[Any]:
        acknowledged = {
            writer.acknowledged.percent for writer in writers if writer.acknowledged.percent is not None
        }
        maybe = {
            writer.acknowledged.unanswered.subject
            for writer in writers
            if writer.acknowledged.unanswered is not None and writer.acknowledged.unanswered.kind == "adjust"
        }
        return (acknowledged or {before.percent}) | maybe

    def adopt(self, writers: Collection[Writer]) -> None:
        """Adopt the stored outcome of unanswered requests, so that the next round starts clean."""
        mine = [number for writer in writers for number in writer.acknowledged.totals]
        for writer in writers:
            acknowledged = writer.acknowledged
            totals = {number: self.totals[number] for number in acknowledged.totals if number in self.totals}
            deleted = acknowledged.deleted | acknowledged.totals.keys() - totals.keys()
            writer.acknowledged = Acknowledged(totals=totals, deleted=deleted, emails=acknowledged.emails)
        unknown = self.totals.keys() - set(mine)
        next(iter(writers)).acknowledged.totals |= {number: self.totals[number] for number in unknown}
