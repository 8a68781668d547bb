"""An encoder's tokenizer from the files in its folder, read as data."""

import json
import re
import shutil
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from tokenizers import Tokenizer, normalizers

from embedlab.encoders.folder_files import optional_json_object, read_json
from embedlab.encoders.from_corpus import SPECIAL_TOKENS
from embedlab.errors import EncoderError
from embedlab.progress import Progress
from embedlab.reader_process import read_limited
from embedlab.reader_worker import Answer
from embedlab.scratch import scratch_folder
from embedlab.tokenizer_trial import panic_said, try_tokenizer

_LARGEST = 200 * 2**20  # bytes of a tokenizer file; XLM-R's has 17 million
_LARGEST_LIST = 8 * 2**20  # of a vocabulary, an entry a line, which is read without a trial; LaBSE's has 5 million
_ROLES = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_SENTENCEPIECE = ("tokenizer.model", "spiece.model", "spm.model", "sentencepiece.bpe.model")
_FOR_CONVERTERS = (
    "add_bos_token",
    "add_eos_token",
    "add_prefix_space",
    "legacy",
    "do_lower_case",
    "keep_accents",
    "split_by_punct",
    "extra_ids",
)
_ROBERTA_TOKENS = dict(zip(_ROLES, "<s> </s> <unk> </s> <pad> <s> <mask>".split(), strict=True))


class FolderTokenizer(NamedTuple):
    """The tokenizer and which of its tokens has which role."""

    tokenizer: Tokenizer
    special_tokens: dict[str, str]


def read_tokenizer(folder: Path) -> FolderTokenizer:
    """tokenizer.json; where there is none, the vocabulary files of BERT, MPNet and RoBERTa."""
    settings = optional_json_object(folder / "tokenizer_config.json")
    with _unreadable_said(folder):
        tokenizer = _from_files(folder, settings)
        vocabulary = tokenizer.get_vocab(with_added_tokens=True)
    if optional_json_object(folder / "sentence_bert_config.json").get("do_lower_case") is True:
        parts = [normalizers.Lowercase(), *([tokenizer.normalizer] if tokenizer.normalizer else [])]
        tokenizer.normalizer = normalizers.Sequence(parts)
    roles = SPECIAL_TOKENS if "[CLS]" in vocabulary else _ROBERTA_TOKENS
    roles = roles | _token_roles(optional_json_object(folder / "special_tokens_map.json")) | _token_roles(settings)
    return FolderTokenizer(tokenizer, {role: token for role, token in roles.items() if token in vocabulary})


def tokenizer_json(folder: Path) -> Tokenizer:
    """The tokenizer of a causal language model, which is its tokenizer.json alone; it cuts and pads nothing."""
    if not (folder / "tokenizer.json").is_file():
        raise EncoderError(
            "E-TOKENIZER", f"A tokenizer.json is needed, but {folder.name} has none. Choose another model."
        )
    with _unreadable_said(folder):
        tokenizer = _whole(folder / "tokenizer.json")
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer


@contextmanager
def _unreadable_said(folder: Path) -> Iterator[None]:
    try:
        with panic_said(folder.name):
            yield
    except (EncoderError, MemoryError):
        raise
    except Exception as error:  # the tokenizers library raises nothing narrower
        raise EncoderError(
            "E-TOKENIZER", f"The tokenizer of {folder.name} cannot be read ({str(error)[:200]}). Download it again."
        ) from None


def require_entries(tokenizer: Tokenizer, rows: int, *, name: str, of: str, what: str = "encoder") -> None:
    """Refuse a tokenizer with more entries than there are vectors ``of`` them to look up."""
    entries = 1 + max(tokenizer.get_vocab(with_added_tokens=True).values(), default=0)
    if entries > rows:
        raise EncoderError(
            "E-VOCAB",
            f"The tokenizer of {name} has {entries:,} entries, but {of} has only {rows:,} rows. Choose another {what}.",
        )


def _from_files(folder: Path, settings: dict) -> Tokenizer:
    if (folder / "tokenizer.json").is_file():
        return _whole(folder / "tokenizer.json")
    if (folder / "vocab.txt").is_file():
        lines = _small(folder / "vocab.txt", _LARGEST_LIST).read_text(encoding="utf-8").splitlines()
        vocabulary = {token: row for row, token in enumerate(lines)}
        lower = settings.get("do_lower_case", True) is not False
        from transformers import BertTokenizer, MPNetTokenizer

        maker = MPNetTokenizer if "<mask>" in vocabulary else BertTokenizer
        return maker(vocab=vocabulary, do_lower_case=lower).backend_tokenizer
    if (folder / "vocab.json").is_file() and (folder / "merges.txt").is_file():
        from transformers import RobertaTokenizer

        lines = _small(folder / "merges.txt", _LARGEST_LIST).read_text(encoding="utf-8").splitlines()
        merges = [tuple(line.split(" ")) for line in lines if re.fullmatch(r"[^ ]+ [^ ]+", line)]
        merges = merges[1:] if merges and merges[0][0] == "#version:" else merges
        entries: Any = read_json(_small(folder / "vocab.json"))  # of a stranger: the tokenizer refuses what is none
        return RobertaTokenizer(
            vocab=entries,
            merges=merges,  # type: ignore[arg-type]  # pairs, as it takes them and does not say
            add_prefix_space=settings.get("add_prefix_space") is True,
        ).backend_tokenizer
    for name in _SENTENCEPIECE:
        if (folder / name).is_file():
            return _from_sentencepiece(folder, _small(folder / name, _LARGEST_LIST), settings)
    raise _no_tokenizer(folder.name)


