"""Double-entry bookkeeping: the entries for a payment's change of state."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from repaircore.kernel.money import Cents
from repaircore.payments.model import Account, Entry, EntryKind, Payment, PaymentState

_AUTHORIZED: Final = {PaymentState.AUTHORIZED, PaymentState.CAPTURING, PaymentState.VOIDING}
_CAPTURED: Final = {PaymentState.CAPTURED, PaymentState.REFUNDING, PaymentState.REFUNDED}
_KINDS: Final[Mapping[PaymentState, EntryKind]] = {
    PaymentState.AUTHORIZED: EntryKind.AUTHORIZE,
    PaymentState.VOIDING: EntryKind.AUTHORIZE,  # an authorization at the gateway that is not needed
    PaymentState.CAPTURED: EntryKind.CAPTURE,
    PaymentState.REFUNDED: EntryKind.REFUND,
    PaymentState.VOIDED: EntryKind.VOID,
}


def position(payment: Payment) -> Mapping[Account, Cents]:
    """Return the balance of each account from one payment; they sum to zero. Zero balances are left out."""
    if payment.state in _AUTHORIZED:
        return {Account.CUSTOMER: -payment.amount, Account.HELD: payment.amount}
    earned = payment.captured - payment.refunded
    if payment.state in _CAPTURED and earned:
        return {Account.CUSTOMER: -earned, Account.PARTNER_REVENUE: earned}
    return {}


def entries_between(old: Payment | None, new: Payment, *, at: datetime) -> Sequence[Entry]:
    """Return the entries that lead from the position of ``old`` to that of ``new``; an empty list if no money moves."""
    before: Mapping[Account, Cents] = {} if old is None else position(old)
    after = position(new)
    moved = {account: after.get(account, 0) - before.get(account, 0) for account in Account}
    return [
        Entry(payment_id=new.id, at=at, kind=_KINDS[new.state], account=account, cents=cents)
        for account, cents in moved.items()
        if cents
    ]


def balances(entries: Iterable[Entry]) -> Mapping[Account, Cents]:
    """Return the balance of each account; zero balances are left out."""
    sums = dict.fromkeys(Account, 0)
    for entry in entries:
        sums[entry.account] += entry.cents
    return {account: cents for account, cents in sums.items() if cents}
