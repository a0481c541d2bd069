from attrs import define


@define
class ManualClock:
    """A manual clock."""

    now: float = 0.0

    def __call__(self) -> float:
        return self.now

    def wait(self, seconds: float) -> None:
        self.now += seconds
