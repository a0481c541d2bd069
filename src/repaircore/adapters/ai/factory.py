"""Build models from settings; whoever runs offline pays for no network library."""

from collections.abc import Mapping
from typing import Final
from urllib.parse import urlsplit

from repaircore.adapters.ai.offline import OFFLINE, FlatRateModel, PriceIndexModel
from repaircore.adapters.ai.panel import ParallelPanel
from repaircore.estimates.ports import ModelPanel, PriceModel
from repaircore.kernel.errors import Invalid
from repaircore.settings import ModelSettings

__all__ = ["KINDS", "build_model", "build_panel"]

KINDS: Final = (OFFLINE, "openai", "anthropic")

FLAT_RATE: Final = "flat-rate"
PRICE_INDEX: Final = "price-index"
_OFFLINE_MODELS: Final[Mapping[str, type[PriceModel]]] = {
    FLAT_RATE: FlatRateModel,
    PRICE_INDEX: PriceIndexModel,
}


def build_panel(model_a: ModelSettings, model_b: ModelSettings) -> ModelPanel:
    """Build both models and the panel that asks them: offline, A is the flat-rate book, B the price index.

    Raises:
        Invalid: as ``build_model``.
    """
    built_a, built_b = _chosen(model_a, FLAT_RATE), _chosen(model_b, PRICE_INDEX)
    return ParallelPanel(built_a, built_b)


def _chosen(model: ModelSettings, offline: str) -> PriceModel:
    """Build a configured model; ``offline`` names the formula of an offline one without a name."""
    name = model.name or (offline if model.kind == OFFLINE else None)
    return build_model(model.kind, url=model.url, api_key=model.api_key, name=name)


def build_model(
    kind: str, *, url: str | None = None, api_key: str | None = None, name: str | None = None
) -> PriceModel:
    """Build one model; a remote one retries, and rests after repeated failures.

    Args:
        kind: ``offline``, ``openai`` or ``anthropic``.
        url: where a remote model is; without it, at the company that the kind is named for.
        api_key: the credential of a remote model; a local server may need none.
        name: the model's name at the server, needed for a remote one; for an offline one ``flat-rate``
            (unless told otherwise) or ``price-index``.

    Raises:
        Invalid: with what is wrong under the argument's name; a key is never quoted.
    """
    if kind == OFFLINE:
        return _offline(name or FLAT_RATE)
    _check_remote(kind, url, api_key, name)
    return _remote(kind, url, api_key, name or "")


def _offline(name: str) -> PriceModel:
    if name not in _OFFLINE_MODELS:
        raise Invalid({"name": [f"The name of an offline model is one of {', '.join(_OFFLINE_MODELS)}."]})
    return _OFFLINE_MODELS[name]()


def _remote(kind: str, url: str | None, api_key: str | None, name: str) -> PriceModel:
    # Imported here: httpx and msgspec take longer to import than a whole offline prediction.
    from repaircore.adapters.ai.chat_completions import ChatPriceModel  # noqa: PLC0415
    from repaircore.adapters.ai.messages import MessagesPriceModel  # noqa: PLC0415
    from repaircore.adapters.ai.resilience import resilient  # noqa: PLC0415

    remote = ChatPriceModel if kind == "openai" else MessagesPriceModel
    return resilient(remote.at(url, api_key=api_key, name=name))


def _check_remote(kind: str, url: str | None, api_key: str | None, name: str | None) -> None:
    wrong: dict[str, list[str]] = {}
    if kind not in KINDS:
        wrong["kind"] = [f"The kind of a model is one of {', '.join(KINDS)}."]
    if url is not None and not _is_address(url):
        wrong["url"] = ["The address of a model begins with http:// or https:// and names a host."]
    if api_key is not None and not (api_key.isascii() and api_key.isprintable() and " " not in api_key):
        wrong["api_key"] = ["The key of a model has letters, digits and punctuation only."]
    if not name:
        wrong["name"] = ["A model that is not offline needs a name."]
    if wrong:
        raise Invalid(wrong)


def _is_address(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        return False
