"""Only admins may do what operators do, checked in the use cases because embedding applications call them directly."""

from collections.abc import Callable
from datetime import UTC, datetime
from io import BytesIO

import pytest
from attrs import evolve

from repaircore.core import Core
from repaircore.kernel.callers import Caller, Credential, Environment, Role
from repaircore.kernel.errors import Forbidden
from repaircore.kernel.imports import Upload
from repaircore.messages.model import MessageFilter

_USER = Caller(user_id=1, role=Role.USER, environment=Environment.LIVE, credential=Credential.SESSION)
_TEST_ADMIN = evolve(_USER, role=Role.ADMIN, environment=Environment.TEST)
_DAY = datetime(2026, 3, 4, tzinfo=UTC)

_ADMINS: dict[str, Callable[[Core, Caller], object]] = {
    "audit.list_newest": lambda core, caller: core.audit.list_newest(caller=caller),
    "audit.page": lambda core, caller: core.audit.page(caller=caller),
    "audit.list_each": lambda core, caller: core.audit.list_each(caller=caller),
    "audit.list_actions": lambda core, caller: core.audit.list_actions(caller),
    "backups.list_made": lambda core, caller: core.backups.list_made(caller, limit=1),
    "businesses.add": lambda core, caller: core.businesses.add({}, caller),
    "drivers.remove": lambda core, caller: core.drivers.remove("x", caller),
    "drivers.import_file": lambda core, caller: core.drivers.import_file(
        Upload(name="x", content=BytesIO(b""), environment=caller.environment), caller=caller
    ),
    "jobs.list_statuses": lambda core, caller: core.jobs.list_statuses(caller),
    "messages.list_about": lambda core, caller: core.messages.list_about("x", caller),
    "messages.list_newest": lambda core, caller: core.messages.list_newest(MessageFilter(), caller=caller),
    "partner_members.add": lambda core, caller: core.partner_members.add("x", "x", caller),
    "partner_members.remove": lambda core, caller: core.partner_members.remove("x", "x", caller),
    "partner_members.list_for": lambda core, caller: core.partner_members.list_for("x", caller),
    "partner_members.list_by_partner": lambda core, caller: core.partner_members.list_by_partner([], caller),
    "partners.create": lambda core, caller: core.partners.create("x", "test", caller),
    "partners.list_page": lambda core, caller: core.partners.list_page(operator=caller),
    "partners.list_names": lambda core, caller: core.partners.list_names([], caller),
    "partners.suspend": lambda core, caller: core.partners.suspend("x", caller),
    "partners.resume": lambda core, caller: core.partners.resume("x", caller),
    "partners.rotate_keys": lambda core, caller: core.partners.rotate_keys("x", "test", caller),
    "provider_keys.create": lambda core, caller: core.provider_keys.create("x", caller),
    "provider_keys.list_for": lambda core, caller: core.provider_keys.list_for("x", caller),
    "provider_keys.revoke": lambda core, caller: core.provider_keys.revoke("x", caller),
    "tasks.list_open": lambda core, caller: core.tasks.list_open(caller),
    "task_starts.check_file": lambda core, caller: core.task_starts.check_file("x", BytesIO(b"x"), caller),
    "task_starts.check_again": lambda core, caller: core.task_starts.check_again(1, {}, caller),
    "task_starts.import_checked": lambda core, caller: core.task_starts.import_checked(1, caller),
    "task_starts.undo_import": lambda core, caller: core.task_starts.undo_import(1, caller),
    "task_starts.export_transactions": lambda core, caller: core.task_starts.export_transactions(caller),
    "task_starts.refit": lambda core, caller: core.task_starts.refit(caller),
    "webhook_operations.list_all": lambda core, caller: core.webhook_operations.list_all(caller),
    "webhook_operations.list_attempts": lambda core, caller: core.webhook_operations.list_attempts(
        caller=caller
    ),
    "webhook_operations.replay": lambda core, caller: core.webhook_operations.replay("x", caller),
    "webhook_operations.replay_between": lambda core, caller: core.webhook_operations.replay_between(
        _DAY, caller=caller
    ),
    "webhook_operations.test": lambda core, caller: core.webhook_operations.test("x", caller),
}

_LIVE_ADMINS: dict[str, Callable[[Core, Caller], object]] = {
    "backups.make_for": lambda core, caller: core.backups.make_for(caller),
    "backups.store": lambda core, caller: core.backups.store(1, caller),
    "backups.open_stored": lambda core, caller: core.backups.open_stored(1, caller),
    "facilities.delete": lambda core, caller: core.facilities.delete(1, caller),
    "facilities.recalculate": lambda core, caller: core.facilities.recalculate(caller),
    "jobs.request_run": lambda core, caller: core.jobs.request_run("x", caller),
    "task_starts.recalculate_regions": lambda core, caller: core.task_starts.recalculate_regions(caller),
    "task_starts.back_up": lambda core, caller: core.task_starts.back_up(caller),
}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: nothing is read."""
    return sqlite_url


@pytest.mark.parametrize("act", [*_ADMINS.values(), *_LIVE_ADMINS.values()], ids=[*_ADMINS, *_LIVE_ADMINS])
def test_users_may_not_do_what_operators_do(core: Core, act: Callable[[Core, Caller], object]) -> None:
    with pytest.raises(Forbidden):
        act(core, _USER)


@pytest.mark.parametrize("act", _LIVE_ADMINS.values(), ids=_LIVE_ADMINS)
def test_test_keys_may_not_change_the_installation(core: Core, act: Callable[[Core, Caller], object]) -> None:
    with pytest.raises(Forbidden):
        act(core, _TEST_ADMIN)
