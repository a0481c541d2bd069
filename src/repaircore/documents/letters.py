"""E-mails about estimates: to customers with the link, and to shops with the answers."""

from collections.abc import Sequence
from typing import Final

from repaircore.documents.wording import DECISIONS
from repaircore.kernel.callers import Environment
from repaircore.kernel.wording import money
from repaircore.messages.model import Channel, NewMessage
from repaircore.shops.model import Shop
from repaircore.visits.model import Choice, Decision, Visit

_UNNAMED_SHOP: Final = "your repair shop"


def estimate_mail(visit: Visit, shop: Shop | None, recipient: str, link: str) -> NewMessage:
    """Return the e-mail that sends an estimate to the customer."""
    sender = shop.name if shop is not None else _UNNAMED_SHOP
    until = visit.valid_until
    greeting = f"Hello {visit.customer.name}," if visit.customer.name else "Hello,"
    contact = [] if shop is None else [line for line in (shop.phone, shop.email) if line]
    lines = (
        greeting,
        "",
        f"Here is the estimate from {sender} for your {visit.estimate.vehicle.display_name}:",
        "",
        link,
        "",
        f"Total:       {money(visit.estimate.totals.total)}",
        f"Valid until: {until:%B} {until.day}, {until.year}",
        "",
        "On that page you can approve or decline each line, or ask a question. You do not need an account.",
        "Anyone with the link can do this, so do not pass it on.",
        *(["", f"Questions? {' or '.join(contact)}"] if contact else []),
        "",
        f"You are receiving this e-mail because {sender} sent you an estimate. To stop these e-mails, let them know.",
        "",
    )
    return NewMessage(
        channel=Channel.EMAIL,
        environment=Environment.LIVE,
        recipient=recipient,
        subject=f"Your estimate from {sender}",
        body="\n".join(lines),
        about=visit.number,
    )


def answers_mail(
    visit: Visit, decisions: Sequence[tuple[int, Decision]], recipient: str, address: str
) -> NewMessage:
    """Return the e-mail that tells the shop about a customer's answers; ``address`` is the URL of the visit's page."""
    titles = {line.id: line.name for line in visit.lines}
    (_, first), *_ = decisions
    lines = (
        f"{first.name} answered estimate {visit.number} ({visit.estimate.vehicle.display_name}):",
        "",
        *(_answer_line(titles[line_id], decision) for line_id, decision in decisions),
        "",
        address,
        "",
        "You are receiving these e-mails because this is your shop's address. To stop them, clear it on your shop's page.",
        "",
    )
    return NewMessage(
        channel=Channel.EMAIL,
        environment=Environment.LIVE,
        recipient=recipient,
        subject=f"{first.name} answered estimate {visit.number}",
        body="\n".join(lines),
        about=visit.number,
    )


def _answer_line(title: str, decision: Decision) -> str:
    if decision.choice is Choice.ASKED:
        return f"{DECISIONS[decision.choice]}: {title} - {' '.join((decision.note or '').split())}"
    return f"{DECISIONS[decision.choice]}: {title}"
