"""What can be wrong with a customer as a partner tells them, and the spelling that customers are kept and found in."""

from typing import Final

from repaircore.accounts import rules as accounts
from repaircore.customers.model import NewCustomer
from repaircore.kernel.phones import e164

__all__ = ["email_key", "faults", "settled"]

_LONGEST: Final = {"first_name": 255, "last_name": 255, "address": 500}
_LONGEST_PHONE: Final = 50
"""With all the spaces and dashes that people write; what is longer is not read at all."""


def email_key(email: str) -> str:
    """Give what two spellings of an e-mail have in common."""
    return accounts.fold(email)


def faults(**told: str | None) -> dict[str, list[str]]:
    """Name what is wrong with the fields that are given; the others are not judged."""
    wrong: dict[str, list[str]] = {}
    for field, text in told.items():
        texts = _faults(field, text)
        if texts:
            wrong[field] = texts
    return wrong


def settled(told: NewCustomer) -> NewCustomer:
    """Give what a partner tells, judged already, as it is kept."""
    return NewCustomer(
        first_name=told.first_name.strip(),
        last_name=told.last_name.strip(),
        email=told.email.strip(),
        phone=e164(told.phone) or told.phone,
        address=(told.address or "").strip() or None,
    )


def _faults(field: str, text: str | None) -> list[str]:
    if text is None:
        return []
    if field == "email":
        return accounts.faults(email=text).get("email", [])
    named = field.replace("_", " ")
    if field != "address" and not text.strip():
        return [f"The {named} field is required."]
    if field == "phone":
        possible = len(text) <= _LONGEST_PHONE and e164(text)
        return (
            []
            if possible
            else ["The phone field must be a phone number, with its country code outside the US."]
        )
    if len(text) > _LONGEST[field]:
        return [f"The {named} field must not be longer than {_LONGEST[field]} characters."]
    return []
