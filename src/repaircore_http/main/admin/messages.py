"""The messages that were sent by e-mail, SMS and webhook."""

from typing import Annotated

from attrs import frozen
from flask import Response

from repaircore.kernel.rules import Length, Range
from repaircore.messages.model import Channel, MessageFilter, MessageState
from repaircore.messages.service import MOST_LISTED
from repaircore.messages.views import OutboxMessageView
from repaircore_http.core import core
from repaircore_http.envelopes import DataList
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_query, reply
from repaircore_http.routes import Routes

messages = Routes(
    "admin_messages", url_prefix="/api/v1/admin/messages", auth=Auth.ADMIN, tag="admin messages"
)


@frozen(kw_only=True)
class ListMessages:
    """Filters (record, state and channel) for the list of messages, and the maximum number to list."""

    about: Annotated[str, Length(1, 100)] | None = None
    state: MessageState | None = None
    channel: Channel | None = None
    limit: Annotated[int, Range(1, MOST_LISTED)] = 50


@messages.get("", safe=True, query=ListMessages, returns=DataList[OutboxMessageView])
def index() -> Response:
    """List the messages of the key's environment, newest first: recipient, text and delivery status."""
    query, known = read_query(ListMessages), caller()
    wanted = MessageFilter(
        environment=known.environment, about=query.about, state=query.state, channel=query.channel
    )
    found = core().messages.list_newest(wanted, limit=query.limit, caller=known)
    return reply(DataList.of([OutboxMessageView.of(message) for message in found]))
