"""What all applications have in common is compiled once in a process: each test makes an application of its own."""

from copy import copy
from types import CodeType
from typing import Any

from jinja2.bccache import Bucket, BytecodeCache
from typing_extensions import override
from werkzeug.routing import Rule

from repaircore_http.console.app import Console

_COMPILED = ("_parts", "_trace", "_converters", "_build", "_build_unknown", "arguments")


def compile_once() -> None:
    """Compile each rule and each template of the console for the first application that has it."""
    if not isinstance(Console.jinja_options.get("bytecode_cache"), _CompiledTemplates):
        Console.jinja_options = {**Console.jinja_options, "bytecode_cache": _CompiledTemplates()}
        _cache_compiled_rules()


def _cache_compiled_rules() -> None:
    """Have werkzeug compile each rule once, which is half of what making an application costs.

    What is compiled follows from what the key names.
    """
    cache: dict[tuple[Any, ...], dict[str, Any]] = {}
    compile_rule = Rule.compile

    def compile_once(rule: Rule) -> None:
        assert rule.map is not None
        converters = tuple(rule.map.converters.items())
        key = (rule.rule, rule.host, rule.subdomain, rule.merge_slashes, repr(rule.defaults), converters)
        if key not in cache:
            compile_rule(rule)
            builders = {name: getattr(rule, name).__func__ for name in ("_build", "_build_unknown")}
            cache[key] = {name: getattr(rule, name) for name in _COMPILED} | builders
        for name, value in cache[key].items():
            setattr(rule, name, value.__get__(rule) if name.startswith("_build") else copy(value))

    Rule.compile = compile_once  # type: ignore[assignment,method-assign]


class _CompiledTemplates(BytecodeCache):
    """Compiled templates by name and content."""

    def __init__(self) -> None:
        self._code: dict[tuple[str, str], CodeType | None] = {}

    @override
    def load_bytecode(self, bucket: Bucket) -> None:
        bucket.code = self._code.get((bucket.key, bucket.checksum))

    @override
    def dump_bytecode(self, bucket: Bucket) -> None:
        self._code[bucket.key, bucket.checksum] = bucket.code
