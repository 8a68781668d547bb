"""The vocabulary depends on the texts and nothing else."""

import os
import subprocess
import sys

from tokenizers.pre_tokenizers import BertPreTokenizer
from warm_worker import warm_python

from embedlab.encoders.from_corpus import corpus_tokenizer, train_vocabulary

TEXTS = [f"Word{i % 37} und größer {'ab' * (i % 5)} naïve tokens, {i}!" for i in range(200)]


def test_special_tokens_stand_first_and_frame_a_text():
    tokenizer = train_vocabulary(TEXTS, 200)
    encoding = tokenizer.encode("naive tokens")
    assert encoding.tokens[0] == "[CLS]" and encoding.tokens[-1] == "[SEP]"
    assert [tokenizer.token_to_id(token) for token in ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")] == [0, 1, 2, 3, 4]


def test_frequent_words_become_one_token_and_case_and_accents_go():
    tokenizer = train_vocabulary(TEXTS, 400)
    assert tokenizer.encode("Tokens", add_special_tokens=False).tokens == ["tokens"]
    assert tokenizer.encode("NAÏVE", add_special_tokens=False).tokens == ["naive"]


def test_the_size_is_a_limit():
    assert train_vocabulary(TEXTS, 100).get_vocab_size() <= 100
    assert train_vocabulary(["a"], 30_522).get_vocab_size() < 20


def test_two_trainings_give_one_vocabulary_whatever_the_threads_and_the_order():
    first = train_vocabulary(TEXTS, 150).get_vocab()
    assert train_vocabulary(TEXTS[::-1], 150).get_vocab() == first
    code = (
        "import sys; sys.path.insert(0, sys.argv[1]); import test_vocabulary as t;"
        "print(sorted(t.train_vocabulary(t.TEXTS, 150).get_vocab().items()))"
    )
    for threads in ("1", "3"):
        environment = os.environ | {"RAYON_NUM_THREADS": threads, "PYTHONPATH": os.pathsep.join(sys.path)}
        command = [*warm_python(code), os.path.dirname(__file__)]
        result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert result.stdout.strip() == str(sorted(first.items()))


def test_a_corpus_trains_its_vocabulary_once(store):
    stages = []
    first = corpus_tokenizer(TEXTS, "f" * 16, 120, lambda stage, *_: stages.append(stage))
    again = corpus_tokenizer([], "f" * 16, 120, lambda stage, *_: stages.append(stage))
    assert first.get_vocab() == again.get_vocab() and len(stages) == 1
    assert (store / "vocabularies" / f"{'f' * 16}-120" / "tokenizer.json").is_file()


def test_words_of_more_than_100_characters_take_no_part():
    texts = ["the cat sat on the mat", "the hat of the cat"] * 5
    without = train_vocabulary([*texts, "x . y", "x . y"], 300).get_vocab()
    for long in ("q" * 101, "Qé" * 60, "qz" * 4000):
        assert train_vocabulary([*texts, f"x {long}. y", f"x\n{long}.\ty"], 300).get_vocab() == without
    assert train_vocabulary([*texts, f"x {'q' * 101}"], 300).encode(f"the {'q' * 101}").tokens[2] == "[UNK]"


def test_words_of_100_characters_and_addresses_take_part():
    word = "q" * 100
    assert word in train_vocabulary(["the cat", word, word] * 5, 300).get_vocab()
    address = "https://example.org/" + "/".join(["cat", "hat", "mat"] * 20)  # its words are those between the signs
    spaced = " ".join(part for part, _ in BertPreTokenizer().pre_tokenize_str(address))
    assert train_vocabulary([address] * 3, 300).get_vocab() == train_vocabulary([spaced] * 3, 300).get_vocab()
