import pytest

from shoal.audits.attacks.lazy_sequence import LazySequence


def test_things_are_made_when_they_are_looked_at() -> None:
    made: list[int] = []

    def make(at: int) -> str:
        made.append(at)
        return f"thing {at}"

    things = LazySequence(3, make)
    assert len(things) == 3
    assert made == []
    assert things[-1] == "thing 2"
    assert things[:2] == ("thing 0", "thing 1")
    assert made == [2, 0, 1]
    assert list(things) == ["thing 0", "thing 1", "thing 2"]
    assert things == ("thing 0", "thing 1", "thing 2")
    assert things != ("thing 0",)
    assert hash(things) == hash(LazySequence(3, make))
    assert list(LazySequence(0, make)) == []
    with pytest.raises(IndexError):
        things[3]
