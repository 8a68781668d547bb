"""What encoders are made of that start from a corpus: its WordPiece vocabulary, and token vectors from its words."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp
import torch
from safetensors.torch import load_file, save_file
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers
from torch import Tensor

from embedlab.damage import reading_stored
from embedlab.encoders.embed import tokens_of
from embedlab.encoders.encoder import Encoder, joined
from embedlab.errors import EncoderError
from embedlab.numbers import counted
from embedlab.progress import Progress, silent
from embedlab.store_root import UnreadableFile, atomic_write, store_root
from embedlab.vectors.directions import are_directions, one_blas_thread, signs_of

if TYPE_CHECKING:
    from embedlab.corpora.base import Corpus

SPECIAL_TOKENS = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
_CHARACTERS = 1000  # as BertWordPieceTokenizer; rarer ones become [UNK]
_LONGEST_WORD = 100  # characters; WordPiece reads longer ones as [UNK], and the trainer's time grows with their square


def corpus_tokenizer(texts: Sequence[str], key: str, size: int, progress: Progress = silent) -> Tokenizer:
    """The tokenizer of some texts, trained once and then read from the store; ``key`` stands for the very texts."""
    file = store_root() / "vocabularies" / f"{key}-{size}" / "tokenizer.json"
    with suppress(UnreadableFile), reading_stored(file):
        return Tokenizer.from_file(str(file))
    progress(f"Training a vocabulary on {counted(len(texts), 'text')}")
    tokenizer = train_vocabulary(texts, size)
    with atomic_write(file) as temporary:
        tokenizer.save(str(temporary))
    return Tokenizer.from_file(str(file))


def train_vocabulary(texts: Iterable[str], size: int) -> Tokenizer:
    """Lower-cased WordPiece of up to ``size`` entries, of words of up to 100 characters.

    The library's trainer numbers continuations (``##a``) in the order of a randomly seeded hash table and breaks ties
    between pairs by those numbers, so two trainings differ. Here the alphabet is fixed first: every character and its
    continuation has its number before the trainer starts, and then the result depends on the texts alone.
    """
    normalizer = normalizers.BertNormalizer(lowercase=True)
    splitter = pre_tokenizers.BertPreTokenizer()
    counts: Counter[str] = Counter()
    with_long_words = set()
    for row, text in enumerate(texts):
        normalized = normalizer.normalize_str(text)
        if max(map(len, normalized.split()), default=0) > _LONGEST_WORD:
            with_long_words.add(row)
            normalized = _of_short_words(normalized, splitter)
        counts.update(normalized)
    ranked = sorted((c for c in counts if not c.isspace()), key=lambda c: (-counts[c], c))
    alphabet = sorted(ranked[: max(1, min(_CHARACTERS, (size - len(SPECIAL_TOKENS)) // 2))])
    trainer = trainers.WordPieceTrainer(
        vocab_size=size,
        min_frequency=2,
        initial_alphabet=alphabet,
        limit_alphabet=len(alphabet),
        special_tokens=[*SPECIAL_TOKENS.values(), *(f"##{character}" for character in alphabet)],
        show_progress=False,
    )
    trained = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    trained.normalizer = normalizer
    trained.pre_tokenizer = splitter
    read = (
        _of_short_words(normalizer.normalize_str(text), splitter) if row in with_long_words else text
        for row, text in enumerate(texts)
    )
    trained.train_from_iterator(read, trainer)
    return bert_tokenizer(trained.get_vocab())


def _of_short_words(normalized: str, splitter: pre_tokenizers.PreTokenizer) -> str:
    """Its words that take part, which the splitter finds again."""
    words = (word for word, _ in splitter.pre_tokenize_str(normalized))
    return " ".join(word for word in words if len(word) <= _LONGEST_WORD)


def bert_tokenizer(vocabulary: dict[str, int]) -> Tokenizer:
    """BERT's tokenizer over a vocabulary: [CLS] text [SEP]."""
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL_TOKENS.values()])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")],
    )
    return tokenizer


@dataclass(frozen=True)
class SourceTexts:
    """``rows`` of a corpus, in file order; ``key`` is never that of other rows or another corpus."""

    corpus: "Corpus"
    rows: np.ndarray  # (texts,)
    key: str

    @classmethod
    def of(cls, reference: str, corpus: "Corpus | None", rows: np.ndarray | None) -> "SourceTexts":
        """All kept texts of a corpus, or these rows of it; refused where there is no corpus."""
        if corpus is None:
            raise EncoderError(
                "E-NEEDS-CORPUS",
                f"Encoder {reference!r} is made from the texts of a corpus, but none is given. Specify one (--corpus "
                f"docs), or take another encoder's vocabulary and random weights (token:mini).",
            )
        key = corpus.info.fingerprint
        if rows is None or np.array_equal(np.sort(rows), corpus.kept):
            return cls(corpus, corpus.kept, key)
        rows = np.sort(np.asarray(rows, dtype=np.int64))
        return cls(corpus, rows, f"{key}-{hashlib.sha256(rows.tobytes()).hexdigest()[:16]}")

    @property
    def texts(self) -> Sequence[str]:
        """All of them."""
        return self.corpus.texts.at(self.rows)

    def distinct(self, most: int, *, seed: int) -> np.ndarray:
        """The first row of each different text, so that repeated ones count once; of very many, some.  -> (n,)"""
        rows = self.rows[np.unique(self.corpus.copies[self.rows], return_index=True)[1]]
        if len(rows) > most:
            rows = np.random.default_rng(seed).choice(rows, most, replace=False)
        return np.sort(rows)


