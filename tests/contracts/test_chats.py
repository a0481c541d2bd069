"""The contract of the port ``ChatRecords``, on both databases."""

from datetime import datetime, timedelta
from threading import Barrier
from typing import Any
from uuid import UUID

import pytest
from attrs import evolve
from tests.contracts.conftest import NOW
from tests.threads import at_once

from repaircore.accounts.model import User
from repaircore.adapters.sql.engine import work
from repaircore.adapters.sql.engine.database import Database
from repaircore.chat.model import (
    IDLE,
    Chat,
    ChatVehicle,
    Detail,
    ImageNote,
    Kind,
    ListedChat,
    Message,
    Speaker,
    Status,
    Suspect,
)
from repaircore.core import Core
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import Evidence, Finding, Hint, OpenQuestion, Reason
from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Conflict, TooMany
from repaircore.kernel.paging import Page, PageRequest
from repaircore.testing.builders import a_vehicle

TEST, LIVE = Environment.TEST, Environment.LIVE
QUESTION = OpenQuestion(id="brake-squeal", text="Do the brakes squeal?", options=("yes", "no", "unsure"))
SUSPECT = Suspect(
    problem_id=101,
    slug="front-brake-pads",
    display_name="Brakes > Front brake pads",
    confidence=87.5,
    urgency="soon",
    safe_to_drive="short",
    why=(Reason("High-pitched squeal when braking: yes.", 5.25),),
)
SYMPTOM = Message(
    speaker=Speaker.USER,
    kind=Kind.SYMPTOM,
    text="Es quietscht. ü",
    at=NOW,
    detail=Detail(
        present=("brake-squeal",),
        absent=("brake-grinding",),
        codes=("P0420",),
        image=ImageNote(size=7, read="lights", lights=("abs-light",)),
    ),
)
QUESTION_MESSAGE = Message(
    speaker=Speaker.ASSISTANT,
    kind=Kind.QUESTION,
    text=QUESTION.text,
    at=NOW,
    detail=Detail(question=QUESTION),
)
NOTE = Message(speaker=Speaker.ASSISTANT, kind=Kind.NOTE, text="Nothing.", at=NOW)
DIAGNOSIS = Message(
    speaker=Speaker.ASSISTANT,
    kind=Kind.DIAGNOSIS,
    text="Pads.",
    at=NOW,
    detail=Detail(diagnosis=(SUSPECT,), enough=True),
)


def a_chat(number: int = 1, **changes: Any) -> Chat:
    chat = Chat(
        session_id=UUID(int=number),
        owner_id=7,
        environment=LIVE,
        email=None,
        stored_status=Status.AWAITING_ANSWER,
        step=1,
        messages=2,
        vin=None,
        vehicle=None,
        evidence=Evidence(
            findings=(Finding("brake-squeal", present=True),),
            codes=("P0420",),
            hints=(Hint("front-brake-pads", 2.5),),
            questioned=("brake-drag",),
        ),
        question=QUESTION,
        diagnosis=(),
        enough=None,
        started_at=NOW,
        active_at=NOW,
    )
    return evolve(chat, **changes)


def add(database: Database, chat: Chat, *messages: Message) -> Chat:
    with work.open_work(database, write=True) as unit:
        unit.chats.add(chat, messages or (SYMPTOM, QUESTION_MESSAGE))
    return chat


def find(
    database: Database, chat: Chat, *, environment: Environment = LIVE, owner_id: int | None = 7
) -> Chat | None:
    with work.open_work(database, write=False) as unit:
        return unit.chats.find(chat.session_id, environment=environment, owner_id=owner_id)


def messages_of(database: Database, chat: Chat) -> list[Message]:
    with work.open_work(database, write=False) as unit:
        return list(unit.chats.messages(chat.session_id))


def list_page(database: Database, *, number: int = 1, per_page: int = 10, **filters: Any) -> Page[ListedChat]:
    chosen: dict[str, Any] = {
        "environment": LIVE,
        "owner_id": 7,
        "email": None,
        "status": None,
        "now": NOW,
        "request": PageRequest(number=number, per_page=per_page),
        **filters,
    }
    with work.open_work(database, write=False) as unit:
        return unit.chats.page(**chosen)


