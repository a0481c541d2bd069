"""Retention settings: how many days to keep records that accumulate with requests."""

from typing import Final

from attrs import frozen

from repaircore.setting_table import number, setting

_MOST: Final = 36_500
_DAYS: Final = number(int, 1, _MOST)


@frozen(kw_only=True)
class RetentionSettings:
    """How many days to keep each kind of record; None keeps it forever."""

    predictions: int | None = setting(
        _DAYS,
        variable="KEEP_PREDICTIONS_DAYS",
        help="days to keep predictions and forecasts; those with a rating or an invoice stay",
    )
    chats: int | None = setting(
        _DAYS, variable="KEEP_CHATS_DAYS", help="days to keep chats after their last message"
    )
    audit: int | None = setting(
        _DAYS, variable="KEEP_AUDIT_DAYS", help="days to keep entries of the audit log"
    )
    imports: int | None = setting(
        _DAYS, variable="KEEP_IMPORTS_DAYS", help="days to keep the record of a finished import"
    )
    provider_requests: int | None = setting(
        _DAYS,
        variable="KEEP_PROVIDER_REQUESTS_DAYS",
        help="days to keep requests to providers, with their links, after they end",
    )
    webhooks: int = setting(
        _DAYS,
        30,
        variable="KEEP_WEBHOOKS_DAYS",
        help="days to keep events, ended deliveries and attempts",
    )
    messages: int = setting(
        _DAYS,
        30,
        variable="KEEP_MESSAGES_DAYS",
        help="days to keep e-mails and text messages after they are sent or given up",
    )
    sessions: int = setting(
        number(int, 0, _MOST),
        1,
        variable="KEEP_SESSIONS_DAYS",
        help="days to keep management sessions after they end; ended sessions no longer work",
    )
    answers: int = setting(
        number(int, 0, _MOST),
        0,
        variable="KEEP_ANSWERS_DAYS",
        help="days to keep cached answers after they expire; expired ones are not returned",
    )