def require_tokenizer(name: str, listed: Collection[str]) -> None:
    """Refuse an encoder whose files, of which none may have been fetched yet, give no tokenizer here."""
    files = {path.rpartition("/")[2] for path in listed}
    if files & {"tokenizer.json", "vocab.txt"} or {"vocab.json", "merges.txt"} <= files:
        return
    if not files & set(_SENTENCEPIECE):
        raise _no_tokenizer(name)
    if find_spec("sentencepiece") is None:
        raise _no_converter(name)


def _no_tokenizer(name: str) -> EncoderError:
    return EncoderError(
        "E-TOKENIZER",
        f"A tokenizer.json (or vocab.txt, or vocab.json with merges.txt) is needed, but {name} has none. "
        "Choose another encoder.",
    )


def _no_converter(name: str) -> EncoderError:
    return EncoderError(
        "E-TOKENIZER",
        f"{name} has a sentencepiece model and no tokenizer.json. Install what converts it (pip install "
        "sentencepiece), or write a tokenizer.json once elsewhere: "
        "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER) of transformers.",
    )


def _from_sentencepiece(folder: Path, file: Path, settings: dict) -> Tokenizer:
    """Converted where transformers' converter has what it needs, else refused by how that is done."""
    if find_spec("sentencepiece") is None:
        raise _no_converter(folder.name)
    kind = optional_json_object(folder / "config.json").get("model_type")
    plain = _token_roles(optional_json_object(folder / "special_tokens_map.json")) | _token_roles(settings)
    plain |= {name: settings[name] for name in _FOR_CONVERTERS if type(settings.get(name)) in (bool, int)}
    plain |= (
        {"tokenizer_class": settings["tokenizer_class"]} if isinstance(settings.get("tokenizer_class"), str) else {}
    )
    arguments = {"kind": kind, "settings": plain, "folder": folder.name}
    name = f"{folder.name}/{file.name}"
    answer, _ = read_limited(f"{__name__}:converted", file, arguments, name=name, error=EncoderError)
    with scratch_folder() as scratch:
        (scratch / folder.name).mkdir()
        (scratch / folder.name / "tokenizer.json").write_text(answer["tokenizer"], encoding="utf-8")
        return _whole(scratch / folder.name / "tokenizer.json")


def converted(path: Path, *, kind: str, settings: dict, folder: str, progress: Progress) -> Answer:
    """In the process that reads: a sentencepiece model as tokenizer.json, by the class that transformers takes."""
    from transformers import AutoTokenizer

    try:
        with TemporaryDirectory() as scratch:
            shutil.copyfile(path, Path(scratch) / path.name)
            written = {"config.json": {"model_type": kind}, "tokenizer_config.json": settings}
            for name, content in written.items():  # nothing of theirs but the kind and plain settings
                (Path(scratch) / name).write_text(json.dumps(content), encoding="utf-8")
            tokenizer: Any = AutoTokenizer.from_pretrained(scratch, local_files_only=True, trust_remote_code=False)
            return {"tokenizer": tokenizer.backend_tokenizer.to_str()}, None
    except MemoryError:
        raise
    except Exception:  # of protobuf, tokenizers and transformers, which share no narrower kind
        raise EncoderError(
            "E-TOKENIZER",
            f"transformers cannot convert the sentencepiece model of {folder}, which may be damaged. Choose a copy "
            "with a tokenizer.json.",
        ) from None


def _whole(file: Path) -> Tokenizer:
    try_tokenizer(_small(file))
    return Tokenizer.from_file(str(file))


def _small(path: Path, most: int = _LARGEST) -> Path:
    if path.stat().st_size > most:
        raise EncoderError("E-TOKENIZER", f"{path.name} has more than {most:,} bytes. Choose another encoder.")
    return path


def _token_roles(settings: dict) -> dict[str, str]:
    roles = {}
    for role in _ROLES:
        token = settings.get(role)
        token = token.get("content") if isinstance(token, dict) else token
        if isinstance(token, str):
            roles[role] = token
    return roles
