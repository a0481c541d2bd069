"""Builds models from settings. Network libraries are imported only when a model needs them."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from repaircore.adapters.ai.book_describer import BookDescriber
from repaircore.adapters.ai.offline import ComponentTableModel, HoursRegressionModel
from repaircore.adapters.ai.panel import ParallelPanel
from repaircore.external_settings import (
    COMPONENT_TABLE,
    HOURS_REGRESSION,
    OFFLINE,
    ModelSettings,
    VisionSettings,
)
from repaircore.predictions.ports import ModelPanel, PriceModel
from repaircore.problems.ports import Describer

if TYPE_CHECKING:
    from repaircore.adapters.ai.chat_completions import ChatServer
    from repaircore.adapters.ai.messages import MessagesServer
    from repaircore.chat.ports import LightReader
    from repaircore.diagnosis.ports import Interpreter
    from repaircore.vehicles.ports import VisionModel


_FORMULAS: Final[Mapping[str, type[PriceModel]]] = {
    COMPONENT_TABLE: ComponentTableModel,
    HOURS_REGRESSION: HoursRegressionModel,
}


def build_panel(
    model_a: ModelSettings,
    model_b: ModelSettings,
    *,
    around: Callable[[str, PriceModel], PriceModel] = lambda _, model: model,
) -> ModelPanel:
    """Return the panel of both models.

    An offline model A is the component table by default, an offline model B the hours regression.
    ``around`` is called with a model's letter ("a" or "b") and the model, and returns the model to use.
    """
    return ParallelPanel(
        around("a", build_model(model_a)), around("b", build_model(model_b, formula=HOURS_REGRESSION))
    )


def build_model(model: ModelSettings, *, formula: str = COMPONENT_TABLE) -> PriceModel:
    """Return a price model; ``formula`` is what an offline model uses unless its settings name another."""
    if model.kind == OFFLINE:
        return _FORMULAS[model.name or formula]()
    return _remote(model, model.name or "")


def _remote(model: ModelSettings, name: str) -> PriceModel:
    # Imported here: httpx takes longer to import than a whole offline prediction.
    from repaircore.adapters.ai.chat_completions import ChatPriceModel  # noqa: PLC0415
    from repaircore.adapters.ai.messages import MessagesPriceModel  # noqa: PLC0415

    remote = ChatPriceModel if model.kind == "openai" else MessagesPriceModel
    return remote.at(model.url, api_key=model.api_key, name=name)


def build_describer(model: ModelSettings, symptoms: Mapping[str, str]) -> Describer:
    """Return the describer for repairs; ``symptoms`` maps slugs to names."""
    if model.kind == OFFLINE:
        return BookDescriber(symptoms)
    # Imported here: httpx takes longer to import than a description takes to write.
    from repaircore.adapters.ai.chat_completions import ChatServer  # noqa: PLC0415
    from repaircore.adapters.ai.describers import ChatDescriber, MessagesDescriber  # noqa: PLC0415

    server = _server(model)
    if isinstance(server, ChatServer):
        return ChatDescriber(server, symptoms)
    return MessagesDescriber(server, symptoms)


def build_diagnostician(model: ModelSettings) -> "Interpreter":
    """Return the interpreter for what owners write; ``model`` must not be offline."""
    from repaircore.adapters.ai.diagnosticians import ServedDiagnostician  # noqa: PLC0415 - as above

    return ServedDiagnostician(_server(model))


def build_light_reader(model: VisionSettings) -> "LightReader":
    """Return the reader for warning lights; ``model`` must not be off."""
    from repaircore.adapters.ai.vision import ServedLightReader  # noqa: PLC0415 - as above

    return ServedLightReader(_server(model))


def build_vision(model: VisionSettings) -> "VisionModel":
    """Return the vision model; ``model`` must not be off."""
    from repaircore.adapters.ai.vision import ServedVisionModel  # noqa: PLC0415 - as above

    return ServedVisionModel(_server(model))


def _server(model: ModelSettings | VisionSettings) -> "ChatServer | MessagesServer":
    from repaircore.adapters.ai.chat_completions import ChatServer  # noqa: PLC0415 - as above
    from repaircore.adapters.ai.messages import MessagesServer  # noqa: PLC0415 - as above

    served = ChatServer if model.kind == "openai" else MessagesServer
    return served.at(model.url, api_key=model.api_key, name=model.name or "")
