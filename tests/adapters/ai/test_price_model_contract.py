"""The contract of price models, including the scripted one."""

import math
from collections.abc import Callable
from typing import TypeAlias

import pytest
from attrs import evolve

from repaircore.adapters.ai.chat_completions import ChatPriceModel
from repaircore.adapters.ai.messages import MessagesPriceModel
from repaircore.adapters.ai.offline import ComponentTableModel, HoursRegressionModel
from repaircore.kernel.errors import Unavailable
from repaircore.predictions.ports import PriceModel
from repaircore.pricing.aggregation import is_plausible
from repaircore.pricing.model import PriceQuestion
from repaircore.testing.builders import a_problem, a_question, a_vehicle
from repaircore.testing.models import ScriptedModel
from repaircore.testing.upstream import MisbehavingUpstream

Build: TypeAlias = Callable[[MisbehavingUpstream], PriceModel]

MODELS: dict[str, Build] = {
    "component table": lambda _: ComponentTableModel(),
    "hours regression": lambda _: HoursRegressionModel(),
    "chat completions": lambda upstream: ChatPriceModel.at(upstream.url, api_key="k", name="m"),
    "messages": lambda upstream: MessagesPriceModel.at(upstream.url, api_key="k", name="m"),
    "scripted": lambda _: ScriptedModel(540_00),
}

QUESTIONS = {
    "ordinary": a_question(),
    "no mileage": a_question(mileage=None),
    "nothing known of the vehicle but its name": a_question(
        vehicle=a_vehicle(vin=None, specs=evolve(a_vehicle().specs, trim=None, engine=None))
    ),
    "odd names": a_question(
        vehicle=a_vehicle(specs=evolve(a_vehicle().specs, make="Ci\x00tro\u202en\ud800", model='"}]\n' * 99))
    ),
}


@pytest.fixture(params=MODELS)
def model(request: pytest.FixtureRequest, upstream: MisbehavingUpstream) -> PriceModel:
    return MODELS[request.param](upstream)


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_price_is_a_plausible_integer_of_cents(model: PriceModel, question: PriceQuestion) -> None:
    price = model.price(question, seconds=5)

    assert type(price) is int
    assert is_plausible(price, question.problem)


def test_price_far_from_the_book_fails_with_a_reason(model: PriceModel) -> None:
    question = a_question(problem=a_problem(low=900_000_00, high=900_000_00, labor_hours=0.1, parts=()))
    cheap = evolve(question, factors=evolve(question.factors, labor=0.001, parts=0.001))
    with pytest.raises(Unavailable, match=r"^implausible figure$"):
        model.price(cheap, seconds=5)


def test_price_that_is_not_finite_fails(model: PriceModel) -> None:
    impossible = a_question(problem=a_problem(low=0, high=0), price_level=math.nan, national_rate=0)
    with pytest.raises(Unavailable):
        model.price(impossible, seconds=5)


def test_source_is_one_word(model: PriceModel) -> None:
    assert model.source.isalpha()
