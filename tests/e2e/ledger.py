"""Admins who write all at once and remember what was acknowledged, and what the database says afterwards."""

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
_LIKELY: Final = (*["create"] * 4, *["change"] * 3, *["delete"] * 2, "adjust", "register")


_APART: Final = 8  # as many writers at most


@frozen
class Doubt:
    """Requests without a response: they may or may not have been done."""

    kind: str
    subject: Any = None


@define
class Books:
    """What was acknowledged to one writer: invoices with their totals, and how often it did what."""

    kept: dict[int, float] = Factory(dict)
    removed: set[int] = Factory(set)
    emails: set[str] = Factory(set)
    done: Counter[str] = Factory(Counter)
    percent: float | None = None
    doubt: Doubt | None = None


class Writer:
    """An admin with an API key who does one thing after the other, on invoices of its own."""

    def __init__(self, number: int, key: str, invoice: dict[str, Any]) -> None:
        self.books = Books()
        self._name = f"writer{number}"
        self._headers = {"Authorization": f"Bearer {key}"}
        self._invoice = invoice
        self._number = number
        self._sent = 0
        self._random = random.Random(number)  # noqa: S311 - no secret

    def work(self, client: httpx.Client, acknowledged: Callable[[], None]) -> None:
        """Write until the server is gone."""
        with suppress(httpx.TransportError):
            while True:
                kind = self._random.choice(_LIKELY)
                if self.books.kept or kind in {"create", "adjust", "register"}:
                    getattr(self, f"_{kind}")(client)
                    acknowledged()

    def _ask(self, client: httpx.Client, doubt: Doubt, method: str, path: str, body: Any = None) -> Any:
        self.books.doubt = doubt
        answer = client.request(method, f"/api/v1{path}", json=body, headers=self._headers)
        assert answer.status_code in {200, 201}, answer.text
        self.books.doubt = None
        self.books.done[doubt.kind] += 1
        return answer.json()["data"] if doubt.kind in {"create", "change"} else None

    def _create(self, client: httpx.Client) -> None:
        body = {**self._invoice, "labor_hours": self._hours()}
        made = self._ask(client, Doubt("create"), "POST", "/admin/transactions", body)
        self.books.kept[made["id"]] = made["total"]

    def _change(self, client: httpx.Client) -> None:
        number = self._random.choice(sorted(self.books.kept))
        body = {"labor_hours": self._hours()}
        made = self._ask(client, Doubt("change", number), "PUT", f"/admin/transactions/{number}", body)
        self.books.kept[number] = made["total"]

    def _delete(self, client: httpx.Client) -> None:
        number = self._random.choice(sorted(self.books.kept))
        self._ask(client, Doubt("delete", number), "DELETE", f"/admin/transactions/{number}")
        del self.books.kept[number]
        self.books.removed.add(number)

    def _adjust(self, client: httpx.Client) -> None:
        percent = round(self._random.uniform(-50, 50), 2)
        path = "/admin/settings/price-adjustment"
        self._ask(client, Doubt("adjust", percent), "PUT", path, {"percent": percent})
        self.books.percent = percent

    def _register(self, client: httpx.Client) -> None:
        email = f"{self._name}-{self._random.getrandbits(40)}@example.org"
        account = {"name": self._name, "email": email, "password": "correct horse"}
        self._ask(client, Doubt("register", email), "POST", "/auth/register", account)
        self.books.emails.add(email)

    def _hours(self) -> float:
        """Return hours that were not used before, because an update that changes nothing is not audited.

        Those of another writer are others: one may take over the invoice that another was in doubt of.
        """
        self._sent += 1
        return round(0.5 + (self._sent * _APART + self._number) % 5000 / 100, 2)


@frozen(kw_only=True)
class Found:
    """What the database says."""

    totals: dict[int, float]
    emails: set[str]
    audited: dict[str, int]
    percent: float

    @classmethod
    def by(cls, url: str) -> Self:
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

    def lacks(self, writers: Collection[Writer], before: Self) -> list[str]:
        """Say what of it is not as it was acknowledged; what is in doubt may be done or not, but not in part."""
        return [
            *(f"invoice {number}" for writer in writers for number in self._wrong(writer.books)),
            *(f"user {email}" for writer in writers for email in writer.books.emails - self.emails),
            *self._strange(writers),
            *self._unaudited(writers, before),
            *([] if self.percent in self._percents(writers, before) else ["price adjustment"]),
        ]

    def _wrong(self, books: Books) -> set[int]:
        doubted = {books.doubt.subject} if books.doubt is not None else set()
        changed = {number for number, total in books.kept.items() if self.totals.get(number) != total}
        return changed - doubted | books.removed & self.totals.keys()

    def _strange(self, writers: Collection[Writer]) -> list[str]:
        strange = self.totals.keys() - {number for writer in writers for number in writer.books.kept}
        created = sum(writer.books.doubt == Doubt("create") for writer in writers)
        return [] if len(strange) <= created else [f"{len(strange)} invoices that nobody knows"]

    def _unaudited(self, writers: Collection[Writer], before: Self) -> list[str]:
        wrong = []
        for kind, action in _ACTIONS.items():
            acknowledged = sum(writer.books.done[kind] for writer in writers)
            doubted = sum(
                writer.books.doubt is not None and writer.books.doubt.kind == kind for writer in writers
            )
            count = self.audited.get(action, 0) - before.audited.get(action, 0)
            if not acknowledged <= count <= acknowledged + doubted:
                wrong.append(f"{count} entries of {action} for {acknowledged} that were acknowledged")
        return wrong

    @staticmethod
    def _percents(writers: Collection[Writer], before: "Found") -> set[Any]:
        acknowledged = {writer.books.percent for writer in writers if writer.books.percent is not None}
        doubted = {
            writer.books.doubt.subject
            for writer in writers
            if writer.books.doubt is not None and writer.books.doubt.kind == "adjust"
        }
        return (acknowledged or {before.percent}) | doubted

    def settle(self, writers: Collection[Writer]) -> None:
        """Take what was in doubt over as it turned out, so that the next round begins in the clear."""
        mine = [number for writer in writers for number in writer.books.kept]
        for writer in writers:
            books = writer.books
            kept = {number: self.totals[number] for number in books.kept if number in self.totals}
            gone = books.removed | books.kept.keys() - kept.keys()
            writer.books = Books(kept=kept, removed=gone, emails=books.emails)
        strange = self.totals.keys() - set(mine)
        next(iter(writers)).books.kept |= {number: self.totals[number] for number in strange}
