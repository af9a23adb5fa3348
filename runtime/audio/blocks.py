"""The arrays that sound is handled in: `Frames` of shape (frames, channels), full scale 1.0, and
`Samples`, in which it is measured."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Frames = NDArray[np.float32]
    Samples = NDArray[np.float64]
    Complexes = NDArray[np.complexfloating]
    Indices = NDArray[np.int64]
    Flags = NDArray[np.bool_]
else:  # numpy's types take time to load, and annotations are not evaluated
    Frames = Samples = Complexes = Indices = Flags = Any
