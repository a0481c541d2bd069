"""Links from operators, as the command line shows them."""

from datetime import datetime
from typing import Self

from repaircore.kernel.views import view
from repaircore.passwords.model import NewLink


@view
class PasswordLinkView:
    """A link for a user to set a password; it works once."""

    user_id: int
    email: str
    url: str
    expires_at: datetime

    @classmethod
    def of(cls, new: NewLink) -> Self:
        """Return the view of a new link."""
        return cls(user_id=new.user.id, email=new.user.email, url=new.url, expires_at=new.expires_at)
