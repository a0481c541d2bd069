"""What can be wrong with a customer as a partner tells them, and the spelling that customers are kept and found in."""

from typing import Final
from unicodedata import category

from repaircore.customers.model import NewCustomer
from repaircore.kernel.emails import email_errors, fold_email
from repaircore.kernel.phones import e164

_LONGEST: Final = {"first_name": 255, "last_name": 255, "address": 500}
_BREAKS: Final = frozenset({"Cc", "Zl", "Zp"})
"""Control characters and ends of lines: a name with them could add lines of its own to the mails that greet by it."""
_LAYOUT: Final = frozenset("\n\r\t")
"""What addresses are written in several lines with."""
_LONGEST_PHONE: Final = 50
"""With all the spaces and dashes that people write; what is longer is not read at all."""


def email_key(email: str) -> str:
    """Give what two spellings of an e-mail have in common."""
    return fold_email(email)


def validate(**told: str | None) -> dict[str, list[str]]:
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
        return email_errors(text).get("email", [])
    if field == "phone":
        return _validate_phone(text)
    fault = _text_fault(field, text)
    return [] if fault is None else [f"The {field.replace('_', ' ')} field {fault}."]


def _validate_phone(text: str) -> list[str]:
    if not text.strip():
        return ["The phone field is required."]
    possible = len(text) <= _LONGEST_PHONE and e164(text)
    return (
        [] if possible else ["The phone field must be a phone number, with its country code outside the US."]
    )


def _text_fault(field: str, text: str) -> str | None:
    allowed = _LAYOUT if field == "address" else frozenset[str]()
    if field != "address" and not text.strip():
        return "is required"
    if len(text) > _LONGEST[field]:
        return f"must not be longer than {_LONGEST[field]} characters"
    if any(category(char) in _BREAKS and char not in allowed for char in text.strip()):
        return "must not hold control characters"
    return None
