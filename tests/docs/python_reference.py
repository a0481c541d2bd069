"""The reference page of the library: ``python -m tests.docs.python_reference > docs/reference/python.md``.

Everything is read from the sources without running them: the use cases of each service that ``Core`` has and inherits, and the values that
``repaircore`` exports, with their docstrings.
"""

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from inspect import cleandoc
from typing import Final

from tests.docs.examples import ROOT

_SOURCES: Final = ROOT / "src"
_CORE: Final = "repaircore.core"
_PARTNER_SERVICES: Final = "repaircore.partner_services"
_PUBLIC: Final = "repaircore"
_HEAD: Final = """# The Python library

`build(settings)` gives a `Core`; each of its attributes has the use cases of one subject, and is made when it is first asked
for. The HTTP API and the command line call the same use cases: whatever they can do, a program can. Money is in whole cents, times are
aware and in UTC. What cannot be done is [an exception of a few kinds](errors.md#in-the-library).

This page is made from the docstrings (`python -m tests.docs.python_reference`). [How it is
built](../explanation/architecture.md) says where to look for the rest.

```python
from repaircore import PredictByVin, Settings, build

core = build(Settings(database_url="sqlite:///shop.db"))
request = PredictByVin(vin="1HGCM82633A004352", zip_code="90210", problem_identifier="brake-pads-front")
prediction = core.predictions.predict(request)
print(prediction.figures.problem.display_name)
core.close()
```

```text
Brakes > Front Brake Pads
```

Whoever calls on behalf of somebody passes their `Caller` (`core.accounts.caller_for(email)`); without one the call is the
installation's own, and sees everything.
"""


def page() -> str:
    """Write the page."""
    return "\n".join([_HEAD, "## The services of a core", *_services(), "", "## Values", *_values()]) + "\n"


def _services() -> Iterator[str]:
    for attribute in (*_class(_CORE, "Core").body, *_class(_PARTNER_SERVICES, "PartnerServices").body):
        if isinstance(attribute, ast.Assign):
            service = ast.unparse(attribute.targets[0])
            module, name = _returned_by(*_wired(attribute.value))
            found = _class(module, name)
            yield f"\n### core.{service}\n\n{_markdown(found)}\n\n`{module}.{name}`"
            for method in _methods(found):
                yield "\n" + _call(f"core.{service}.", method)


def _wired(value: ast.expr) -> tuple[str, str]:
    """Return the module and the function of ``cached_property(lambda core: wiring.area.service(core))``."""
    found = re.search(r"wiring\.(\w+)\.(\w+)\(core\)", ast.unparse(value))
    assert found, ast.unparse(value)
    return f"{_PUBLIC}.wiring.{found[1]}", found[2]


def _returned_by(module: str, function: str) -> tuple[str, str]:
    """Return the module and the name of the class that a function returns."""
    returned = next(
        node.returns
        for node in _module(module).body
        if isinstance(node, ast.FunctionDef) and node.name == function
    )
    name = re.sub(r"\W.*", "", ast.unparse(returned).strip("'")) if returned else ""
    return _imported(module)[name], name


def _values() -> Iterator[str]:
    homes = _imported(_PUBLIC)
    for name, home in sorted(homes.items()):
        if name.startswith("__"):
            continue
        tree = _module(home)
        found = next(
            (
                one
                for one in tree.body
                if isinstance(one, ast.ClassDef | ast.FunctionDef) and one.name == name
            ),
            None,
        )
        if isinstance(found, ast.FunctionDef):
            yield "\n### " + name + "\n\n" + _call("", found)
        elif isinstance(found, ast.ClassDef):
            yield f"\n### {name}\n\n{_markdown(found)}"
            if name == "Core":
                yield from (
                    "\n" + _call("core.", one)
                    for one in _methods(found)
                    if not _is_attribute(one, "property", "cached_property")
                )
            fields = [one for one in found.body if isinstance(one, ast.AnnAssign) and not _hidden(one)]
            if fields:
                yield "\n| field | type | default |\n|---|---|---|"
                yield from (_field(one) for one in fields)


def _is_attribute(method: ast.FunctionDef, *kinds: str) -> bool:
    return any(ast.unparse(one) in kinds for one in method.decorator_list)


def _hidden(field: ast.AnnAssign) -> bool:
    return ast.unparse(field.target).startswith("_") or "ClassVar" in ast.unparse(field.annotation)


def _field(field: ast.AnnAssign) -> str:
    default = f"`{ast.unparse(_default(field.value))}`" if field.value is not None else ""
    kind = ast.unparse(field.annotation).strip("'")
    cells = [f"`{ast.unparse(field.target)}`", f"`{kind}`", default]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _default(value: ast.expr) -> ast.expr:
    """Return the value of ``field(default=…)``, or the value itself."""
    expected = {one.arg: one.value for one in value.keywords} if isinstance(value, ast.Call) else {}
    return expected.get("default", value)


def _call(before: str, method: ast.FunctionDef) -> str:
    arguments = ast.unparse(method.args).removeprefix("self").removeprefix(", ")
    arguments = re.sub(r"(?<=[\w\]'])=(?!=)", " = ", arguments)
    result = f" -> {ast.unparse(method.returns)}" if method.returns else ""
    signature = f"{before}{method.name}({arguments}){result}".replace("'", "")
    return f"`{signature}`\n\n{_indented(_markdown(method))}"


def _indented(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.splitlines())


def _markdown(documented: ast.ClassDef | ast.FunctionDef) -> str:
    """Return a docstring as Markdown."""
    text = cleandoc(ast.get_docstring(documented) or "")
    text = text.replace("``", "`")
    return re.sub(
        r"^(Raises|Args|Returns|Yields):\n((?:[ ]{4}.*\n?)+)", _section, text, flags=re.MULTILINE
    ).rstrip()


def _section(found: re.Match[str]) -> str:
    entries: list[str] = []
    for line in found[2].splitlines():
        if line.startswith(" " * 8) and entries:
            entries[-1] += " " + line.strip()
        else:
            entries.append(line.strip())
    return (
        f"{found[1]}:\n\n" + "\n".join("- " + re.sub(r"^(\w+):", r"`\1`:", entry) for entry in entries) + "\n"
    )


def _methods(found: ast.ClassDef) -> list[ast.FunctionDef]:
    return [one for one in found.body if isinstance(one, ast.FunctionDef) and not one.name.startswith("_")]


def _class(module: str, name: str) -> ast.ClassDef:
    return next(one for one in _module(module).body if isinstance(one, ast.ClassDef) and one.name == name)


def _imported(module: str) -> dict[str, str]:
    """Return the module of each imported name, including imports for type checking."""
    nodes = [one for one in ast.walk(_module(module)) if isinstance(one, ast.ImportFrom)]
    return {
        name.name: str(node.module)
        for node in nodes
        for name in node.names
        if (node.module or "").startswith(_PUBLIC)
    }


@cache
def _module(name: str) -> ast.Module:
    path = _SOURCES.joinpath(*name.split("."))
    return ast.parse(
        (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")
    )


if __name__ == "__main__":
    sys.stdout.write(page())
