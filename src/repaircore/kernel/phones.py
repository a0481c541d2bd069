"""Phone numbers in E.164 form: ``+13105550123``."""

from typing import Final

_DEFAULT_COUNTRY: Final = "US"
"""The country of a number without a country code."""


def e164(text: str) -> str | None:
    """Return a phone number in E.164 form, or None if the text cannot be one.

    A number must have a length that its country uses. Its area code is not checked: lists of area codes go out of date,
    and a customer may have a new one. E.164 has no extensions, so a number with one is rejected.
    """
    # Slow to import, as it loads its tables; only the partner platform and the directory need it.
    import phonenumbers  # noqa: PLC0415

    try:
        number = phonenumbers.parse(text, _DEFAULT_COUNTRY)
    except phonenumbers.NumberParseException:
        return None
    if (
        number.extension
        or phonenumbers.is_possible_number_with_reason(number) != phonenumbers.ValidationResult.IS_POSSIBLE
    ):
        return None
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
