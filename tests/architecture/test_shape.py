"""Size limits; split whatever exceeds them by subject, not by line count."""

import ast
import re
from collections import Counter
from functools import cache
from pathlib import Path
from statistics import median, quantiles
from typing import Final, TypeAlias

from attrs import frozen

_SRC: Final = Path(__file__).parents[2] / "src"
_MODULES: Final = sorted(path for path in _SRC.rglob("*.py") if "migrations" not in path.parts)
_NO_SLICES: Final = {"adapters", "data", "kernel", "testing", "wiring"}
_ROUTES: Final = {"get", "post", "put", "patch", "delete"}
_PRIVATE_WORDS: Final = re.compile(r"\b(?:told|anew)\b")
_IMPORTS_JSON: Final = re.compile(
    r"^\s*(?:import|from) (?:json|orjson|rapidjson|simplejson|ujson)\b", re.MULTILINE
)
_REPLACED_NAMES: Final = {
    *("told", "wire_shape", "shown", "taking_over", "shelf", "moments", "named", "intake"),
    *("quick", "wire", "observed", "declared", "replay", "gate", "pieces"),
    *("looking_back", "proving", "paying", "meant", "walk", "computing", "rating", "sales"),
    *("covering", "returning", "following", "campaigns", "worth"),
    *("desk", "course", "watching", "accepting", "roster", "ending"),
    *("memory", "remembered", "forgetting", "sweeping", "patience", "turns", "filling", "condition"),
    *("tending", "giving_out", "opening", "asking"),
    *("faults", "doors", "outside", "house", "utils"),
}
"""Unclear names of modules; each has a common technical one."""

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef


@frozen
class _Shape:
    """The lengths of a module's functions and of its handlers, and whether it has ``__all__``."""

    functions: tuple[int, ...]
    handlers: tuple[int, ...]
    has_all: bool


@cache
def _shapes() -> tuple[_Shape, ...]:
    return tuple(_shape(ast.parse(path.read_text("utf-8"))) for path in _MODULES)


def _shape(tree: ast.Module) -> _Shape:
    functions = [node for node in ast.walk(tree) if isinstance(node, _Function)]
    return _Shape(
        functions=tuple(map(_body_lines, functions)),
        handlers=tuple(map(_body_lines, filter(_is_handler, functions))),
        has_all=_has_all(tree),
    )


def _body_lines(function: _Function) -> int:
    """Return the lines of a function below its signature and its docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def _is_handler(function: _Function) -> bool:
    called = [one.func for one in function.decorator_list if isinstance(one, ast.Call)]
    return any(isinstance(one, ast.Attribute) and one.attr in _ROUTES for one in called)


def _has_all(tree: ast.Module) -> bool:
    assigned = [target for node in tree.body if isinstance(node, ast.Assign) for target in node.targets]
    return any(isinstance(target, ast.Name) and target.id == "__all__" for target in assigned)


def _ninth_tenth(lengths: list[int]) -> float:
    return quantiles(lengths, n=10)[-1]


def test_slice_has_at_most_sixteen_modules() -> None:
    sizes = Counter(path.parent.name for path in _MODULES if path.parent.parent == _SRC / "repaircore")

    assert sizes
    assert not {name: size for name, size in sizes.items() if size > 16 and name not in _NO_SLICES}, (
        "make a slice of what is a subject of its own"
    )


def test_module_has_at_most_450_lines() -> None:
    lengths = {str(path.relative_to(_SRC)): len(path.read_text("utf-8").splitlines()) for path in _MODULES}

    assert not {name: length for name, length in lengths.items() if length > 450}, (
        "move what is a subject of its own into another module of the slice, or into a slice of its own"
    )


def test_functions_are_short() -> None:
    lengths = [length for shape in _shapes() for length in shape.functions]

    assert median(lengths) <= 4
    assert _ninth_tenth(lengths) <= 15


def test_handlers_are_thin() -> None:
    lengths = [length for shape in _shapes() for length in shape.handlers]

    assert len(lengths) > 100
    assert _ninth_tenth(lengths) <= 10


def test_few_modules_have_all() -> None:
    assert sum(shape.has_all for shape in _shapes()) < 40


def test_modules_have_common_technical_names() -> None:
    names = {part for path in _MODULES for part in path.relative_to(_SRC).with_suffix("").parts}

    assert not names & _REPLACED_NAMES


def test_private_words_are_rare() -> None:
    lines = [line for path in _MODULES for line in path.read_text("utf-8").splitlines()]

    assert sum(bool(_PRIVATE_WORDS.search(line)) for line in lines) < 20


def test_json_is_encoded_and_decoded_in_one_place() -> None:
    others = [path for path in _MODULES if _IMPORTS_JSON.search(path.read_text("utf-8"))]

    # The kernel imports nothing above it, and nobody else uses the text of a cursor.
    assert others == [_SRC / "repaircore" / "kernel" / "cursors.py"]
    encoders = [path for path in _MODULES if "msgspec.json.Encoder" in path.read_text("utf-8")]
    assert encoders == [_SRC / "repaircore" / "json_text.py"]
