"""What all applications have in common is compiled once in a process: each test makes an application of its own."""

from collections.abc import Iterable
from copy import copy
from types import CodeType
from typing import Any, ClassVar, Final

from flask import Flask
from flask.sansio.blueprints import Blueprint
from jinja2.bccache import Bucket, BytecodeCache
from typing_extensions import override
from werkzeug.routing import Rule

from repaircore_http import service
from repaircore_http.app import Api, create_app
from repaircore_http.console import site
from repaircore_http.console.app import Console
from repaircore_http.core import Probed
from repaircore_http.fast_path.lane import FastLane
from repaircore_http.routes import Routes

_REGISTERED: Final = (
    "blueprints",
    "view_functions",
    "error_handler_spec",
    "url_value_preprocessors",
    "url_default_functions",
    "before_request_funcs",
    "after_request_funcs",
    "teardown_request_funcs",
    "template_context_processors",
)
"""What a Flask application learns from its blueprints."""
_COMPILED = ("_parts", "_trace", "_converters", "_build", "_build_unknown", "arguments")


def compile_once() -> None:
    """Compile each rule and each template of the console for the first application that has it."""
    if not isinstance(Console.jinja_options.get("bytecode_cache"), _CompiledTemplates):
        Console.jinja_options = {**Console.jinja_options, "bytecode_cache": _CompiledTemplates()}
        _cache_compiled_rules()
        _share_routes()


def _share_routes() -> None:
    """Have routes and pages registered once: they are the same for every core, which views find in their application."""
    first: dict[tuple[Routes, ...], Api] = {}

    def create_with_shared_routes(
        served: Probed, *, blueprints: Iterable[Routes], has_fast_lane: bool = True, **credentials: Any
    ) -> Api:
        key = tuple(blueprints)
        if key not in first:
            first[key] = create_app(served, blueprints=key, has_fast_lane=False, **credentials)
        app = create_app(served, blueprints=(), has_fast_lane=False, **credentials)
        _copy_routes(first[key], app)
        app._dialects = first[key]._dialects
        if has_fast_lane:
            rules = app.url_map.iter_rules()
            app.fast_lane = FastLane(
                served,
                credentials["authenticate"],
                rules,
                credentials["partner_auth"],
                credentials["admission"],
            )
        return app

    service.create_app = create_with_shared_routes  # type: ignore[attr-defined]
    site.Console = _SharingConsole  # type: ignore[attr-defined]


class _SharingConsole(Console):
    """A console that takes its pages from the first one that had the same."""

    _first: ClassVar[dict[tuple[Blueprint, ...], Console]] = {}

    @override
    def register_blueprint(self, blueprint: Blueprint, **options: Any) -> None:
        self.__dict__.setdefault("waiting", []).append(blueprint)

    @override
    def require_credentials(self) -> None:
        key = tuple(self.__dict__["waiting"])
        if key in self._first:
            _copy_routes(self._first[key], self)
            return
        for blueprint in key:
            super().register_blueprint(blueprint)
        super().require_credentials()
        self._first[key] = self


def _copy_routes(source: Flask, target: Flask) -> None:
    for name in _REGISTERED:
        setattr(target, name, copy(getattr(source, name)))
    target.url_map = source.url_map  # nobody adds to it afterwards


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
