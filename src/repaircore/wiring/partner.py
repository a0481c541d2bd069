"""Wiring of partners: their accounts, sessions and customers."""

import os
from typing import TYPE_CHECKING

from repaircore.adapters.crypto.installation import derived
from repaircore.adapters.crypto.session_tokens import JwtSessionTokens
from repaircore.adapters.sql.partners import SqlPartnerStatuses
from repaircore.customers.service import Customers
from repaircore.partners.members import Members
from repaircore.partners.service import Partners
from repaircore.partners.sessions import PartnerSessions

if TYPE_CHECKING:
    from repaircore.core import Core


def partners(core: "Core") -> Partners:
    """Wire partner accounts as operators manage them."""
    return Partners(
        transaction=core.storage.transaction, read=core.storage.read, random=os.urandom, clock=core.clock
    )


def partner_members(core: "Core") -> Members:
    """Wire the members of partner accounts."""
    return Members(
        transaction=core.storage.transaction,
        read=core.storage.read,
        partners=core.partners,
        clock=core.clock,
    )


def partner_sessions(core: "Core") -> PartnerSessions:
    """Wire partner sessions."""
    signing_keys = [key.encode() for key in core.settings.partner_signing_keys]
    derived_key = derived(core.secret, "partner sessions")
    return PartnerSessions(
        read=core.storage.read,
        tokens=JwtSessionTokens(signing_keys or [derived_key], former=derived_key),
        statuses=SqlPartnerStatuses(core.storage.driver),
        new_id=core.new_id,
        clock=core.clock,
    )


def customers(core: "Core") -> Customers:
    """Wire partners' customers."""
    return Customers(
        transaction=core.storage.transaction,
        read=core.storage.read,
        new_id=core.new_id,
        clock=core.clock,
    )
