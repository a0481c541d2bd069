"""Double-entry books: whose money it is, and what moved when a payment came from one state to another."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Final

from repaircore.kernel.money import Cents
from repaircore.payments.model import Account, Entry, EntryKind, Payment, PaymentState

_HOLDING: Final = {PaymentState.AUTHORIZED, PaymentState.CAPTURING, PaymentState.VOIDING}
_TAKEN: Final = {PaymentState.CAPTURED, PaymentState.REFUNDING, PaymentState.REFUNDED}
_KINDS: Final[Mapping[PaymentState, EntryKind]] = {
    PaymentState.AUTHORIZED: EntryKind.AUTHORIZE,
    PaymentState.VOIDING: EntryKind.AUTHORIZE,  # what turns out to be held, and is not wanted
    PaymentState.CAPTURED: EntryKind.CAPTURE,
    PaymentState.REFUNDED: EntryKind.REFUND,
    PaymentState.VOIDED: EntryKind.VOID,
}


def position(payment: Payment) -> Mapping[Account, Cents]:
    """Say what a payment has moved in all, by account; it sums to zero. Accounts that it left as they were are absent."""
    if payment.state in _HOLDING:
        return {Account.CUSTOMER: -payment.amount, Account.HELD: payment.amount}
    earned = payment.captured - payment.refunded
    if payment.state in _TAKEN and earned:
        return {Account.CUSTOMER: -earned, Account.PARTNER_REVENUE: earned}
    return {}


def entries(old: Payment | None, new: Payment, *, at: datetime) -> Sequence[Entry]:
    """Give the lines that lead from what ``old`` moved to what ``new`` moved; none when no money moves."""
    before: Mapping[Account, Cents] = {} if old is None else position(old)
    after = position(new)
    moved = {account: after.get(account, 0) - before.get(account, 0) for account in Account}
    return [
        Entry(payment_id=new.id, at=at, kind=_KINDS[new.state], account=account, cents=cents)
        for account, cents in moved.items()
        if cents
    ]


def balances(lines: Iterable[Entry]) -> Mapping[Account, Cents]:
    """Add lines up by account; accounts that come to nothing are absent."""
    sums = dict.fromkeys(Account, 0)
    for line in lines:
        sums[line.account] += line.cents
    return {account: cents for account, cents in sums.items() if cents}
