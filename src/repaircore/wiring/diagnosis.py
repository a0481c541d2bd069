"""Wiring of diagnoses, trouble codes, the questionnaire and chats."""

import os
from typing import TYPE_CHECKING

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.codes import code_table
from repaircore.adapters.shipped.complaints import repair_groups, retrain, word_model
from repaircore.adapters.shipped.dangers import danger_model, retrain_dangers
from repaircore.adapters.shipped.edition import questionnaire_edition
from repaircore.adapters.shipped.questionnaire import shipped_questionnaire
from repaircore.adapters.shipped.vocabulary import lexicon, vocabulary
from repaircore.chat.listening import Listener
from repaircore.chat.photos import Photos
from repaircore.chat.service import Chats
from repaircore.diagnosis.consultation import Consultations
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.outcomes import Outcomes
from repaircore.diagnosis.service import Diagnoses
from repaircore.external_settings import OFFLINE
from repaircore.problems.search import ProblemIndex
from repaircore.questionnaire.editing import QuestionnaireEditor
from repaircore.questionnaire.service import Questionnaire
from repaircore.trouble_codes.service import Codes
from repaircore.wiring.shared import shared_slot
from repaircore.word_model.weights_text import load

if TYPE_CHECKING:
    from repaircore.chat.ports import LightReader
    from repaircore.core import Core
    from repaircore.diagnosis.ports import Interpreter


def diagnoses(core: "Core") -> Diagnoses:
    """Wire diagnosis of complaints."""
    return Diagnoses(
        transaction=core.storage.transaction,
        read=core.storage.read,
        index=core.problems.index,
        make=_knowledge,
        vehicles=lambda: core.vehicles,
        zip_codes=core.facilities.zip_codes,
        prices=core.price_ranges.ranges,
        random=os.urandom,
        clock=core.clock,
        cache=shared_slot("knowledge"),
    )


def consultations(core: "Core") -> Consultations:
    """Wire step-by-step diagnosis, which needs no account."""
    return Consultations(
        knowledge=core.diagnoses.knowledge,
        vehicles=lambda: core.vehicles,
        zip_codes=core.facilities.zip_codes,
        prices=core.price_ranges.ranges,
    )


def outcomes(core: "Core") -> Outcomes:
    """Wire the outcomes of diagnoses, and learning from them."""
    return Outcomes(
        transaction=core.storage.transaction,
        read=core.storage.read,
        shipped=word_model,
        groups=repair_groups,
        train=lambda: retrain(book().problems, vocabulary().symptoms),
        train_dangers=retrain_dangers,
        clock=core.clock,
    )


def trouble_codes(core: "Core") -> Codes:
    """Wire trouble codes."""
    return Codes(read=core.storage.read, table=code_table, vehicles=lambda: core.vehicles)


def questionnaire(core: "Core") -> Questionnaire:
    """Wire the questionnaire and its answers."""
    return Questionnaire(
        transaction=core.storage.transaction,
        read=core.storage.read,
        knowledge=core.diagnoses.knowledge,
        random=os.urandom,
        clock=core.clock,
    )


def questionnaire_editing(core: "Core") -> QuestionnaireEditor:
    """Wire questionnaire editing."""
    return QuestionnaireEditor(
        transaction=core.storage.transaction,
        read=core.storage.read,
        symptoms=lambda: vocabulary().symptoms,
        shipped=shipped_questionnaire,
        edition=questionnaire_edition(),
        clock=core.clock,
    )


def chats(core: "Core") -> Chats:
    """Wire diagnostic chats."""
    return Chats(
        transaction=core.storage.transaction,
        read=core.storage.read,
        knowledge=core.diagnoses.knowledge,
        vehicles=lambda: core.vehicles,
        listener=Listener(interpreter=lambda: core.interpreter, seconds=core.settings.prediction_seconds),
        photos=Photos(vehicles=lambda: core.vehicles, lights=lambda: core.light_reader),
        starts_per_day=core.settings.chat_starts_per_day,
        new_id=core.new_id,
        clock=core.clock,
    )


def interpreter(core: "Core") -> "Interpreter | None":
    """Wire the model that interprets complaints, or return None if they are interpreted offline."""
    if core.settings.diagnostician.kind == OFFLINE:
        return None
    from repaircore.adapters.ai.factory import build_diagnostician

    return build_diagnostician(core.settings.diagnostician)


def light_reader(core: "Core") -> "LightReader | None":
    """Wire the model that reads warning lights in photos, or return None if none is configured."""
    if not core.settings.vision.is_on:
        return None
    from repaircore.adapters.ai.factory import build_light_reader

    return build_light_reader(core.settings.vision)


def _knowledge(index: ProblemIndex, weights: str) -> Knowledge:
    return Knowledge(
        index.problems,
        vocabulary(),
        code_table(),
        lexicon(),
        groups=repair_groups(),
        word_model=load(weights) if weights else word_model(),
        danger_model=danger_model(),
        index=index,
    )
