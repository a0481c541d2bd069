"""What still refers to a record that is to go."""

from collections.abc import Mapping

from repaircore.kernel.errors import Conflict

__all__ = ["StillReferred"]


class StillReferred(Conflict):
    """Other records refer to it; ``counts`` says how many of each kind, by its name in the plural."""

    def __init__(self, counts: Mapping[str, int]) -> None:
        self.counts = {name: count for name, count in counts.items() if count}
        told = [f"{count:,} {name.removesuffix('s') if count == 1 else name}" for name, count in self.counts.items()]
        several = sum(self.counts.values()) > 1
        super().__init__(f"{_listed(told)} {'refer' if several else 'refers'} to it.")


def _listed(words: list[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last
