"""What a task is started with, and when it is not."""

from io import BytesIO

import pytest
from attrs import evolve

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.errors import Invalid, NotFound
from repaircore.tasks.errors import TaskFileGone, TooManyTasks
from repaircore.tasks.model import MOST_OPEN, TaskKind


@pytest.mark.parametrize(
    ("source", "stored"), [("", ""), (" Shop  \n A ", "Shop A"), ("x" * 60 + " ", "x" * 60), ("x" * 61, None)]
)
def test_source_of_a_file_has_at_most_sixty_characters(core: Core, source: str, stored: str | None) -> None:
    if stored is None:
        with pytest.raises(Invalid) as caught:
            core.task_starts.check_file("a.csv", BytesIO(b"x"), source=source)
        assert caught.value.fields.keys() == {"source"}
        return
    task = core.task_starts.check_file("a.csv", BytesIO(b"x"), source=source)

    assert task.options == {"source": stored, "columns": {}}


@pytest.mark.parametrize(
    ("name", "title"),
    [
        ("a.csv", "a.csv"),
        ("/srv/shop/a.csv", "a.csv"),
        ("C:\\shop\\a.csv", "a.csv"),
        (" a\n.csv ", "a.csv"),
        ("x" * 121, "x" * 120),
        ("folder/", "file"),
    ],
)
def test_title_is_the_name_of_the_file_without_folders(core: Core, name: str, title: str) -> None:
    task = core.task_starts.check_file(name, BytesIO(b"content"))
    with core.storage.read() as work:
        file = work.task_files.find(task.input_id or 0)

    assert task.title == title
    assert file is not None
    assert (file.name, file.size) == (title, 7)


@pytest.mark.parametrize(
    ("count", "title"), [(0, None), (1, "1 item"), (2, "2 items"), (1_500, "1,500 items")]
)
def test_items_are_counted_in_the_title(core: Core, count: int, title: str | None) -> None:
    items = [{"vin": "x"}] * count
    if title is None:
        with pytest.raises(Invalid) as caught:
            core.task_starts.predict_items(items)
        assert caught.value.fields.keys() == {"items"}
        return

    assert core.task_starts.predict_items(items).title == title


def test_account_has_so_many_open_tasks_at_most(core: Core) -> None:
    for _ in range(MOST_OPEN):
        core.task_starts.export_transactions()
    with pytest.raises(TooManyTasks):
        core.task_starts.export_transactions()
    test = evolve(LOCAL, environment=Environment.TEST)

    assert len(core.tasks.list_open()) == MOST_OPEN
    core.tasks.cancel(core.tasks.list_open()[0].id)
    assert core.task_starts.export_transactions(test).kind is TaskKind.EXPORT_TRANSACTIONS


def test_only_a_checked_file_is_checked_again_or_imported(core: Core) -> None:
    other = core.task_starts.refit()
    unchecked = core.task_starts.check_file("a.csv", BytesIO(b"x"))
    for act in (lambda number: core.task_starts.check_again(number, {}), core.task_starts.import_checked):
        with pytest.raises(TaskFileGone):
            act(other.id)
        with pytest.raises(NotFound):
            act(10**6)
    with pytest.raises(Invalid) as caught:
        core.task_starts.import_checked(unchecked.id)
    again = core.task_starts.check_again(unchecked.id, {})

    assert caught.value.fields.keys() == {"file"}
    assert (again.kind, again.input_id, again.title) == (unchecked.kind, unchecked.input_id, "a.csv")
