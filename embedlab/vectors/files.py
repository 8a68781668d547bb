"""Vectors on disk: one .npy file, written in parts, memory-mapped, and read in parts whose pages are released."""

import mmap
import os
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from embedlab.damage import read_array

ROWS_AT_ONCE = 65_536  # embedded, or written, in one part
FEWEST_NUMBERS = 8  # one-byte numbers a vector; fewer are packed bits: nobody quantises so few dimensions
TAKEN_AT_ONCE = 2_048  # rows picked out of a mapped file before its pages are let go


def begin(path: Path, rows: int, dim: int, kind: DTypeLike = np.float32) -> None:
    """Create a .npy file of zeros, which takes disk space as its parts are written."""
    numbers = np.dtype(kind)
    with open(path, "wb") as file:
        facts = {"descr": np.lib.format.dtype_to_descr(numbers), "fortran_order": False, "shape": (rows, dim)}
        np.lib.format.write_array_header_1_0(file, facts)
        file.truncate(file.tell() + rows * dim * numbers.itemsize)


def write_part(path: Path, start: int, vectors: np.ndarray) -> None:
    """Write vectors from row ``start`` on; other processes may write other rows meanwhile.

    vectors: (rows of the part, dim)
    """
    with open(path, "r+b") as file:
        np.lib.format.read_magic(file)
        (_, dim), _, numbers = np.lib.format.read_array_header_1_0(file)
        file.seek(start * dim * numbers.itemsize, os.SEEK_CUR)
        file.write(np.ascontiguousarray(vectors, numbers).data)


def save(path: Path, vectors: np.ndarray) -> None:
    """Write vectors in parts, even if they are mapped from another file. vectors: (rows, dim)"""
    rows, dim = vectors.shape
    begin(path, rows, dim, vectors.dtype)
    for start in range(0, len(vectors), ROWS_AT_ONCE):
        write_part(path, start, vectors[start : start + ROWS_AT_ONCE])
        drop_pages(vectors)


def opened(path: Path) -> np.ndarray:
    """A .npy file as a read-only array that stays on disk. -> (rows, dim)"""
    return read_array(path, dimensions=2, is_mapped=True)


def taken(vectors: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Some rows as a new array; of a mapped file only these are held. rows: (n,) -> (n, dim)"""
    if getattr(vectors, "_mmap", None) is None:
        return vectors[rows]
    picked = np.empty((len(rows), *vectors.shape[1:]), vectors.dtype)
    for start in range(0, len(rows), TAKEN_AT_ONCE):
        part = slice(start, start + TAKEN_AT_ONCE)
        picked[part] = vectors[rows[part]]
        drop_pages(vectors)
    return picked


def drop_pages(vectors: np.ndarray) -> None:
    """Release the pages of a mapped file that were read; they return when read again."""
    mapped: mmap.mmap | None = getattr(vectors, "_mmap", None)
    if mapped is not None and hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def packing_of(part: np.ndarray) -> str | None:
    """Whether each byte packs eight dimensions: ``ubinary`` (0 … 255) or ``binary`` (-128 … 127), else None.

    Each of eight packed bits is a dimension of its own, the two lowest as telling as the two highest. Of quantised
    numbers the low bits are noise, and the high bits have the shape of the distribution.  part: (rows, bytes)
    """
    if part.dtype.kind not in "iu" or not part.size or part.min() < -128 or part.max() > 255:
        return None
    packing = "binary" if part.min() < 0 else "ubinary"
    if (packing == "binary" and part.max() > 127) or len(np.unique(part)) <= 3:
        return None
    every = unpacked(np.unique(part, axis=0), packing).reshape(-1, part.shape[1], 8)  # (rows, bytes, bits), high first
    high_used = every[..., :2].mean(axis=(0, 1))
    if not ((high_used > 0.02) & (high_used < 0.98)).any():  # counts, which are small
        return None
    high, middle, low = (_unevenness(every[..., bits]) for bits in ((0, 1), (5, 6), (6, 7)))
    is_noise = max(middle, low) < 0.005 + 5 * 6**0.5 / 2 / len(every) / every.shape[1] ** 0.5  # five standard errors
    is_narrow = part.dtype.itemsize == 1 and part.shape[1] < FEWEST_NUMBERS
    return None if is_noise and high > 0.05 and not is_narrow else packing


def unpacked(part: np.ndarray, packing: str) -> np.ndarray:
    """Bytes as 0 and 1, as ``numpy.unpackbits`` gives them; of ``binary`` 128 is added first.

    (rows, bytes) -> (rows, 8 * bytes) uint8
    """
    shift = 128 if packing == "binary" else 0
    return np.unpackbits((np.asarray(part, np.int16) + shift).astype(np.uint8), axis=1)


def _unevenness(pairs: np.ndarray) -> float:
    """How far the four joint values of two bits deviate from equal shares, in nats, above chance. pairs: (rows, bytes,
    2)
    """
    values = 2 * pairs[..., 0] + pairs[..., 1]
    shares = np.stack([(values == value).mean(axis=0) for value in range(4)])  # (4, bytes)
    return float((shares * np.log(np.maximum(4 * shares, 1e-12))).sum(axis=0).mean()) - 1.5 / len(pairs)
