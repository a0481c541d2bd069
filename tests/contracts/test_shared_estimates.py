"""Links to estimates on both databases: one per estimate, unguessable, expiring, without personal data."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import sqlalchemy as sa
from attrs import evolve

from repaircore.adapters.sql.schema.quotes import estimate_links
from repaircore.core import Core
from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.errors import NotFound
from repaircore.predictions.model import PredictByVin, Prediction
from repaircore.shared_estimates.model import LIFETIME
from repaircore.testing.clock import FrozenClock

VIN = "1HGCM82633A004352"


def predict(core: Core, slug: str = "brake-pads-front", caller: Caller = LOCAL) -> Prediction:
    return core.predictions.predict(PredictByVin(vin=VIN, zip_code="90210", problem_identifier=slug), caller)


def stored(core: Core) -> str:
    with core.storage.database.transaction(write=False) as connection:
        return repr(list(connection.execute(sa.select(estimate_links)).all()))


def register(core: Core, name: str) -> Caller:
    core.accounts.register(name=name, email=f"{name}@example.org", password="correct horse")
    return core.accounts.caller_for(f"{name}@example.org")


def test_link_is_found_only_by_its_token(core: Core) -> None:
    prediction = predict(core)
    link = core.shared_estimates.share(prediction)

    found = core.shared_estimates.get(link.token)

    assert (found.estimate, found.expires_at) == (link.estimate, link.expires_at)
    assert found.estimate.local.average == prediction.figures.local.average
    for other in (link.token[:-1] + "~", link.token[:-1], link.token + "A", "", "é" * 43, "A" * 43):
        with pytest.raises(NotFound):
            core.shared_estimates.get(other)


def test_neither_token_nor_vehicle_is_stored(core: Core) -> None:
    link = core.shared_estimates.share(predict(core))

    for secret in (link.token, VIN, VIN[:11]):
        assert secret not in stored(core)


def test_sharing_again_keeps_the_link_until_it_expires(core: Core, clock: FrozenClock) -> None:
    prediction = predict(core)
    first = core.shared_estimates.share(prediction)
    clock.advance(LIFETIME - timedelta(seconds=1))

    assert core.shared_estimates.share(prediction) == first
    clock.advance(timedelta(seconds=1))
    assert core.shared_estimates.find(prediction.session_id) is None
    second = core.shared_estimates.share(prediction)
    assert second.token != first.token
    assert core.shared_estimates.get(second.token).expires_at == clock() + LIFETIME


def test_concurrent_sharing_gives_one_link(core: Core) -> None:
    prediction = predict(core)

    with ThreadPoolExecutor(4) as pool:
        links = [*pool.map(lambda _: core.shared_estimates.share(prediction), range(8))]

    assert len({link.token for link in links}) == 1


def test_stopped_link_is_gone_and_can_be_replaced(core: Core) -> None:
    prediction = predict(core)
    first = core.shared_estimates.share(prediction)

    assert core.shared_estimates.stop(prediction.session_id)

    assert not core.shared_estimates.stop(prediction.session_id)
    with pytest.raises(NotFound):
        core.shared_estimates.get(first.token)
    second = core.shared_estimates.share(prediction)
    assert second.token != first.token
    with pytest.raises(NotFound):
        core.shared_estimates.get(first.token)


def test_owners_see_and_stop_their_own_links(core: Core) -> None:
    ada, eve = register(core, "ada"), register(core, "eve")
    mine = predict(core, caller=ada)
    links = [core.shared_estimates.share(predict(core, slug, ada), ada) for slug in ("alternator",)]
    link = core.shared_estimates.share(mine, ada)

    assert {each.token for each in core.shared_estimates.list_for(ada)} == {link.token, links[0].token}
    assert core.shared_estimates.list_for(evolve(ada, environment=Environment.TEST)) == []
    assert core.shared_estimates.list_for(eve) == []
    assert core.shared_estimates.find(mine.session_id, eve) is None
    assert not core.shared_estimates.stop(mine.session_id, eve)
    assert core.shared_estimates.get(link.token).estimate == link.estimate


def test_expired_links_are_pruned(core: Core, clock: FrozenClock) -> None:
    core.shared_estimates.share(predict(core))
    assert core.shared_estimates.prune() == 0
    clock.advance(LIFETIME)

    assert core.shared_estimates.prune() == 1
    assert stored(core) == "[]"


def test_erasing_an_account_ends_its_links(core: Core) -> None:
    ada = register(core, "ada")
    link = core.shared_estimates.share(predict(core, caller=ada), ada)

    core.persons.erase("ada@example.org")

    with pytest.raises(NotFound):
        core.shared_estimates.get(link.token)
