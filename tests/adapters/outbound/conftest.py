from collections.abc import Iterator

import pytest

from repaircore.testing.upstream import Answer, MisbehavingUpstream


@pytest.fixture
def upstream() -> Iterator[MisbehavingUpstream]:
    with MisbehavingUpstream(Answer(540)) as server:
        yield server
