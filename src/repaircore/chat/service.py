"""Chats: from a symptom, through questions, to the repairs that may be needed."""

from collections.abc import Sequence
from datetime import datetime
from typing import BinaryIO, Final
from uuid import UUID

from attrs import asdict, evolve, frozen

from repaircore.chat.dialog import UserTurn, after_answer, after_symptom, conclude, decide
from repaircore.chat.errors import ChatNotFound
from repaircore.chat.listening import Listener
from repaircore.chat.model import (
    Chat,
    ChatVehicle,
    Detail,
    Kind,
    ListedChat,
    Message,
    SendReply,
    Speaker,
    StartChat,
    Status,
    seconds_to_wait,
)
from repaircore.chat.photos import ImageFindings, Photos
from repaircore.chat.ports import ChatsWork, OpenChatsWork
from repaircore.complaints.answers import parse_answer
from repaircore.complaints.topics import chosen
from repaircore.diagnosis.cases import Case, CaseSource
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import Evidence, Finding
from repaircore.diagnosis.reading import ReadComplaint
from repaircore.kernel.callers import LOCAL, Caller, Credential, owner_of, visible_owner
from repaircore.kernel.emails import fold_email
from repaircore.kernel.errors import Conflict, Forbidden, Invalid, TooMany
from repaircore.kernel.paging import FIRST_PAGE, Page, PageRequest, require_page
from repaircore.kernel.rules import FieldErrors, field_errors, require_valid
from repaircore.kernel.types import Clock, Lazy, NewId
from repaircore.transactions.car_numbers import car_of
from repaircore.vehicles import vin as vins
from repaircore.vehicles.model import Vehicle
from repaircore.vehicles.service import Vehicles

_OTHER_STEP: Final = "This answer is for step {}, but the chat session is at step {}."
_DOUBTED: Final = "The check digit of the VIN is wrong. Compare it with the vehicle."


@frozen(kw_only=True)
class ChatTurn:
    """A chat after a turn, and the notes for the user on that turn."""

    chat: Chat
    status: Status
    notes: tuple[str, ...]


@frozen(kw_only=True)
class ChatHistory:
    """A chat with its messages."""

    chat: Chat
    status: Status
    messages: Sequence[Message]