def ids(page: Page[ListedChat]) -> list[int]:
    return [chat.session_id.int for chat in page]


def test_find_returns_a_chat_as_added(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        vehicle = unit.vehicles.add(a_vehicle())
    about = ChatVehicle(id=vehicle.id, specs=vehicle.specs)
    chat = add(database, a_chat(vehicle=about, vin="1HGCV1F34JA000001", email="bo@example.org"))

    assert find(database, chat) == chat
    assert messages_of(database, chat) == [SYMPTOM, QUESTION_MESSAGE]


def test_find_returns_a_chat_without_a_vehicle(database: Database) -> None:
    chat = add(database, a_chat())

    assert find(database, chat) == chat


def test_find_hides_other_owners_and_environments(database: Database) -> None:
    chat = add(database, a_chat())

    assert find(database, chat, owner_id=8) is None
    assert find(database, chat, environment=TEST) is None
    assert find(database, chat, environment=TEST, owner_id=None) is None
    assert find(database, chat, owner_id=None) == chat
    assert find(database, a_chat(2)) is None


def test_replace_stores_the_chat_and_appends_messages(database: Database) -> None:
    chat = add(database, a_chat())
    later = NOW + timedelta(minutes=1)
    new = evolve(
        chat,
        stored_status=Status.DIAGNOSED,
        step=2,
        messages=5,
        question=None,
        diagnosis=(SUSPECT,),
        enough=True,
        active_at=later,
    )
    answer = evolve(SYMPTOM, kind=Kind.ANSWER, at=later)
    with work.open_work(database, write=True) as unit:
        stored = unit.chats.replace(chat, new, (answer, NOTE, DIAGNOSIS))

    assert stored == evolve(new, version=2)
    assert find(database, chat) == stored
    assert messages_of(database, chat) == [SYMPTOM, QUESTION_MESSAGE, answer, NOTE, DIAGNOSIS]


def test_replace_conflicts_on_the_second_of_two_answers(database: Database) -> None:
    chat = add(database, a_chat())

    def answer() -> bool:
        try:
            with work.open_work(database, write=True) as unit:
                unit.chats.replace(chat, evolve(chat, step=2, messages=4), (SYMPTOM, QUESTION_MESSAGE))
        except Conflict:
            return False
        return True

    assert sorted(at_once(8, answer)) == [False] * 7 + [True]
    assert len(messages_of(database, chat)) == 4


def test_clear_ignores_a_deleted_chat(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        unit.chats.clear(a_chat().reset(NOW))

    assert find(database, a_chat()) is None


def test_clear_deletes_messages_and_stops_a_concurrent_answer(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        vehicle = unit.vehicles.add(a_vehicle())
    about = ChatVehicle(id=vehicle.id, specs=vehicle.specs)
    chat = add(database, a_chat(vehicle=about, vin="1HGCV1F34JA000001"))
    with work.open_work(database, write=True) as unit:
        unit.chats.clear(chat.reset(NOW))
    stored = find(database, chat)

    assert stored is not None
    assert (stored.stored_status, stored.vin, stored.vehicle) == (Status.RESET, None, None)
    assert stored.evidence == Evidence()
    assert (stored.question, stored.step, stored.messages) == (None, 0, 0)
    assert messages_of(database, chat) == []
    with pytest.raises(Conflict), work.open_work(database, write=True) as unit:
        unit.chats.replace(chat, evolve(chat, step=2), (SYMPTOM,))


def test_chat_outlives_its_vehicle(database: Database) -> None:
    with work.open_work(database, write=True) as unit:
        vehicle = unit.vehicles.add(a_vehicle())
    chat = add(database, a_chat(vehicle=ChatVehicle(id=vehicle.id, specs=vehicle.specs)))
    with database.transaction() as connection:
        connection.exec_driver_sql("DELETE FROM vehicles")

    assert find(database, chat) == evolve(chat, vehicle=None)


# Lists


def test_page_lists_visible_chats_newest_first(database: Database) -> None:
    for number in range(1, 6):
        add(database, a_chat(number))
    add(database, a_chat(6, owner_id=8))
    add(database, a_chat(7, environment=TEST))
    first, second = list_page(database, per_page=3), list_page(database, number=2, per_page=3)

    assert (ids(first), ids(second)) == ([5, 4, 3], [2, 1])
    assert (first.total, first.last) == (5, 2)
    assert ids(list_page(database, number=3, per_page=3)) == []
    assert ids(list_page(database, owner_id=None)) == [6, 5, 4, 3, 2, 1]
    assert ids(list_page(database, environment=TEST)) == [7]


def test_page_filters_by_email_and_status(database: Database) -> None:
    add(database, a_chat(1, email="bo@example.org"))
    add(database, a_chat(2, stored_status=Status.DIAGNOSED))
    add(database, a_chat(3, stored_status=Status.RESET, email="bo@example.org"))
    add(database, a_chat(4, active_at=NOW - IDLE))
    add(database, a_chat(5, active_at=NOW - IDLE + timedelta(microseconds=1)))

    assert ids(list_page(database, email="bo@example.org")) == [3, 1]
    assert ids(list_page(database, status=Status.AWAITING_ANSWER)) == [5, 1]
    assert ids(list_page(database, status=Status.DIAGNOSED)) == [2]
    assert ids(list_page(database, status=Status.RESET)) == [3]
    assert ids(list_page(database, status=Status.EXPIRED)) == [4]
    assert ids(list_page(database, status=Status.RESET, email="al@example.org")) == []
    result = {chat.session_id.int: chat.status for chat in list_page(database)}

    assert result == {
        1: Status.AWAITING_ANSWER,
        2: Status.DIAGNOSED,
        3: Status.RESET,
        4: Status.EXPIRED,
        5: Status.AWAITING_ANSWER,
    }


# The quota


def find_nth_start(database: Database, number: int, **filters: Any) -> datetime | None:
    with work.open_work(database, write=False) as unit:
        return unit.chats.nth_newest_start(number, **{"environment": LIVE, "owner_id": 7, **filters})


def test_nth_newest_start_counts_per_owner_and_environment(database: Database) -> None:
    for number in (1, 2, 3):
        add(database, a_chat(number, started_at=NOW + timedelta(hours=number)))
    add(database, a_chat(4, owner_id=8, started_at=NOW + timedelta(hours=9)))

    assert find_nth_start(database, 1) == NOW + timedelta(hours=3)
    assert find_nth_start(database, 3) == NOW + timedelta(hours=1)
    assert find_nth_start(database, 4) is None
    assert find_nth_start(database, 1, environment=TEST) is None
    with work.open_work(database, write=True) as unit:
        unit.chats.clear(a_chat(3).reset(NOW))

    assert find_nth_start(database, 1) == NOW + timedelta(hours=3)


def test_lock_starts_blocks_other_starts_until_the_end(database: Database, ada: User) -> None:
    numbers = iter(range(1, 31))

    def start() -> bool:
        number = next(numbers)
        with work.open_work(database, write=True) as unit:
            unit.chats.lock_starts(ada.id)
            if unit.chats.nth_newest_start(5, environment=LIVE, owner_id=ada.id) is not None:
                return False
            unit.chats.add(a_chat(number, owner_id=ada.id), (SYMPTOM,))
            return True

    assert sum(at_once(12, start)) == 5
    assert list_page(database, owner_id=ada.id).total == 5


def test_starts_at_once_keep_to_the_quota(core: Core) -> None:
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    ada = core.accounts.caller_for("ada@example.com")
    knowledge = core.chats.knowledge()
    all_within_quota = Barrier(4)

    def wait_for_the_others() -> Knowledge:
        all_within_quota.wait(30)
        return knowledge

    chats = evolve(core.chats, starts_per_day=1, knowledge=wait_for_the_others)

    def start() -> bool:
        try:
            chats.start("The brakes squeal.", caller=ada)
        except TooMany:
            return False
        return True

    assert sorted(at_once(4, start)) == [False, False, False, True]
