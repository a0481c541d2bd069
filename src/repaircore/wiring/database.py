"""Wiring of the database, and its upgrade."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from repaircore.adapters.shipped.edition import edition, questionnaire_edition
from repaircore.adapters.sql.engine.storage import HEAD, Storage
from repaircore.book.identifiers import shipped_edition
from repaircore.kernel.errors import Unavailable
from repaircore.questionnaire.editions import is_outdated

if TYPE_CHECKING:
    from repaircore.core import Core


def storage(core: "Core") -> Storage:
    """Wire the database."""
    return Storage(core.settings.url, connections=core.settings.database_connections)


def secret(core: "Core") -> str:
    """Return the secret from which every key of the installation is derived; create it on first use.

    Raises:
        Unavailable: the file with the secret cannot be read or created.
    """
    from repaircore.adapters.crypto.installation import installation_secret

    return installation_secret(core.settings.secret_key, core.settings.secret_file)


def book_edition() -> str:
    """Return the edition of the repair book that ships with this version."""
    return edition()


def upgrade(core: "Core", report: Callable[[str], None]) -> None:
    """Upgrade the database to this version: its schema, and the repair book and the questionnaire in it."""
    if core.storage.revision() != HEAD:
        report("Preparing the database…")
        core.storage.upgrade()
    if shipped_edition(core.storage.book_edition() or "") != edition():
        report("Importing the repair book…")
        core.book_revisions.publish()
        report("")
    if is_outdated(core.storage.questionnaire_edition(), questionnaire_edition()):
        _import_questionnaire(core, report)


def _import_questionnaire(core: "Core", report: Callable[[str], None]) -> None:
    from repaircore.adapters.shipped.book import symptoms
    from repaircore.adapters.shipped.questionnaire import shipped_questionnaire

    report("Importing the questionnaire…")
    core.storage.import_questionnaire(questionnaire_edition(), shipped_questionnaire(symptoms().keys()))
    report("")


def obstacles(core: "Core") -> Sequence[str]:
    """List what in the database prevents serving, one sentence each."""
    try:
        revision = core.storage.revision()
        if revision != HEAD:
            return [core.storage.upgrade_blocker() or _outdated(revision)]
        current_book = core.storage.book_edition()
        current_questions = core.storage.questionnaire_edition()
    except Unavailable as outage:
        return [outage.message]  # names neither host nor user, so anyone may see it
    if shipped_edition(current_book or "") != edition():
        return [
            f"The repair book is at edition {current_book or 'none'}, not {edition()}. Run `repaircore db upgrade`."
        ]
    if is_outdated(current_questions, questionnaire_edition()):
        return [
            f"The questionnaire is at edition {current_questions or 'none'}, not {questionnaire_edition()}. Run `repaircore db upgrade`."
        ]
    return []


def _outdated(revision: str | None) -> str:
    return f"The database is at revision {revision or 'none'}, not at {HEAD}. Run `repaircore db upgrade`."
