"""The WordPiece vocabulary of a corpus: lower-cased, trained on its texts, the same on every machine."""

from collections import Counter
from collections.abc import Iterable, Sequence

from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors, trainers

from embedlab.numbers import counted
from embedlab.progress import Progress, silent
from embedlab.store_root import store_root, whole_folder

SPECIAL_TOKENS = {
    "pad_token": "[PAD]",
    "unk_token": "[UNK]",
    "cls_token": "[CLS]",
    "sep_token": "[SEP]",
    "mask_token": "[MASK]",
}
_CHARACTERS = 1000  # as BertWordPieceTokenizer; rarer ones become [UNK]
_LONGEST_WORD = 100  # characters; WordPiece reads longer ones as [UNK], and the trainer's time grows with their square


def corpus_tokenizer(texts: Sequence[str], key: str, size: int = 30_522, progress: Progress = silent) -> Tokenizer:
    """The tokenizer of some texts, trained once and then read from the store; ``key`` stands for the very texts."""
    folder = store_root() / "vocabularies" / f"{key}-{size}"
    if not (folder / "tokenizer.json").exists():
        progress(f"Training a vocabulary on {counted(len(texts), 'text')}")
        tokenizer = train_vocabulary(texts, size)
        with whole_folder(folder) as temporary:
            tokenizer.save(str(temporary / "tokenizer.json"))
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


def train_vocabulary(texts: Iterable[str], size: int = 30_522) -> Tokenizer:
    """Lower-cased WordPiece of up to ``size`` entries, of words of up to 100 characters.

    The library's trainer numbers continuations (``##a``) in the order of a randomly seeded hash table and breaks ties
    between pairs by those numbers, so two trainings differ. Here the alphabet is fixed first: every character and its
    continuation has its number before the trainer starts, and then the result depends on the texts alone.
    """
    normalizer = normalizers.BertNormalizer(lowercase=True)
    splitter = pre_tokenizers.BertPreTokenizer()
    counts, with_long_words = Counter(), set()
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


def bert_tokenizer(vocabulary: dict[str, int], *, lowercase: bool = True) -> Tokenizer:
    """BERT's tokenizer over a vocabulary: [CLS] text [SEP]."""
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens([AddedToken(token, special=True) for token in SPECIAL_TOKENS.values()])
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(token, vocabulary[token]) for token in ("[CLS]", "[SEP]")],
    )
    return tokenizer
