"""Conversations: from a symptom, by questions, to the repairs that may be needed."""

from collections.abc import Sequence
from datetime import datetime
from typing import BinaryIO, Final
from uuid import UUID

from attrs import asdict, evolve, frozen

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
from repaircore.chat.turns import UserTurn, after_answer, after_symptom, concluded, decided
from repaircore.complaints.answers import understood
from repaircore.diagnosis.cases import Case, CaseSource
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import Evidence, Finding
from repaircore.diagnosis.reading import ReadComplaint
from repaircore.kernel.callers import LOCAL, Caller, Credential, owner_of, visible_owner
from repaircore.kernel.emails import fold_email
from repaircore.kernel.errors import Conflict, Forbidden, Invalid, TooMany
from repaircore.kernel.paging import PER_PAGE, Page, require_page
from repaircore.kernel.rules import FieldErrors, field_errors, require_valid
from repaircore.kernel.types import Clock, Lazy, NewId
from repaircore.transactions.car_numbers import car_of
from repaircore.vehicles import vin as vins
from repaircore.vehicles.model import Vehicle
from repaircore.vehicles.service import Vehicles

_OTHER_STEP: Final = "This answers the question of step {}, but the chat session is at step {}."
_DOUBTED: Final = "The check digit of the VIN is wrong: compare it with the vehicle."


@frozen(kw_only=True)
class ChatTurn:
    """A conversation after a turn; ``notes`` are what was remarked on the way."""

    chat: Chat
    status: Status
    notes: tuple[str, ...]


@frozen(kw_only=True)
class ChatHistory:
    """A conversation with everything that was said in it."""

    chat: Chat
    status: Status
    messages: Sequence[Message]


