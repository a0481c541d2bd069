"""The Home Assistant sensors of the page about other programs: their requests and values."""

import json
from pathlib import Path
from typing import Any, Final

import httpx
import pytest
import yaml
from jinja2 import Environment, StrictUndefined
from tests.docs.examples import ROOT, Page, blocks

_PAGE: Final = ROOT / "docs" / "howto" / "use-it-from-other-programs.md"


class _Loader(yaml.SafeLoader):  # type: ignore[misc] # PyYAML has no types here
    """Load ``!secret name`` as the name."""


_Loader.add_constructor("!secret", lambda _, node: node.value)


@pytest.mark.long
def test_sensors_of_home_assistant_have_values(tmp_path: Path) -> None:
    examples = blocks(_PAGE.read_text(encoding="utf-8"))
    (text,) = (block.text for block in examples if block.language == "yaml")
    with Page(tmp_path) as page:
        page.run(examples[:1])
        (request,) = yaml.load(page._with_ports(text), _Loader)["rest"]  # noqa: S506 - a safe loader
        key = json.loads((tmp_path / "home" / "key.json").read_text())["secret_key"]
        assert request["headers"] == {"Authorization": "repaircore_key"}
        answer = httpx.get(request["resource"], headers={"Authorization": f"Bearer {key}"}, trust_env=False)
    values = {
        sensor["name"]: _value(sensor["value_template"], answer.raise_for_status().json())
        for sensor in request["sensor"]
    }

    assert values.keys() == {"Car services overdue", "Car recalls open", "Car costs next year"}
    assert all(float(value) >= 0 for value in values.values()), values


def _value(template: str, answer: Any) -> str:
    return (
        Environment(undefined=StrictUndefined, autoescape=True)
        .from_string(template)
        .render(value_json=answer)
    )
