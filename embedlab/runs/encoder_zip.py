"""The fine-tuned encoder as one ZIP file, with a model card of today."""

import tempfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

from embedlab.runs.folder import RunFolder
from embedlab.runs.model_card import CARD, model_card


def encoder_bytes(run: RunFolder) -> int:
    """How large its files are; the ZIP is about as large, because weights hardly shrink."""
    return sum(file.stat().st_size for file in _files(run))


def encoder_zip(run: RunFolder, catalog: Iterable[dict]) -> bytes:
    """The folder ``encoder-<run>``; written to the disk first, so that only the finished file is held in memory."""
    with tempfile.TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            for path in _files(run):
                name = f"encoder-{run.id}/{path.relative_to(run.encoder).as_posix()}"
                archive.write(path, name, zipfile.ZIP_STORED if path.suffix == ".safetensors" else None)
            archive.writestr(f"encoder-{run.id}/{CARD}", model_card(run, catalog))
        file.seek(0)
        return file.read()


def _files(run: RunFolder) -> list[Path]:
    """All but the card, which is written anew, and files that are being written."""
    found = sorted(file for file in run.encoder.rglob("*") if file.is_file())
    return [file for file in found if file != run.encoder / CARD and file.suffix != ".part"]
