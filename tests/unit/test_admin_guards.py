"""Who may call what only admins may, checked in the use cases because embedding applications call them directly."""

from collections.abc import Callable, Mapping
from io import BytesIO
from typing import Final, TypeAlias
from uuid import UUID

from tests.unit.learning.test_service import NEW_TRANSACTION

from repaircore.core import Core
from repaircore.kernel.callers import Caller, Credential, Environment, Role
from repaircore.kernel.errors import Failure, Forbidden
from repaircore.kernel.imports import Upload
from repaircore.vehicles.validation import CreateVehicle

USER = Caller(user_id=1, role=Role.USER, environment=Environment.LIVE, credential=Credential.SESSION)
ADMIN_IN_TEST = Caller(
    user_id=1, role=Role.ADMIN, environment=Environment.TEST, credential=Credential.SECRET, key_id=1
)
UPLOAD = Upload(name="x.csv", content=BytesIO(b""), environment=Environment.LIVE)

Call: TypeAlias = Callable[[Core, Caller], object]

OF_ADMINS: Final[Mapping[str, Call]] = {
    "backup": lambda core, caller: core.backups.make_for(caller),
    "stored backup": lambda core, caller: core.backups.open_stored(1, caller),
    "list of backups": lambda core, caller: core.backups.list_made(caller, limit=1),
    "file": lambda core, caller: core.invoice_files.import_file(UPLOAD, caller=caller),
    "waiting lines": lambda core, caller: core.invoice_reviews.list_waiting(caller),
    "count of waiting lines": lambda core, caller: core.invoice_reviews.count_waiting(caller),
    "sources": lambda core, caller: core.invoice_reviews.list_sources(caller),
    "acceptance": lambda core, caller: core.invoice_reviews.accept("x", "alternator", caller),
    "skip": lambda core, caller: core.invoice_reviews.skip("x", caller),
    "imports": lambda core, caller: core.invoice_reviews.list_imports(caller),
    "undo": lambda core, caller: core.invoice_reviews.undo(1, caller),
    "draft from a file": lambda core, caller: core.invoice_drafts.create(
        BytesIO(b""), name="x", caller=caller
    ),
    "draft": lambda core, caller: core.invoice_drafts.get("D-1", caller),
    "drafts": lambda core, caller: core.invoice_drafts.page(caller),
    "accuracy": lambda core, caller: core.accuracy.report(caller),
    "figures": lambda core, caller: core.figures.read(caller),
    "users": lambda core, caller: core.user_administration.page(caller=caller),
    "user": lambda core, caller: core.user_administration.get(1, caller),
    "new transaction": lambda core, caller: core.transactions.record(NEW_TRANSACTION, caller),
    "changed transaction": lambda core, caller: core.transactions.update(1, caller, notes="x"),
    "deleted transaction": lambda core, caller: core.transactions.delete(1, caller),
    "price history": lambda core, caller: core.price_histories.of(101, caller=caller),
    "transactions": lambda core, caller: core.ledger.page(caller=caller),
    "statistics": lambda core, caller: core.ledger.statistics(caller=caller),
    "transaction": lambda core, caller: core.ledger.get(1, caller),
    "details": lambda core, caller: core.ledger.get_details(1, caller),
    "options": lambda core, caller: core.ledger.form_options(caller),
    "refit": lambda core, caller: core.refits.refit(caller),
    "export of priors": lambda core, caller: core.pooling.export(caller),
    "import of priors": lambda core, caller: core.pooling.import_priors({}, caller),
    "removal of priors": lambda core, caller: core.pooling.remove(caller),
    "standing of priors": lambda core, caller: core.pooling.standing(caller),
    "outstanding refit": lambda core, caller: core.pooling.is_refit_outstanding(caller),
    "import": lambda core, caller: core.invoice_imports.import_file(UPLOAD, caller=caller),
    "export of a person": lambda core, caller: core.persons.export("ada@example.com", caller=caller),
    "erasure of a person": lambda core, caller: core.persons.erase("ada@example.com", caller=caller),
}

OF_OPERATORS: Final[Mapping[str, Call]] = {
    "price adjustment": lambda core, caller: core.predictions.adjust_prices(5, caller),
    "new user": lambda core, caller: core.accounts.create_user(
        name="Ada", email="ada@example.com", password="correct horse", caller=caller
    ),
    "role": lambda core, caller: core.accounts.set_role("ada@example.com", Role.ADMIN, caller),
    "lock": lambda core, caller: core.user_administration.lock("ada@example.com", caller),
    "unlock": lambda core, caller: core.user_administration.unlock("ada@example.com", caller),
    "new vehicle": lambda core, caller: core.stored_vehicles.create(
        CreateVehicle(vin_mask="1HGCM826*3A", current_mileage=1), caller
    ),
    "changed vehicle": lambda core, caller: core.stored_vehicles.update(UUID(int=1), {}, caller),
    "deleted vehicle": lambda core, caller: core.stored_vehicles.delete(UUID(int=1), caller),
}


def allowed(core: Core, calls: Mapping[str, Call], caller: Caller) -> set[str]:
    """Return the names of the use cases that a caller is not forbidden to call, whatever else goes wrong."""
    found = set(calls)
    for name, call in calls.items():
        try:
            call(core, caller)
        except Forbidden:
            found.discard(name)
        except Failure:
            pass
    return found


def test_users_call_nothing_of_admins(core: Core) -> None:
    assert allowed(core, {**OF_ADMINS, **OF_OPERATORS}, USER) == set()


def test_admins_in_the_test_environment_change_nothing_of_both(core: Core) -> None:
    assert allowed(core, OF_OPERATORS, ADMIN_IN_TEST) == set()
    assert allowed(core, {"transactions": OF_ADMINS["transactions"]}, ADMIN_IN_TEST) == {"transactions"}
