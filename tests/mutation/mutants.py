"""Small wrong changes of a module's text: a bound, a sign, an order, a condition.

Sources: the operators of R. A. DeMillo, R. J. Lipton and F. G. Sayward, "Hints on Test Data Selection" (1978), as most tools
have them. Strings and annotations are not changed.
"""

import ast
from typing import Final

from attrs import frozen
from typing_extensions import override

_COMPARED: Final[dict[type[ast.cmpop], tuple[str, str]]] = {
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Is: ("is", "is not"),
    ast.IsNot: ("is not", "is"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
_COMPUTED: Final[dict[type[ast.operator], tuple[str, str]]] = {
    ast.Add: ("+", "-"),
    ast.Sub: ("-", "+"),
    ast.Mult: ("*", "/"),
    ast.Div: ("/", "*"),
    ast.FloorDiv: ("//", "*"),
}
_CALLED: Final = {"min": "max", "max": "min", "any": "all", "all": "any", "asc": "desc", "desc": "asc"}


@frozen(kw_only=True)
class Mutant:
    """One change: the text from ``start`` to ``end`` (in bytes of UTF-8) is replaced, in the function ``within``."""

    line: int
    start: int
    end: int
    before: str
    after: str
    within: str

    def apply(self, source: str) -> str:
        """Return the module's text with this change."""
        raw = source.encode()
        return (raw[: self.start] + self.after.encode() + raw[self.end :]).decode()


def mutants_of(source: str) -> list[Mutant]:
    """Return the mutants of a module's functions, in the order of the text."""
    found = _Finder(source)
    found.visit(ast.parse(source))
    return sorted(found.mutants, key=lambda one: (one.start, one.end, one.after))


class _Finder(ast.NodeVisitor):
    def __init__(self, source: str) -> None:
        self._raw = source.encode()
        self._lines = [0]
        for line in self._raw.splitlines(keepends=True):
            self._lines.append(self._lines[-1] + len(line))
        self._within: list[str] = []
        self._depth = 0
        self.mutants: list[Mutant] = []

    @override
    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._visit_function(node)

    @override
    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_function(node)

    @override
    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self._within.append(node.name)
        for one in node.body:
            self.visit(one)
        self._within.pop()

    @override
    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        if node.value is not None:
            self.visit(node.value)

    @override
    def visit_Compare(self, node: ast.Compare) -> None:
        for left, op, right in zip([node.left, *node.comparators], node.ops, node.comparators, strict=False):
            self._swap_between(left, right, _COMPARED.get(type(op)))
        self.generic_visit(node)

    @override
    def visit_BinOp(self, node: ast.BinOp) -> None:
        if not (_is_text(node.left) or _is_text(node.right)):
            self._swap_between(node.left, node.right, _COMPUTED.get(type(node.op)))
        self.generic_visit(node)

    @override
    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        words = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        for left, right in zip(node.values, node.values[1:], strict=False):
            self._swap_between(left, right, words)
        self.generic_visit(node)

    @override
    def visit_UnaryOp(self, node: ast.UnaryOp) -> None:
        if isinstance(node.op, ast.Not) or (
            isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant)
        ):
            self._replace(node, self._text(node.operand))
        self.generic_visit(node)

    @override
    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, bool):
            self._replace(node, str(not node.value))
        elif isinstance(node.value, int):
            self._replace(node, str(node.value + 1))
        elif isinstance(node.value, float):
            self._replace(node, repr(node.value * 2 + 1))

    @override
    def visit_JoinedStr(self, node: ast.JoinedStr) -> None:
        """Skip f-strings, which are for people."""

    @override
    def visit_Call(self, node: ast.Call) -> None:
        match node.func:
            case ast.Name(id=name) as named if name in _CALLED:
                self._replace(named, _CALLED[name])
            case ast.Attribute(attr=name, value=value) if name in _CALLED:
                end = self._place(node.func.end_lineno, node.func.end_col_offset)
                self._add(node.func.lineno, end - len(name), end, _CALLED[name])
                self.visit(value)
            case _:
                self.visit(node.func)
        for one in [*node.args, *node.keywords]:
            if not _is_assertion(node.func, one):
                self.visit(one)

    @override
    def visit_Expr(self, node: ast.Expr) -> None:
        if isinstance(node.value, ast.Call):
            self._replace(node, "pass")
        if not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    @override
    def visit_If(self, node: ast.If) -> None:
        if not isinstance(node.test, ast.Compare | ast.UnaryOp):
            self._replace(node.test, f"not ({self._text(node.test)})")
        self.generic_visit(node)

    def _visit_function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._within.append(node.name)
        self._depth += 1
        for one in node.body:
            self.visit(one)
        self._depth -= 1
        self._within.pop()

    def _swap_between(self, left: ast.expr, right: ast.expr, words: tuple[str, str] | None) -> None:
        """Replace the operator between two operands, if its text stands between them."""
        if words is None:
            return
        start = self._place(left.end_lineno, left.end_col_offset)
        end = self._place(right.lineno, right.col_offset)
        between = self._raw[start:end].decode()
        if between.count(words[0]) != 1 or "#" in between:
            return
        at = start + len(between[: between.index(words[0])].encode())
        self._add(left.lineno, at, at + len(words[0]), words[1])

    def _replace(self, node: ast.expr | ast.stmt, after: str) -> None:
        start = self._place(node.lineno, node.col_offset)
        self._add(node.lineno, start, self._place(node.end_lineno, node.end_col_offset), after)

    def _add(self, line: int, start: int, end: int, after: str) -> None:
        if not self._depth:
            return  # constants of tables and settings are skipped
        before = self._raw[start:end].decode()
        if before != after:
            self.mutants.append(
                Mutant(
                    line=line, start=start, end=end, before=before, after=after, within=".".join(self._within)
                )
            )

    def _text(self, node: ast.expr) -> str:
        start = self._place(node.lineno, node.col_offset)
        return self._raw[start : self._place(node.end_lineno, node.end_col_offset)].decode()

    def _place(self, line: int | None, column: int | None) -> int:
        assert line is not None
        assert column is not None
        return self._lines[line - 1] + column


def _is_assertion(called: ast.expr, argument: ast.AST) -> bool:
    """Return whether an argument only checks what always holds: ``zip(…, strict=True)``."""
    return (
        isinstance(called, ast.Name)
        and called.id == "zip"
        and isinstance(argument, ast.keyword)
        and argument.arg == "strict"
    )


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))
