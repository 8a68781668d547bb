"""Files that were made to break a reader: bombs, depths, lengths, pipes; each with the readers that it is for."""

import gzip
import io
import json
import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

HOSTILE_SETTINGS = {  # of a config.json: each asks for code, another network, or another way of reading
    "trust_remote_code": True,
    "_attn_implementation": "evil/repo",
    "attn_implementation": "evil/repo",
    "_experts_implementation": "evil/repo",
    "quantization_config": {"quant_method": "bitsandbytes", "load_in_8bit": True},
    "_name_or_path": "../../evil",
    "tokenizer_class": "evil.Tokenizer",
    "architectures": ["Evil"],
    "output_attentions": True,
    "is_decoder": True,
    "add_cross_attention": True,
    "torchscript": True,
    "dtype": "float16",
    "torch_dtype": "evil",
    "base_model_tp_plan": {"x": "y"},
}
TABLES = ("corpus", "preview", "pairs", "set")
Maker = Callable[[Path], Path]


class Payload:
    """Writes a file when it is unpickled."""

    def __init__(self, canary: Path):
        self.canary = canary

    def __reduce__(self):
        return (Path.touch, (self.canary,))


def change(path: Path, **values) -> None:
    """Sets these keys of a JSON file."""
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | values), encoding="utf-8")


def workbook(row: int | None = None, column: str = "A") -> bytes:
    """An XLSX of two texts; the second may stand in any row."""
    content, changed = io.BytesIO(), io.BytesIO()
    book = openpyxl.Workbook()
    for cells in (["text", "label"], ["some words", "a"], ["other words", "b"]):
        book.active.append(cells)
    book.save(content)
    with zipfile.ZipFile(content) as source, zipfile.ZipFile(changed, "w") as target:
        for name in source.namelist():
            part = source.read(name)
            if row is not None and name.endswith("sheet1.xml"):
                part = part.replace(b'r="3"', b'r="%d"' % row).replace(b'"A3"', f'"{column}{row}"'.encode())
            target.writestr(name, part)
    return changed.getvalue()


def _written(name: str, make: Callable[[], bytes]) -> Maker:
    def write(folder: Path) -> Path:
        (folder / name).write_bytes(make())
        return folder / name

    return write


def _sparse(name: str, start: bytes, size: int) -> Maker:
    def write(folder: Path) -> Path:
        with open(folder / name, "wb") as file:
            file.write(start)
            file.truncate(size)
        return folder / name

    return write


def _pipe(folder: Path) -> Path:
    os.mkfifo(folder / "t.csv")
    return folder / "t.csv"


def _zip(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content)
    return out.getvalue()


def _parquet(column: pa.Array) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table({"text": column}), out)
    return out.getvalue()


def _zeros() -> bytes:
    out = io.BytesIO()
    np.savez_compressed(out, v=np.zeros((2**18, 768), np.float32))
    return out.getvalue()


def _tokenizer(**parts: object) -> Maker:
    def write(folder: Path) -> Path:
        tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0, "a": 1}, unk_token="[UNK]"))
        for name, part in parts.items():
            setattr(tokenizer, name, part)
        tokenizer.save(str(folder / "tokenizer.json"))
        return folder / "tokenizer.json"

    return write


_MANY = pa.DictionaryArray.from_arrays(pa.array(np.arange(4_000_000) % 3, pa.int32()), [each * 2_000 for each in "abc"])
_CATASTROPHE = Regex("(a+)+$")
HOSTILE: dict[str, tuple[Maker, tuple[str, ...]]] = {
    "a billion rows": (_written("t.xlsx", lambda: workbook(1_000_000_000)), TABLES),
    "every cell": (_written("t.xlsx", lambda: workbook(1_048_576, "XFD")), TABLES),
    "five million rows": (_written("t.xlsx", lambda: workbook(4_900_000)), ("corpus",)),
    "a dictionary": (_written("t.parquet", lambda: _parquet(_MANY)), (*TABLES, "vectors")),
    "far dates": (
        _written("t.parquet", lambda: _parquet(pa.array([2**62] * 9).view(pa.timestamp("us", "Mars/Base")))),
        TABLES,
    ),
    "a zip bomb": (_written("t.zip", lambda: _zip(("a/1.txt", bytes(300_000_000)))), TABLES),
    "many names": (_written("t.zip", lambda: _zip(*((f"{n}.txt", b"") for n in range(30_000)))), TABLES),
    "a packed bomb": (_written("t.csv.gz", lambda: gzip.compress(b"text\n" + bytes(300_000_000))), TABLES),
    "vectors of zeros": (_written("v.npz", _zeros), ("vectors",)),
    "deep lists": (_written("t.json", lambda: b"[" * 5_000_000), (*TABLES, "settings", "tokenizer")),
    "deep objects": (_written("t.jsonl", lambda: b'{"a":' * 1_000_000 + b"1" + b"}" * 1_000_000), TABLES),
    "many keys": (_written("t.json", lambda: json.dumps({f"k{n}": n for n in range(200_000)}).encode()), TABLES),
    "a long number": (_written("t.json", lambda: b'[{"text": ' + b"9" * 100_000 + b"}]"), (*TABLES, "settings")),
    "one line": (_sparse("t.csv", b"text,label\n", 2**30), (*TABLES, "settings")),
    "one cell": (_written("t.csv", lambda: b"text,label\n" + b"a" * 50_000_000), TABLES),
    "quotes": (_written("t.csv", lambda: b"text,label\n" + b'"' * 5_000_000), TABLES),
    "commas": (_written("t.csv", lambda: b"," * 5_000_000), TABLES),
    "line ends": (_written("t.csv", lambda: b"a\n" * 6_000_000), TABLES),
    "a pipe": (_pipe, (*TABLES, "vectors", "settings")),
    "doubled letters": (
        _tokenizer(normalizer=normalizers.Sequence([normalizers.Replace("a", "aaaa")] * 16)),
        ("tokenizer",),
    ),
    "a catastrophe": (_tokenizer(pre_tokenizer=pre_tokenizers.Split(_CATASTROPHE, "isolated")), ("tokenizer",)),
}
