"""Wiring of the setup link, which a server creates before it becomes the master process and imports the rest."""

import os
from typing import TYPE_CHECKING

from repaircore.accounts.first_admin import NewSetupLink, new_setup_link

if TYPE_CHECKING:
    from repaircore.core import Core


def setup_link(core: "Core") -> NewSetupLink | None:
    """Return a new setup link for the first admin, or None if the installation already has an admin."""
    return None if core.storage.has_admin() else new_setup_link(random=os.urandom, now=core.clock())