@frozen(kw_only=True)
class Chats:
    """Use cases for chats. A chat that the caller may not see counts as not found.

    A user may start ``starts_per_day`` chats in any 24 hours in each environment; the installation itself has no limit.
    """

    transaction: OpenChatsWork
    read: OpenChatsWork
    knowledge: Lazy[Knowledge]
    vehicles: Lazy[Vehicles]
    listener: Listener
    photos: Photos
    starts_per_day: int
    new_id: NewId
    clock: Clock

    def start(
        self,
        symptom: str,
        *,
        vin: str | None = None,
        email: str | None = None,
        image: BinaryIO | None = None,
        caller: Caller = LOCAL,
    ) -> ChatTurn:
        """Start a chat with a symptom, and return its first turn; a failed start does not count toward the quota.

        Raises:
            Invalid: on ``symptom``, ``vin``, ``email`` and ``image``.
            VehicleNotFound: the VIN is unknown.
            Unavailable: the VIN is unknown here, and the decoder is not responding.
            Conflict: the vehicle was deleted meanwhile.
            TooMany: the quota is used up, or too many images are being read.
        """
        fields = asdict(StartChat(symptom=symptom, vin=vin, email=email))
        errors = field_errors(StartChat, fields) | self.validate(**fields)
        if errors:
            raise Invalid(errors)
        with self.read() as work:  # before a model call, which costs money
            self._require_quota(work, caller, self.clock())
        vehicle = None if vin is None else self.vehicles().identify(vin)
        knowledge = self.knowledge()
        seen = None if image is None else self.photos.read(image, caller, knowledge.symptoms)
        complaint = self.listener.read(symptom, knowledge, caller.environment)
        now = self.clock()
        chat = self._new_chat(vin, email, vehicle, caller, now)
        turn = after_symptom(chat.evidence, complaint, _lights(seen))
        message = _message(Kind.SYMPTOM, symptom, now, complaint, seen)
        notes = [_DOUBTED] if vin is not None and vins.has_wrong_check_digit(vins.normalize(vin)) else []
        after, messages = self._conclude(chat, turn, message, knowledge=knowledge, seen=seen, notes=notes)
        with self.transaction() as work:
            if caller.user_id is not None:
                work.chats.lock_starts(caller.user_id)
            self._require_quota(work, caller, now)
            work.chats.add(after.chat, messages)
            _record(work, after.chat, symptom)
        return after

    def reply(
        self,
        session_id: UUID,
        answer: str,
        *,
        image: BinaryIO | None = None,
        step: int | None = None,
        caller: Caller = LOCAL,
    ) -> ChatTurn:
        """Answer the open question with an option or free text, and optionally an image, and return the turn.

        ``step`` identifies the question, so that an answer that is sent twice counts once.

        Raises:
            Invalid: on ``answer`` and ``image``.
            ChatNotFound: there is no such chat that the caller may see.
            Conflict: no question is open, ``step`` is not the current one, another answer came first, or the vehicle
                was deleted meanwhile.
            TooMany: too many images are being read.
        """
        require_valid(SendReply(answer=answer, step=step))
        with self.read() as work:
            chat = _require(work, session_id, caller)
        now = self.clock()
        question = chat.require_question(now)
        if step is not None and step != chat.step:
            raise Conflict(_OTHER_STEP.format(step, chat.step))
        knowledge = self.knowledge()
        seen = None if image is None else self.photos.read(image, caller, knowledge.symptoms)
        parsed, picked = parse_answer(answer, question.options), chosen(answer, question.options)
        complaint = ReadComplaint()
        if parsed.rest and not picked:
            complaint = self.listener.read(parsed.rest, knowledge, caller.environment)
        turn = after_answer(
            chat.evidence, question, parsed.verdict, complaint, lights=_lights(seen), chosen=picked
        )
        found = [Finding(symptom, present) for symptom, present in picked.items()]
        found += () if parsed.presence is None else (Finding(question.id, parsed.presence),)
        complaint = evolve(complaint, findings=(*found, *complaint.findings))
        message = _message(Kind.ANSWER, answer, now, complaint, seen)
        next_chat = evolve(chat, step=chat.step + 1)
        after, messages = self._conclude(next_chat, turn, message, knowledge=knowledge, seen=seen)
        with self.transaction() as work:
            work.chats.replace(chat, after.chat, messages)
            if after.chat.stored_status is Status.DIAGNOSED:
                _record(work, after.chat, work.chats.messages(session_id)[0].text)
            _audit(work, caller, chat, "chat.reply", after.chat)
        return after

    def require(self, session_id: UUID, caller: Caller = LOCAL) -> None:
        """Require that a chat exists and the caller may see it.

        Raises:
            ChatNotFound: there is no such chat that the caller may see.
        """
        with self.read() as work:
            _require(work, session_id, caller)

    def show(self, session_id: UUID, caller: Caller = LOCAL) -> ChatHistory:
        """Return a chat with its messages.

        Raises:
            ChatNotFound: there is no such chat that the caller may see.
        """
        with self.read() as work:
            chat = _require(work, session_id, caller)
            messages = work.chats.messages(session_id)
        return ChatHistory(chat=chat, status=chat.status(self.clock()), messages=messages)

    def reset(self, session_id: UUID, caller: Caller = LOCAL) -> Chat:
        """Delete the messages, the evidence and the vehicle of a chat, and return it; it still counts toward the quota.

        Raises:
            ChatNotFound: there is no such chat that the caller may see.
        """
        with self.transaction() as work:
            chat = _require(work, session_id, caller)
            after = chat.reset(self.clock())
            work.chats.clear(after)
            work.cases.delete(str(session_id))
            _audit(work, caller, chat, "chat.reset", after)
        return after

    def page(
        self,
        *,
        email: str | None = None,
        status: Status | None = None,
        request: PageRequest = FIRST_PAGE,
        caller: Caller = LOCAL,
    ) -> Page[ListedChat]:
        """Return a page of chats, newest first unless another order is requested, filtered by e-mail and status.

        Raises:
            Forbidden: the credential is a publishable key, which anyone can find in a web page.
            Invalid: on ``page``, ``per_page``, ``sort`` and ``cursor``.
        """
        if caller.credential is Credential.PUBLISHABLE:
            raise Forbidden
        require_page(request.number, request.per_page)
        with self.read() as work:
            return work.chats.page(
                environment=caller.environment,
                owner_id=visible_owner(caller),
                email=None if email is None else fold_email(email),
                status=status,
                now=self.clock(),
                request=request,
            )

    def validate(self, **fields: object) -> FieldErrors:
        """Return the errors in ``vin`` that its type annotation does not catch."""
        vin = fields.get("vin")
        errors = vins.validate(vin) if isinstance(vin, str) else []
        return {"vin": errors} if errors else {}

    def _require_quota(self, work: ChatsWork, caller: Caller, now: datetime) -> None:
        if caller.user_id is None:
            return
        oldest = work.chats.nth_newest_start(
            self.starts_per_day, environment=caller.environment, owner_id=caller.user_id
        )
        seconds = seconds_to_wait(oldest, now)
        if seconds:
            raise TooMany(seconds)

    def _new_chat(
        self, vin: str | None, email: str | None, vehicle: Vehicle | None, caller: Caller, now: datetime
    ) -> Chat:
        return Chat(
            session_id=self.new_id(),
            owner_id=owner_of(caller),
            environment=caller.environment,
            email=None if email is None else fold_email(email),
            stored_status=Status.AWAITING_ANSWER,
            step=1,
            messages=0,
            vin=None if vin is None else vins.normalize(vin),
            vehicle=None if vehicle is None else _vehicle(vehicle),
            evidence=Evidence(),
            question=None,
            diagnosis=(),
            enough=None,
            started_at=now,
            active_at=now,
        )

    def _conclude(
        self,
        chat: Chat,
        turn: UserTurn,
        message: Message,
        *,
        knowledge: Knowledge,
        seen: ImageFindings | None,
        notes: Sequence[str] = (),
    ) -> tuple[ChatTurn, tuple[Message, ...]]:
        """Return the turn that the engine decides on from all evidence, and the messages that it adds."""
        known = evolve(chat, evidence=turn.evidence)
        if seen is not None and seen.vehicle is not None:
            known = evolve(known, vin=seen.note.vin, vehicle=_vehicle(seen.vehicle))
        decision = decide(knowledge, known, again=turn.again)
        if decision.question is not None and decision.question != turn.again:
            question = self.listener.reword(decision.question, knowledge, chat.environment)
            decision = evolve(decision, question=question)
        all_notes = (*notes, *(() if seen is None else (seen.text,)), *turn.notes)
        after, messages = conclude(known, decision, message, all_notes)
        return ChatTurn(chat=after, status=after.stored_status, notes=all_notes), messages


