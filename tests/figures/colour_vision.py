"""How different two colours look, also to the colour-blind: ΔE (CIE76) after Machado, Oliveira and Fernandes (2009)."""

from itertools import combinations

import numpy as np

# linear RGB -> linear RGB, severity 1.0 (their table 1)
VISIONS = {
    "normal": np.eye(3),
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "tritanopia": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
_XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)


def lab(colour: str, vision: str = "normal") -> np.ndarray:
    """L*, a*, b* (D65) of a hex colour as these eyes see it.  -> (3,)"""
    encoded = np.array([int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)])
    linear = np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    share = _XYZ @ np.clip(np.array(VISIONS[vision]) @ linear, 0, 1) / _XYZ.sum(axis=1)
    x, y, z = np.where(share > (6 / 29) ** 3, np.cbrt(share), share / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def least_difference(colours: list[str], vision: str = "normal") -> float:
    """ΔE of the two that are most alike."""
    seen = [lab(colour, vision) for colour in colours]
    return min(float(np.linalg.norm(one - other)) for one, other in combinations(seen, 2))
