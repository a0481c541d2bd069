"""Diagnosis in a chat: questions and answers until the repair is likely enough."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, BinaryIO, Final
from uuid import UUID

from attrs import frozen
from flask import Response, request

from repaircore.chat.errors import ChatNotFound
from repaircore.chat.model import SendReply, StartChat, Status
from repaircore.chat.views import ChatHistoryView, ChatTurnView, ListedChatView
from repaircore.kernel.errors import Conflict, Invalid, NotFound
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.paging import sort_by
from repaircore.kernel.views import view
from repaircore.vehicles.extraction import MAX_IMAGE_BYTES, image_too_large
from repaircore_http.core import core
from repaircore_http.envelopes import Message, Success
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import parse_input, read_body, read_environ_json, read_query, reply
from repaircore_http.listing import ListPage, ListQuery, reply_list
from repaircore_http.routes import MAX_BODY_BYTES, FormFile, Routes
from repaircore_http.uploads import FORM_OVERHEAD, is_form, uploaded_form

_MAX_BYTES: Final = MAX_IMAGE_BYTES + FORM_OVERHEAD
_PHOTO: Final = FormFile(field="image", media_types="image/jpeg, image/png, image/webp", required=False)
_NO_FILE: Final = "The image field must be a file. Send a form (multipart/form-data) instead of JSON."

chats = Routes("chats", url_prefix="/api/v1/diagnostic", auth=Auth.KEY, dialect=flagged, tag="diagnostic")


@frozen(kw_only=True)
class ResetChat:
    """The chat to reset."""

    session_id: UUID


@frozen(kw_only=True)
class ListChats(ListQuery):
    """Filters, sort order and page for the list of chats."""

    sort: Annotated[str, sort_by("created_at")] = ""

    email: str | None = None
    status: Status | None = None


@view
class ChatTurnReply(ChatTurnView, Success):
    """A chat after a turn: its question, or its diagnosis."""


@view
class ChatResetReply(ChatTurnView, Message):
    """A chat that was reset."""


@view
class ChatHistoryReply(ChatHistoryView, Success):
    """A chat with its messages."""


@chats.post(
    "/chat",
    max_bytes=_MAX_BYTES,
    accepts=StartChat,
    file=_PHOTO,
    returns=ChatTurnReply,
    status=201,
    raises=(NotFound,),
)
def start() -> Response:
    """Start a chat with a symptom."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    with _fields_and_image("symptom", "vin", "email") as (fields, image):
        chat = parse_input(StartChat, fields, validate=served.chats.validate)
        turn = served.chats.start(chat.symptom, vin=chat.vin, email=chat.email, image=image, caller=known)
    return reply(ChatTurnReply.of(turn.chat, turn.status, turn.notes), 201)


@chats.post(
    "/chat/<named:session_id>/reply",
    max_bytes=_MAX_BYTES,
    accepts=SendReply,
    file=_PHOTO,
    returns=ChatTurnReply,
    raises=(Conflict,),
)
def answer(session_id: str) -> Response:
    """Answer the open question."""
    known, served, session = caller(), core(), _session(session_id)
    served.chats.require(session, known)
    served.limits.count_prediction(known)
    with _fields_and_image("answer", "step") as (fields, image):
        sent = parse_input(SendReply, _with_number(fields, "step"))
        turn = served.chats.reply(session, sent.answer, image=image, step=sent.step, caller=known)
    return reply(ChatTurnReply.of(turn.chat, turn.status, turn.notes))


@chats.get("/chat/<named:session_id>", safe=True, returns=ChatHistoryReply)
def show(session_id: str) -> Response:
    """Show a chat with its messages."""
    history = core().chats.show(_session(session_id), caller())
    return reply(ChatHistoryReply.of(history.chat, history.status, history.messages))


@chats.post("/chat/reset", accepts=ResetChat, returns=ChatResetReply, raises=(NotFound, Conflict))
def reset() -> Response:
    """Reset a chat: delete its messages and its vehicle."""
    known = caller()
    chat = core().chats.reset(read_body(ResetChat).session_id, known)
    turn = ChatTurnView.of(chat, chat.stored_status)
    return reply(ChatResetReply(message="The chat session was reset.", **vars(turn)))


@chats.get("/chat-sessions", auth=Auth.SECRET, safe=True, query=ListChats, returns=ListPage[ListedChatView])
def index() -> Response:
    """List chats, newest first, paginated."""
    query, listed, known = read_query(ListChats), core().chats, caller()
    return reply_list(
        query,
        lambda request: listed.page(email=query.email, status=query.status, request=request, caller=known),
        ListedChatView,
        ListedChatView.of,
        name="chats",
    )


@contextmanager
def _fields_and_image(*fields: str) -> Iterator[tuple[dict[str, Any], BinaryIO | None]]:
    """Yield the fields of a JSON body or a form, and the image that a form may have."""
    if is_form():
        with uploaded_form(
            fields, file="image", max_bytes=MAX_IMAGE_BYTES, too_large=image_too_large
        ) as form:
            yield form
        return
    body = read_environ_json(request.environ, MAX_BODY_BYTES)
    if body.get("image") is not None:
        raise Invalid({"image": [_NO_FILE]})
    yield body, None


def _with_number(fields: dict[str, Any], name: str) -> dict[str, Any]:
    """Return the fields with a number parsed, which a form can only send as text."""
    text = fields.get(name)
    is_number = is_form() and isinstance(text, str) and re.fullmatch(r"[0-9]{1,9}", text)
    return {**fields, name: int(text or 0)} if is_number else fields


def _session(text: str) -> UUID:
    session = parse_uuid(text)
    if session is None:
        raise ChatNotFound
    return session
