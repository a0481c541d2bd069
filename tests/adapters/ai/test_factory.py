import subprocess
import sys

import pytest

from repaircore.adapters.ai import build_model, build_panel
from repaircore.kernel.errors import Invalid
from repaircore.settings import ModelSettings
from repaircore.testing.builders import a_question
from repaircore.testing.upstream import Answer, MisbehavingUpstream


def test_nothing_configured_gives_two_offline_models_that_differ() -> None:
    opinions = build_panel(ModelSettings(), ModelSettings()).ask(a_question(), offline=False, seconds=1)
    assert [opinion.source for opinion in opinions] == ["offline", "offline"]
    assert opinions[0].average != opinions[1].average
    assert opinions == build_panel(ModelSettings(), ModelSettings()).ask(
        a_question(), offline=True, seconds=1
    )


def test_the_offline_models_have_names() -> None:
    by_name = {name: build_model("offline", name=name).price(a_question(), seconds=1) for name in NAMES}
    assert build_model("offline").price(a_question(), seconds=1) == by_name["flat-rate"]
    assert by_name["flat-rate"] != by_name["price-index"]


NAMES = ("flat-rate", "price-index")


@pytest.mark.parametrize(
    ("kind", "path"), [("openai", "/v1/chat/completions"), ("anthropic", "/v1/messages")]
)
def test_a_remote_kind_speaks_its_protocol(kind: str, path: str) -> None:
    with MisbehavingUpstream(Answer(600)) as upstream:
        model = build_model(kind, url=upstream.url, api_key="k", name="m")
        assert model.source == kind
        assert model.price(a_question(), seconds=5) == 600_00
        assert upstream.requests(path) == 1


@pytest.mark.parametrize(
    ("field", "choice"),
    [
        ("kind", {"kind": "oracle", "name": "m"}),
        ("name", {"kind": "openai"}),
        ("name", {"kind": "offline", "name": "crystal-ball"}),
        ("url", {"kind": "openai", "name": "m", "url": "ftp://a.test"}),
        ("url", {"kind": "openai", "name": "m", "url": "https://"}),
        ("url", {"kind": "openai", "name": "m", "url": "http://a.test:99999"}),
        ("url", {"kind": "openai", "name": "m", "url": "http://[::1"}),
        ("api_key", {"kind": "anthropic", "name": "m", "api_key": "sk-1\r\nx-evil: 1"}),
        ("api_key", {"kind": "anthropic", "name": "m", "api_key": "clé"}),
    ],
)
def test_what_is_wrong_is_named_and_a_key_is_not(field: str, choice: dict[str, str]) -> None:
    with pytest.raises(Invalid) as wrong:
        build_model(**choice)
    assert set(wrong.value.fields) == {field}
    assert choice.get("api_key", "no key") not in str(wrong.value)


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(Invalid) as wrong:
        build_model("oracle", url="nowhere", api_key=" ", name=None)
    assert set(wrong.value.fields) == {"kind", "url", "api_key", "name"}


def test_a_choice_does_not_show_its_key() -> None:
    assert "sk-1" not in repr(
        ModelSettings(kind="openai", api_key="sk-1", url="https://user:sk-1@a.test", name="m")
    )


def test_offline_imports_no_network_library() -> None:
    program = """
import sys
from repaircore.adapters.ai import build_panel
from repaircore.settings import ModelSettings
build_panel(ModelSettings(), ModelSettings())
print(sorted({"httpx", "httpcore", "stamina", "structlog", "msgspec", "logging"} & set(sys.modules)))
"""
    done = subprocess.run(  # noqa: S603 - this interpreter, a fixed program
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stdout == "[]\n"
