"""Diagnosis in a conversation: questions and answers until the repair is likely enough."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated, Any, BinaryIO, Final
from uuid import UUID

from attrs import frozen
from flask import Response, request

from repaircore.chat.errors import ChatNotFound
from repaircore.chat.model import Status
from repaircore.chat.validation import ANSWER_LONGEST, SYMPTOM_LONGEST
from repaircore.chat.views import history_as_wire, listed_as_wire, turn_as_wire
from repaircore.kernel.errors import Conflict, Invalid, NotFound
from repaircore.kernel.ids import parse_uuid
from repaircore.kernel.rules import Length
from repaircore.vehicles.extraction import MAX_IMAGE_BYTES, image_too_large
from repaircore_http.core import core
from repaircore_http.envelopes import DataPage
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import parse_input, read_body, read_environ_json, read_query, reply
from repaircore_http.paging import PageQuery, meta
from repaircore_http.routes import MAX_BODY_BYTES, FormFile, Routes
from repaircore_http.told.diagnostics import ChatHistory, ChatListed, ChatReset, ChatTurn
from repaircore_http.uploads import FORM_OVERHEAD, is_form, uploaded_form

_MOST: Final = MAX_IMAGE_BYTES + FORM_OVERHEAD
_PHOTO: Final = FormFile(field="image", media_types="image/jpeg, image/png, image/webp", required=False)
_NO_FILE: Final = "The image field must be a file: send a form (multipart/form-data) instead of JSON."

chats = Routes("chats", url_prefix="/api/v1/diagnostic", auth=Auth.KEY, dialect=flagged, tag="diagnostic")


@frozen(kw_only=True)
class StartChat:
    """What is wrong, with which vehicle, and whose it is."""

    symptom: Annotated[str, Length(0, SYMPTOM_LONGEST)]
    vin: str | None = None
    email: str | None = None


@frozen(kw_only=True)
class SendReply:
    """An answer; ``step`` may say to which question."""

    answer: Annotated[str, Length(0, ANSWER_LONGEST)]
    step: int | None = None


@frozen(kw_only=True)
class ResetChat:
    """The conversation to forget."""

    session_id: UUID


@frozen(kw_only=True)
class ListChats(PageQuery):
    """Whose conversations, and where they stand."""

    email: str | None = None
    status: Status | None = None


@chats.post(
    "/chat", max_bytes=_MOST, accepts=StartChat, file=_PHOTO, returns=ChatTurn, status=201, raises=(NotFound,)
)
def start() -> Response:
    """Start a conversation with what is wrong."""
    known, conversations = caller(), core().chats
    core().limits.count_prediction(known)
    with _sent("symptom", "vin", "email") as (fields, image):
        asked = parse_input(StartChat, fields, validate=conversations.validate)
        told = conversations.start(asked.symptom, vin=asked.vin, email=asked.email, image=image, caller=known)
    return reply({"success": True, **turn_as_wire(told.chat, told.status, told.notes)}, 201)


@chats.post(
    "/chat/<named:session_id>/reply",
    max_bytes=_MOST,
    accepts=SendReply,
    file=_PHOTO,
    returns=ChatTurn,
    raises=(Conflict,),
)
def answer(session_id: str) -> Response:
    """Answer the question that waits."""
    known, conversations, session = caller(), core().chats, _session(session_id)
    conversations.require(session, known)
    core().limits.count_prediction(known)
    with _sent("answer", "step") as (fields, image):
        asked = parse_input(SendReply, _with_number(fields, "step"), validate=conversations.validate)
        told = conversations.reply(session, asked.answer, image=image, step=asked.step, caller=known)
    return reply({"success": True, **turn_as_wire(told.chat, told.status, told.notes)})


@chats.get("/chat/<named:session_id>", safe=True, returns=ChatHistory)
def show(session_id: str) -> Response:
    """Tell a conversation with its history."""
    told = core().chats.show(_session(session_id), caller())
    return reply({"success": True, **history_as_wire(told.chat, told.status, tuple(told.messages))})


@chats.post("/chat/reset", accepts=ResetChat, returns=ChatReset, raises=(NotFound, Conflict))
def reset() -> Response:
    """Forget what was said in a conversation and which vehicle it is about."""
    known = caller()
    cleared = core().chats.reset(read_body(ResetChat).session_id, known)
    return reply(
        {
            "success": True,
            "message": "The chat session was reset.",
            **turn_as_wire(cleared, cleared.kept_status),
        }
    )


@chats.get("/chat-sessions", auth=Auth.SECRET, safe=True, query=ListChats, returns=DataPage[ChatListed])
def index() -> Response:
    """List conversations, newest first, in pages."""
    asked = read_query(ListChats)
    page = core().chats.page(
        email=asked.email, status=asked.status, number=asked.page, per_page=asked.per_page, caller=caller()
    )
    return reply({"success": True, "data": [listed_as_wire(one) for one in page], "meta": meta(page)})


@contextmanager
def _sent(*fields: str) -> Iterator[tuple[dict[str, Any], BinaryIO | None]]:
    """Give what was sent, as JSON or as a form, and the image that a form may have."""
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
    """Read a number that a form can only send as a text."""
    text = fields.get(name)
    spelled = is_form() and isinstance(text, str) and re.fullmatch(r"[0-9]{1,9}", text)
    return {**fields, name: int(text or 0)} if spelled else fields


def _session(text: str) -> UUID:
    session = parse_uuid(text)
    if session is None:
        raise ChatNotFound
    return session
