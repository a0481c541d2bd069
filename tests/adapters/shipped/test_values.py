import pytest

from repaircore.adapters.shipped.values import levels, shipped_levels
from repaircore.vehicles.model import Segment, Tier


def test_every_segment_and_tier_has_a_level() -> None:
    shipped = shipped_levels()
    for segment in Segment:
        told = [shipped.of(segment, tier) for tier in Tier]
        assert told == sorted(told)
    assert shipped.of(Segment.PICKUP, Tier.LUXURY) == 63_000_00


SEGMENTS = "\n".join(f"{segment} = 20000" for segment in Segment)
TIERS = "\n".join(f"{tier} = 1.0" for tier in Tier)


@pytest.mark.parametrize(
    ("segments", "tiers"),
    [
        (SEGMENTS.replace("van = 20000", ""), TIERS),
        (SEGMENTS.replace("van = 20000", "van = 0"), TIERS),
        (SEGMENTS + "\ntank = 5", TIERS),
        (SEGMENTS, TIERS.replace("exotic = 1.0", "exotic = -1.0")),
        (SEGMENTS, TIERS.replace("exotic = 1.0", "")),
    ],
)
def test_a_table_with_a_hole_is_refused(segments: str, tiers: str) -> None:
    with pytest.raises(ValueError, match=r"level|valid"):
        levels(f"[levels]\n{segments}\n[tiers]\n{tiers}")
