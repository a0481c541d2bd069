"""Dispatch requests to providers, and provider keys, in the database."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import sqlalchemy as sa
from attrs import evolve
from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError
from typing_extensions import override

from repaircore.adapters.sql.engine.codec import RowCodec, changed, micros
from repaircore.adapters.sql.engine.dialects import translating_errors
from repaircore.adapters.sql.engine.pages import page_of
from repaircore.adapters.sql.schema.rides import ACTIVE_REQUESTS, dispatch_requests, provider_keys
from repaircore.dispatch.model import DispatchRequest, ProviderKey
from repaircore.dispatch.ports import ProviderKeyRecords, RequestRecords
from repaircore.kernel.callers import Environment, ProviderCaller
from repaircore.kernel.errors import Conflict
from repaircore.kernel.paging import Page

_request: Final = RowCodec(DispatchRequest)
_key: Final = RowCodec(ProviderKey)
_SELECT: Final = sa.select(dispatch_requests)


class SqlDispatchRequests(RequestRecords):
    """The stored dispatch requests to providers."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(self, requests: Sequence[DispatchRequest]) -> list[DispatchRequest]:
        return [self._add(request) for request in requests]

    def _add(self, request: DispatchRequest) -> DispatchRequest:
        insert = sa.insert(dispatch_requests).values(_values(request)).returning(dispatch_requests.c.id)
        with translating_errors():
            try:
                added = self._connection.execute(insert).scalar_one()
            except IntegrityError as error:
                raise Conflict("There is already an open request to this provider.") from error
        return evolve(request, id=added)

    @override
    def find(self, ref: str, caller: ProviderCaller) -> DispatchRequest | None:
        return self._first(_SELECT.where(dispatch_requests.c.ref == ref, *_owned_by(caller)))

    @override
    def find_by_token(self, token_hash: bytes) -> DispatchRequest | None:
        return self._first(_SELECT.where(dispatch_requests.c.token_hash == token_hash))

    @override
    def list_for(self, ride_ref: str) -> list[DispatchRequest]:
        query = _SELECT.where(dispatch_requests.c.ride_ref == ride_ref).order_by(dispatch_requests.c.id)
        return self._all(query)

    @override
    def list_active(self, *, after: int, limit: int) -> Sequence[DispatchRequest]:
        query = _SELECT.where(sa.text(f"status IN ({ACTIVE_REQUESTS})"), dispatch_requests.c.id > after)
        return self._all(query.order_by(dispatch_requests.c.id).limit(limit))

    @override
    def list_page(self, caller: ProviderCaller, *, number: int, per_page: int) -> Page[DispatchRequest]:
        where = _owned_by(caller)
        return page_of(
            self._connection,
            _SELECT.where(*where).order_by(dispatch_requests.c.id.desc()),
            _request.read,
            number=number,
            per_page=per_page,
            counted=sa.select(dispatch_requests.c.id).where(*where),
        )

    @override
    def replace(self, old: DispatchRequest, new: DispatchRequest) -> None:
        unchanged = (
            dispatch_requests.c.id == old.id,
            dispatch_requests.c.status == old.status,
            dispatch_requests.c.terms == old.terms,
        )
        values = {"status": new.status, **changed(_values(old), _values(new))}
        with translating_errors():
            result = self._connection.execute(sa.update(dispatch_requests).where(*unchanged).values(values))
        if result.rowcount != 1:
            raise Conflict("The request has already been answered.")

    def _first(self, query: "sa.Select[Any]") -> DispatchRequest | None:
        row = self._connection.execute(query).one_or_none()
        return None if row is None else _request.read(row)

    def _all(self, query: "sa.Select[Any]") -> list[DispatchRequest]:
        return [_request.read(row) for row in self._connection.execute(query)]


class SqlProviderKeys(ProviderKeyRecords):
    """The stored provider keys."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def add(
        self, provider_ref: str, environment: Environment, *, key_hash: bytes, last4: str, at: datetime
    ) -> ProviderKey:
        insert = sa.insert(provider_keys).values(
            provider_ref=provider_ref,
            environment=environment,
            key_hash=key_hash,
            last4=last4,
            created_at=micros(at),
        )
        return _key.read(self._connection.execute(insert.returning(provider_keys)).one())

    @override
    def find_owner(self, key_hash: bytes) -> ProviderCaller | None:
        query = sa.select(provider_keys.c.provider_ref, provider_keys.c.environment).where(
            provider_keys.c.key_hash == key_hash, provider_keys.c.revoked_at.is_(None)
        )
        row = self._connection.execute(query).one_or_none()
        if row is None:
            return None
        return ProviderCaller(provider_ref=row.provider_ref, environment=Environment(row.environment))

    @override
    def list_for(self, provider_ref: str, environment: Environment) -> Sequence[ProviderKey]:
        query = sa.select(provider_keys).where(*_keys_of(provider_ref, environment))
        return [_key.read(row) for row in self._connection.execute(query.order_by(provider_keys.c.id))]

    @override
    def revoke_all(self, provider_ref: str, environment: Environment, *, at: datetime) -> int:
        update = sa.update(provider_keys).where(
            *_keys_of(provider_ref, environment), provider_keys.c.revoked_at.is_(None)
        )
        return self._connection.execute(update.values(revoked_at=micros(at))).rowcount


def _owned_by(caller: ProviderCaller) -> list[sa.ColumnElement[bool]]:
    return [
        dispatch_requests.c.provider_ref == caller.provider_ref,
        dispatch_requests.c.environment == caller.environment,
    ]


def _keys_of(provider_ref: str, environment: Environment) -> list[sa.ColumnElement[bool]]:
    return [provider_keys.c.provider_ref == provider_ref, provider_keys.c.environment == environment]


def _values(request: DispatchRequest) -> dict[str, Any]:
    values = _request.write(request)
    del values["id"]
    return values
