"""Import contracts by pattern: a new slice, or a new module in one, needs no entry in a list."""

from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from typing import Final

from grimp import ImportGraph
from importlinter import Contract, ContractCheck, fields, output
from typing_extensions import override

_PURE: Final = ("model", "errors")
"""Modules that by their name import no ports."""


class _Problems(Contract):
    """A contract that reports problems as sentences."""

    def problems(self, graph: ImportGraph) -> Iterator[str]:
        """Yield the violations of the contract."""
        raise NotImplementedError

    @override
    def check(self, graph: ImportGraph, verbose: bool) -> ContractCheck:
        found = list(self.problems(graph))
        return ContractCheck(kept=not found, metadata={"found": found})

    @override
    def render_broken_contract(self, check: ContractCheck) -> None:
        for problem in check.metadata["found"]:
            output.print_error(f"  {problem}")


class SlicesContract(_Problems):
    """Inside each package below ``root`` but those ``outside``.

    A module that imports the package's ``ports`` is a use case. ``model``, ``errors``, the rules and ``ports`` itself
    import no use case and no ``views``; only use cases import ``ports``; and no modules import one another in a circle.
    """

    root: str = fields.StringField()  # type: ignore[assignment]
    outside: set[str] = fields.SetField(subfield=fields.StringField())  # type: ignore[assignment]

    @override
    def problems(self, graph: ImportGraph) -> Iterator[str]:
        for package in sorted(graph.find_children(self.root)):
            if package.rpartition(".")[2] not in self.outside:
                yield from _inside(package, _imports_inside(graph, package))


def _imports_inside(graph: ImportGraph, package: str) -> dict[str, set[str]]:
    members = graph.find_children(package)
    return {
        module.removeprefix(f"{package}."): {
            other.removeprefix(f"{package}.")
            for other in graph.find_modules_directly_imported_by(module) & members
        }
        for module in members
    }


def _inside(package: str, imports: Mapping[str, set[str]]) -> Iterator[str]:
    try:
        order = list(TopologicalSorter(imports).static_order())
    except CycleError as cycle:
        yield f"{package}: a circle of imports: {' -> '.join(cycle.args[1])}"
        return
    use_cases = {module for module in order if "ports" in imports[module]}
    for module in sorted(use_cases & {*_PURE, "views"}):
        yield f"{package}.{module} imports {package}.ports"
    for module in sorted(imports.keys() - use_cases - {"views"}):
        for other in sorted(imports[module] & {*use_cases, "views"}):
            # Use cases may be composed of others without importing a port themselves.
            if module in {*_PURE, "ports"} or other == "views":
                yield f"{package}.{module} imports {package}.{other}"


class OnlyContract(_Problems):
    """Modules in ``source`` import nothing below ``root`` except each other and the ``allowed`` modules."""

    root: str = fields.StringField()  # type: ignore[assignment]
    source: str = fields.StringField()  # type: ignore[assignment]
    allowed: set[str] = fields.SetField(subfield=fields.StringField())  # type: ignore[assignment]

    @override
    def problems(self, graph: ImportGraph) -> Iterator[str]:
        known = (self.source, *sorted(self.allowed))
        for module in sorted({self.source, *graph.find_descendants(self.source)}):
            for other in sorted(graph.find_modules_directly_imported_by(module)):
                if _is_in(other, (self.root,)) and not _is_in(other, known):
                    yield f"{module} imports {other}"


class PureContract(_Problems):
    """Nothing below ``root``, except the packages ``outside``, imports one of the ``forbidden`` technologies.

    ``allowed`` are single imports, "importer -> imported".
    """

    root: str = fields.StringField()  # type: ignore[assignment]
    outside: set[str] = fields.SetField(subfield=fields.StringField())  # type: ignore[assignment]
    forbidden: set[str] = fields.SetField(subfield=fields.StringField())  # type: ignore[assignment]
    allowed: set[str] = fields.SetField(subfield=fields.StringField())  # type: ignore[assignment]

    @override
    def problems(self, graph: ImportGraph) -> Iterator[str]:
        outside = tuple(f"{self.root}.{name}" for name in self.outside)
        for module in sorted({self.root, *graph.find_descendants(self.root)}):
            if not _is_in(module, outside):
                for other in sorted(graph.find_modules_directly_imported_by(module)):
                    if _is_in(other, tuple(self.forbidden)) and f"{module} -> {other}" not in self.allowed:
                        yield f"{module} imports {other}"


def _is_in(module: str, packages: tuple[str, ...]) -> bool:
    return any(module == package or module.startswith(f"{package}.") for package in packages)