def _require(work: ChatsWork, session_id: UUID, caller: Caller) -> Chat:
    chat = work.chats.find(session_id, environment=caller.environment, owner_id=visible_owner(caller))
    if chat is None:
        raise ChatNotFound
    return chat


def _record(work: ChatsWork, chat: Chat, text: str) -> None:
    """Record a case to learn from, if the chat has its diagnosis."""
    if chat.stored_status is not Status.DIAGNOSED:
        return
    work.cases.add(
        Case(
            reference=str(chat.session_id),
            environment=chat.environment,
            owner_id=chat.owner_id,
            source=CaseSource.CHAT,
            text=text,
            car=car_of(chat.vin),
            suggested=tuple(suspect.slug for suspect in chat.diagnosis),
            confidence=chat.diagnosis[0].confidence if chat.diagnosis else 0.0,
            created_at=chat.active_at,
        )
    )


def _audit(work: ChatsWork, caller: Caller, chat: Chat, action: str, after: Chat) -> None:
    """Record in the audit log what an admin did to another user's chat."""
    if chat.owner_id != owner_of(caller):
        before, now = ({"status": each.stored_status.value, "step": each.step} for each in (chat, after))
        subject = f"chat_sessions/{chat.session_id}"
        work.audit.add(caller, action, subject, before=before, after=now, at=after.active_at)


def _lights(seen: ImageFindings | None) -> tuple[str, ...]:
    return () if seen is None else seen.note.lights


def _vehicle(vehicle: Vehicle) -> ChatVehicle:
    return ChatVehicle(id=vehicle.id, specs=vehicle.specs)


def _message(
    kind: Kind, text: str, at: datetime, complaint: ReadComplaint, seen: ImageFindings | None
) -> Message:
    detail = Detail(
        present=tuple(dict.fromkeys(each.symptom for each in complaint.findings if each.present)),
        absent=tuple(dict.fromkeys(each.symptom for each in complaint.findings if not each.present)),
        codes=complaint.codes,
        image=None if seen is None else seen.note,
    )
    return Message(speaker=Speaker.USER, kind=kind, text=text, at=at, detail=detail)
