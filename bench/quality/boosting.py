"""Gradient boosting of quantiles, by scikit-learn and by LightGBM: the dependency group ``quality`` brings them."""

import os
from typing import Final

# A thread each: several at once wait for each other busily where other programs are at work. It is read on import.
os.environ.setdefault("OMP_NUM_THREADS", "1")

import lightgbm
import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingRegressor

from bench.quality.baselines import Fit
from bench.quality.worlds import Jobs

Floats = NDArray[np.float64]
_QUANTILES: Final = (0.1, 0.5, 0.9)
_NAMED: Final = [0, 1, 2, 3]
_SMALL: Final = 1_000


def histogram(past: Jobs, prices: Floats) -> Fit:
    """Fit scikit-learn's histogram boosting, once for each quantile."""
    leaf = 5 if len(past) < _SMALL else 20
    models = [
        HistGradientBoostingRegressor(
            loss="quantile",
            quantile=quantile,
            max_iter=150,
            learning_rate=0.1,
            min_samples_leaf=leaf,
            categorical_features=_NAMED,
            random_state=0,
        ).fit(_table(past), prices)
        for quantile in _QUANTILES
    ]
    return lambda jobs: np.stack([model.predict(_table(jobs)) for model in models], axis=1)


def light(past: Jobs, prices: Floats) -> Fit:
    """Fit LightGBM, once for each quantile."""
    leaf = 5 if len(past) < _SMALL else 20
    models = [
        lightgbm.train(
            {
                "objective": "quantile",
                "alpha": quantile,
                "learning_rate": 0.06,
                "num_leaves": 31,
                "min_data_in_leaf": leaf,
                "cat_smooth": 10,
                "min_data_per_group": 10,
                "verbosity": -1,
                "num_threads": 1,
                "seed": 0,
            },
            lightgbm.Dataset(_table(past), prices, categorical_feature=_NAMED, params={"verbosity": -1}),
            num_boost_round=300,
        )
        for quantile in _QUANTILES
    ]
    return lambda jobs: np.stack([model.predict(_table(jobs)) for model in models], axis=1)


def _table(jobs: Jobs) -> Floats:
    return np.stack([jobs.problem, jobs.make, jobs.model, jobs.shop, jobs.year, jobs.month], axis=1).astype(
        float
    )
