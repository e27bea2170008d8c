"""What is said of a replay."""

from typing import Any

import pytest

from shoal.audits.attacks.replay import Replay


@pytest.mark.parametrize(
    ("swaps", "equal", "share", "at_most"),
    [(1000, 1000, 0.0, 0.003), (2, 2, 0.0, 1.0), (10, 4, 0.6, None), (0, 0, 0.0, None)],
)
def test_the_rest_is_ruled_out_and_where_none_is_the_rule_of_three_tells_what_may_be(
    swaps: int, equal: int, share: float, at_most: float | None
) -> None:
    found = Replay(("s",), blind=False, swaps=swaps, equal=equal, refused=1, unchanged=2)
    assert (found.share, found.at_most) == (share, at_most)
    told: dict[str, Any] = {"attack": "replay", "columns": ["s"], "blind": False, "share": share, "swaps": swaps}
    told |= {"equal": equal, "refused": 1, "unchanged": 2, "at_most": at_most, "exposed": []}
    assert found.as_dict() == told
