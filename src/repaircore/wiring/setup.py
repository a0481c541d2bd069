"""Wiring of what a server does before it becomes its master; it imports little, as the master imports the rest."""

import os
from typing import TYPE_CHECKING

from repaircore.accounts.first_admin import NewSetupLink, new_setup_link

if TYPE_CHECKING:
    from repaircore.core import Core


def setup_link(core: "Core") -> NewSetupLink | None:
    """Return a new link for the first admin; None on an installation that has one."""
    return None if core.storage.has_admin() else new_setup_link(random=os.urandom, now=core.clock())
