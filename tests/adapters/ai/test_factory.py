import pytest
from tests.programs import printed

from repaircore.adapters.ai import build_model, build_panel
from repaircore.external_settings import ModelSettings
from repaircore.testing.builders import a_question
from repaircore.testing.upstream import Answer, MisbehavingUpstream


def test_no_configuration_gives_two_different_offline_models() -> None:
    opinions = build_panel(ModelSettings(), ModelSettings()).ask(a_question(), offline=False, seconds=1)

    assert [opinion.source for opinion in opinions] == ["offline", "offline"]
    assert opinions[0].average != opinions[1].average
    assert opinions == build_panel(ModelSettings(), ModelSettings()).ask(
        a_question(), offline=True, seconds=1
    )


def test_offline_models_have_names() -> None:
    by_name = {name: build_model(ModelSettings(name=name)).price(a_question(), seconds=1) for name in NAMES}

    assert build_model(ModelSettings()).price(a_question(), seconds=1) == by_name["component-table"]
    assert by_name["component-table"] != by_name["hours-regression"]


NAMES = ("component-table", "hours-regression")


@pytest.mark.parametrize(
    ("kind", "path"), [("openai", "/v1/chat/completions"), ("anthropic", "/v1/messages")]
)
def test_remote_kind_uses_its_protocol(kind: str, path: str) -> None:
    with MisbehavingUpstream(Answer(600)) as upstream:
        model = build_model(ModelSettings(kind=kind, url=upstream.url, api_key="k", name="m"))

        assert model.source == kind
        assert model.price(a_question(), seconds=5) == 600_00
        assert upstream.requests(path) == 1


def test_build_panel_imports_no_network_library_offline() -> None:
    program = """
import sys
from repaircore.adapters.ai import build_panel
from repaircore.external_settings import ModelSettings
build_panel(ModelSettings(), ModelSettings())
print(sorted({"httpx", "httpcore", "logging"} & set(sys.modules)))
"""

    assert printed(program) == "[]\n"
