"""Start a management session."""

from datetime import datetime

from repaircore.accounts import tokens
from repaircore.accounts.devices import short_browser, short_network
from repaircore.accounts.model import SESSION_LIFETIME, NewSession, Session, User
from repaircore.accounts.ports import AccountsWork, RandomBytes
from repaircore.kernel.keys import digest


def start_session(
    work: AccountsWork,
    user: User,
    *,
    random: RandomBytes,
    now: datetime,
    address: str | None,
    user_agent: str,
) -> NewSession:
    """Add a session for the user and return it with its token. ``address`` and ``user_agent`` are the client's."""
    token = tokens.session_token(random(tokens.SESSION_BYTES))
    session = Session(
        token_hash=digest(token),
        user_id=user.id,
        created_at=now,
        expires_at=now + SESSION_LIFETIME,
        seen_at=now,
        browser=short_browser(user_agent),
        network=None if address is None else short_network(address),
    )
    work.sessions.add(session)
    return NewSession(user=user, session_token=token)
