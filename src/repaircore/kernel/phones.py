"""Phone numbers in one spelling: E.164, as ``+13105550123``."""

from typing import Final

_HOME: Final = "US"
"""Where a number that names no country is dialed."""


def e164(text: str) -> str | None:
    """Give a phone number in one spelling; None for what cannot be one.

    It is judged by its country's lengths, not by which areas are in use: those lists age, and a customer with a new number
    is a customer. A number with an extension is none: E.164 has no place for it.
    """
    # It reads its tables when it is imported; nothing but the partner platform and the directory ever needs them.
    import phonenumbers  # noqa: PLC0415

    try:
        number = phonenumbers.parse(text, _HOME)
    except phonenumbers.NumberParseException:
        return None
    if (
        number.extension
        or phonenumbers.is_possible_number_with_reason(number) != phonenumbers.ValidationResult.IS_POSSIBLE
    ):
        return None
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
