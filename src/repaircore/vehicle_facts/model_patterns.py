"""Match the models that a row of an editorial table covers."""

from attrs import field, frozen

from repaircore.kernel.spelling import key


@frozen(kw_only=True)
class ModelPatterns:
    """Names of models; a name that ends in ``*`` is a prefix.

    If no names are ``listed``, every model matches that is not ``excluded``.
    """

    listed: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()
    _keys: tuple[tuple[str, bool], ...] = field(init=False, repr=False)
    _without: tuple[tuple[str, bool], ...] = field(init=False, repr=False)

    @_keys.default
    def _listed_keys(self) -> tuple[tuple[str, bool], ...]:
        return _patterns(self.listed)

    @_without.default
    def _excluded_keys(self) -> tuple[tuple[str, bool], ...]:
        return _patterns(self.excluded)

    def matches(self, model: str) -> bool:
        """Return whether a model is listed and not excluded."""
        folded = key(model)
        return (not self._keys or _any(self._keys, folded)) and not _any(self._without, folded)


def _patterns(names: tuple[str, ...]) -> tuple[tuple[str, bool], ...]:
    return tuple((key(name), name.endswith("*")) for name in names)


def _any(patterns: tuple[tuple[str, bool], ...], model: str) -> bool:
    return any(model.startswith(name) if begins else model == name for name, begins in patterns)