@frozen(kw_only=True)
class Chats:
    """The use cases. Whose a conversation is not, for them it does not exist.

    ``starts_per_day`` is how many a user may start in any 24 hours in each environment; the installation
    itself has no limit.
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
        """Start a conversation with what is wrong; a start that fails does not count.

        Raises:
            Invalid: on ``symptom``, ``vin``, ``email`` and ``image``.
            VehicleNotFound: no record and no decoder knows the VIN.
            Unavailable: only a remote decoder could know it, and it does not answer.
            TooMany: the caller has started as many as a day may have, or too many images are being looked at.
        """
        fields = asdict(StartChat(symptom=symptom, vin=vin, email=email))
        errors = field_errors(StartChat, fields) | self.validate(**fields)
        if errors:
            raise Invalid(errors)
        with self.read() as work:  # whoever is over the quota shall not have a model asked
            self._require_place(work, caller, self.clock())
        vehicle = None if vin is None else self.vehicles().identify(vin)
        knowledge = self.knowledge()
        seen = None if image is None else self.photos.look(image, caller, knowledge.symptoms)
        read = self.listener.read(symptom, knowledge, caller.environment)
        now = self.clock()
        opened = self._opened(vin, email, vehicle, caller, now)
        turn = after_symptom(opened.evidence, read, _lights(seen))
        said = _said(Kind.SYMPTOM, symptom, now, read, seen)
        notes = [_DOUBTED] if vin is not None and vins.has_wrong_check_digit(vins.normalize(vin)) else []
        told, messages = self._concluded(opened, turn, said, knowledge=knowledge, seen=seen, notes=notes)
        with self.transaction() as work:
            if caller.user_id is not None:
                work.chats.lock_starts(caller.user_id)
            self._require_place(work, caller, now)
            work.chats.add(told.chat, messages)
            _record(work, told.chat, symptom)
        return told

    def reply(
        self,
        session_id: UUID,
        answer: str,
        *,
        image: BinaryIO | None = None,
        step: int | None = None,
        caller: Caller = LOCAL,
    ) -> ChatTurn:
        """Answer the question that waits: with an option, with free text, and with an image if one likes.

        ``step`` says which question is answered, for those who may send the same answer twice.

        Raises:
            Invalid: on ``answer`` and ``image``.
            ChatNotFound: there is no such conversation that the caller may see.
            Conflict: no question waits, another one does, or another answer came first.
            TooMany: too many images are being looked at.
        """
        require_valid(SendReply(answer=answer, step=step))
        with self.read() as work:
            chat = _found(work, session_id, caller)
        now = self.clock()
        question = chat.require_question(now)
        if step is not None and step != chat.step:
            raise Conflict(_OTHER_STEP.format(step, chat.step))
        knowledge = self.knowledge()
        seen = None if image is None else self.photos.look(image, caller, knowledge.symptoms)
        answered = understood(answer, question.options)
        read = ReadComplaint()
        if answered.rest:
            read = self.listener.read(answered.rest, knowledge, caller.environment)
        found = () if answered.presence is None else (Finding(question.id, answered.presence),)
        turn = after_answer(chat.evidence, question, answered.verdict, read, _lights(seen))
        said = _said(Kind.ANSWER, answer, now, evolve(read, findings=(*found, *read.findings)), seen)
        next_chat = evolve(chat, step=chat.step + 1)
        told, messages = self._concluded(next_chat, turn, said, knowledge=knowledge, seen=seen)
        with self.transaction() as work:
            work.chats.replace(chat, told.chat, messages)
            if told.chat.stored_status is Status.DIAGNOSED:
                _record(work, told.chat, work.chats.messages(session_id)[0].text)
            _audit(work, caller, chat, "chat.reply", told.chat)
        return told

    def require(self, session_id: UUID, caller: Caller = LOCAL) -> None:
        """Make sure that a conversation is there, before anything else is looked at.

        Raises:
            ChatNotFound: there is none that the caller may see.
        """
        with self.read() as work:
            _found(work, session_id, caller)

    def show(self, session_id: UUID, caller: Caller = LOCAL) -> ChatHistory:
        """Give a conversation with its history.

        Raises:
            ChatNotFound: there is none that the caller may see.
        """
        with self.read() as work:
            chat = _found(work, session_id, caller)
            messages = work.chats.messages(session_id)
        return ChatHistory(chat=chat, status=chat.status(self.clock()), messages=messages)

    def reset(self, session_id: UUID, caller: Caller = LOCAL) -> Chat:
        """Forget what was said in a conversation and which vehicle it is about; its start still counts.

        Raises:
            ChatNotFound: there is none that the caller may see.
        """
        with self.transaction() as work:
            chat = _found(work, session_id, caller)
            cleared = chat.cleared(self.clock())
            work.chats.clear(cleared)
            work.cases.delete(str(session_id))
            _audit(work, caller, chat, "chat.reset", cleared)
        return cleared

    def page(
        self,
        *,
        email: str | None = None,
        status: Status | None = None,
        number: int = 1,
        per_page: int = PER_PAGE,
        caller: Caller = LOCAL,
    ) -> Page[ListedChat]:
        """List conversations, newest first, those of an e-mail or with a status; a page beyond the last is empty.

        Raises:
            Forbidden: the credential is a publishable key, which anybody may have found in a web page.
            Invalid: on ``page`` below 1, and on ``per_page`` that is not within 1 and 100.
        """
        if caller.credential is Credential.PUBLISHABLE:
            raise Forbidden
        require_page(number, per_page)
        with self.read() as work:
            return work.chats.page(
                environment=caller.environment,
                owner_id=visible_owner(caller),
                email=None if email is None else fold_email(email),
                status=status,
                now=self.clock(),
                number=number,
                per_page=per_page,
            )

    def validate(self, **fields: object) -> FieldErrors:
        """Return what is wrong with ``vin``, beyond the rules of its type."""
        vin = fields.get("vin")
        errors = vins.validate(vin) if isinstance(vin, str) else []
        return {"vin": errors} if errors else {}

    def _require_place(self, work: ChatsWork, caller: Caller, now: datetime) -> None:
        if caller.user_id is None:
            return
        oldest = work.chats.nth_newest_start(
            self.starts_per_day, environment=caller.environment, owner_id=caller.user_id
        )
        seconds = seconds_to_wait(oldest, now)
        if seconds:
            raise TooMany(seconds)

    def _opened(
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

    def _concluded(
        self,
        chat: Chat,
        turn: UserTurn,
        said: Message,
        *,
        knowledge: Knowledge,
        seen: ImageFindings | None,
        notes: Sequence[str] = (),
    ) -> tuple[ChatTurn, tuple[Message, ...]]:
        """Have the engine decide on what is known now, and put it into words."""
        known = evolve(chat, evidence=turn.evidence)
        if seen is not None and seen.vehicle is not None:
            known = evolve(known, vin=seen.note.vin, vehicle=_vehicle(seen.vehicle))
        decision = decided(knowledge, known, again=turn.again)
        if decision.question is not None and decision.question != turn.again:
            worded = self.listener.worded(decision.question, knowledge, chat.environment)
            decision = evolve(decision, question=worded)
        remarks = (*notes, *(() if seen is None else (seen.text,)), *turn.notes)
        after, messages = concluded(known, decision, said, remarks)
        return ChatTurn(chat=after, status=after.stored_status, notes=remarks), messages


def _found(work: ChatsWork, session_id: UUID, caller: Caller) -> Chat:
    chat = work.chats.find(session_id, environment=caller.environment, owner_id=visible_owner(caller))
    if chat is None:
        raise ChatNotFound
    return chat


def _record(work: ChatsWork, chat: Chat, text: str) -> None:
    """Record the case of a conversation that has its diagnosis."""
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
            suggested=tuple(one.slug for one in chat.diagnosis),
            confidence=chat.diagnosis[0].confidence if chat.diagnosis else 0.0,
            created_at=chat.active_at,
        )
    )


def _audit(work: ChatsWork, caller: Caller, chat: Chat, action: str, after: Chat) -> None:
    """Note what an admin did with somebody else's conversation."""
    if chat.owner_id != owner_of(caller):
        before, now = ({"status": one.stored_status.value, "step": one.step} for one in (chat, after))
        subject = f"chat_sessions/{chat.session_id}"
        work.audit.add(caller, action, subject, before=before, after=now, at=after.active_at)


def _lights(seen: ImageFindings | None) -> tuple[str, ...]:
    return () if seen is None else seen.note.lights


def _vehicle(vehicle: Vehicle) -> ChatVehicle:
    return ChatVehicle(id=vehicle.id, specs=vehicle.specs)


def _said(kind: Kind, text: str, at: datetime, read: ReadComplaint, seen: ImageFindings | None) -> Message:
    detail = Detail(
        present=tuple(dict.fromkeys(one.symptom for one in read.findings if one.present)),
        absent=tuple(dict.fromkeys(one.symptom for one in read.findings if not one.present)),
        codes=read.codes,
        image=None if seen is None else seen.note,
    )
    return Message(speaker=Speaker.USER, kind=kind, text=text, at=at, detail=detail)
