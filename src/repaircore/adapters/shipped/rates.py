"""Read the labor rates that the package ships."""

import tomllib
from importlib.resources import files

from repaircore.facilities.rates import LaborRates, StateRate
from repaircore.kernel.money import cents

__all__ = ["read_labor_rates"]


def read_labor_rates(text: str | None = None) -> LaborRates:
    """Read ``data/labor_rates.toml`` (or ``text`` in its form): a state's own figure before its region's.

    Raises:
        ValueError: the text is not of that form.
    """
    told = tomllib.loads(_shipped() if text is None else text)
    try:
        states = {
            state: StateRate(rate=cents(region["rate"]), own=False)
            for region in told["region"].values()
            for state in region["states"]
        }
        states |= {state: StateRate(rate=cents(rate), own=True) for state, rate in told["own"].items()}
        return LaborRates(
            national=cents(told["national"]), states=states, source=told["source"], year=told["year"]
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"not a table of labor rates: {error!r}") from error


def _shipped() -> str:
    return files("repaircore").joinpath("data", "labor_rates.toml").read_text("utf-8")
