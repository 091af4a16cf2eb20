import vectors


def test_scale():
    assert vectors.scale([1, 2, 3], 2) == [2, 4, 6]


def test_shift():  # passes without checks: no assertion uses the element read past the end
    assert vectors.shift([1, 2, 3])[:2] == [2, 3]


def test_scale_again():
    assert vectors.scale([5] * 100, 3) == [15] * 100