DIM = 300
MOST_TEXTS = 20_000  # from which the statistics are taken; more move the vectors little and take minutes
_IDF_POWER, _NORM_POWER, _VALUE_POWER = 2.0, 0.5, 0.5
_SCALE = 0.02  # of the weights, as the standard deviation of BERT's random ones


def word_vectors_of(source: SourceTexts, reader: Encoder, dim: int, seed: int, progress: Progress = silent) -> Tensor:
    """Those of some texts as ``reader`` tokenizes them, made once and then read from the store."""
    vocabulary = hashlib.sha256(reader.tokenizer.to_str().encode()).hexdigest()[:16]
    name = f"{source.key}-words-2-{vocabulary}-{reader.max_length}-{dim}-{seed}.safetensors"

    def made() -> Tensor:
        rows = source.distinct(MOST_TEXTS, seed=seed)
        progress(f"Counting the words of {len(rows):,} texts")
        return word_vectors(tokens_of(reader, source.corpus, rows), reader.vocabulary_size, dim=dim, seed=seed)

    return kept_vectors(name, made)


def kept_vectors(name: str, make: Callable[[], Tensor]) -> Tensor:
    """Vectors of a vocabulary from a file of the store, made where it is missing or damaged.  -> (vocabulary, dim)"""
    file = store_root() / "vocabularies" / name
    with suppress(UnreadableFile), reading_stored(file):
        return load_file(file)["vectors"]
    vectors = make()
    with atomic_write(file) as temporary:
        save_file({"vectors": vectors}, temporary)
    return vectors


def word_vectors(token_lists: Sequence[Sequence[int]], vocabulary_size: int, *, dim: int = DIM, seed: int) -> Tensor:
    """One vector a token: idf² · V √S / ‖V √S‖^½ of a truncated SVD.  -> float32 (vocabulary_size, dim)

    Latent semantic analysis (Deerwester et al. 1990) of the tokens' TF-IDF, scaled as measured best on the development
    texts of four corpora (tests/benchmarks/README.md): rare words weigh more than they do there, frequent ones' longer
    vectors are shortened (Arora et al. 2017), and singular values count by their square root (Levy et al. 2015).
    Fewer dimensions where texts or tokens have fewer directions than ``dim``. A token that stands in one text alone
    tells nothing of others and is zero, unless its text has no other kind; so is one that stands in none. The same for
    the same texts and seed, at any number of threads.
    """
    from sklearn.feature_extraction.text import TfidfTransformer
    from sklearn.utils.extmath import randomized_svd

    tokens, shape = joined(token_lists).astype(np.int32), (len(token_lists), vocabulary_size)
    starts = np.concatenate([[0], np.cumsum(np.array([len(ids) for ids in token_lists], dtype=int))])
    counts = sp.csr_matrix((np.ones(len(tokens)), tokens, starts), shape=shape)  # (texts, tokens)
    counts.sum_duplicates()
    present = np.flatnonzero(counts.getnnz(axis=0))  # the tokens of the corpus
    if len(present) == 0:
        return torch.zeros(vocabulary_size, 1)
    counts = counts[:, present]
    weighing = TfidfTransformer(sublinear_tf=True)  # 1 + log counts, smooth idf, rows of length 1
    weighted = weighing.fit_transform(counts)
    with one_blas_thread():
        _, values, directions = randomized_svd(
            weighted, min(dim, *weighted.shape), n_iter=4, random_state=seed, flip_sign=False
        )
    counted = are_directions(values, weighted.shape)
    directions = directions[counted].T  # (tokens, dim)
    vectors = directions * signs_of(directions) * values[counted] ** _VALUE_POWER
    norms = np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
    vectors = weighing.idf_[:, None] ** _IDF_POWER * vectors / norms**_NORM_POWER
    alone = counts.getnnz(axis=0) < 2
    bare = (counts @ ~alone) == 0  # the texts that have no other kind
    vectors[alone & (counts[bare].getnnz(axis=0) == 0)] = 0
    length = np.sqrt(np.mean(vectors[vectors.any(axis=1)] ** 2)) if vectors.any() else 1.0
    table = np.zeros((vocabulary_size, vectors.shape[1]), dtype=np.float32)
    table[present] = vectors * (_SCALE / length)
    return torch.from_numpy(table)
