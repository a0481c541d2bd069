"""The settings of retention: how many days to keep records that grow with requests."""

from typing import Final

from attrs import frozen

from repaircore.setting_table import number, setting

_MOST: Final = 36_500
_DAYS: Final = number(int, 1, _MOST)


@frozen(kw_only=True)
class RetentionSettings:
    """How many days records are kept; None keeps them forever."""

    predictions: int | None = setting(
        _DAYS,
        variable="KEEP_PREDICTIONS_DAYS",
        help="days that predictions and forecasts are kept; those with a rating or an invoice stay",
    )
    chats: int | None = setting(
        _DAYS, variable="KEEP_CHATS_DAYS", help="days that chats are kept after their last message"
    )
    audit: int | None = setting(
        _DAYS, variable="KEEP_AUDIT_DAYS", help="days that entries of the audit log are kept"
    )
    imports: int | None = setting(
        _DAYS, variable="KEEP_IMPORTS_DAYS", help="days that the record of a finished import is kept"
    )
    provider_requests: int | None = setting(
        _DAYS,
        variable="KEEP_PROVIDER_REQUESTS_DAYS",
        help="days that requests to providers, with their links, are kept once they have ended",
    )
    webhooks: int = setting(
        _DAYS,
        30,
        variable="KEEP_WEBHOOKS_DAYS",
        help="days that events, ended deliveries and attempts are kept",
    )
    messages: int = setting(
        _DAYS,
        30,
        variable="KEEP_MESSAGES_DAYS",
        help="days that e-mails and text messages are kept after they were sent or given up",
    )
    sessions: int = setting(
        number(int, 0, _MOST),
        1,
        variable="KEEP_SESSIONS_DAYS",
        help="days that management sessions are kept after they end; they no longer work",
    )
    answers: int = setting(
        number(int, 0, _MOST),
        0,
        variable="KEEP_ANSWERS_DAYS",
        help="days that cached answers are kept after they expire; expired ones are not returned",
    )
