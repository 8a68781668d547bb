"""What is counted in texts of eight scripts: words, or characters where there are no blanks; where sentences end."""

import random
from types import SimpleNamespace

import numpy as np
import pytest
import regex
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.neighbors import KNeighborsClassifier

from embedlab.augmentations.deletion import Deletion, DeletionConfig
from embedlab.baseline_methods import baseline_title
from embedlab.baselines import BASELINES
from embedlab.counting import BOTH, CHARACTERS, WORDS, estimated_tokens, has_blanks, pieces_of, unit_of, units
from embedlab.diagnostics.word_deletion import require_english
from embedlab.diagnostics.word_order import shuffled
from embedlab.errors import UnfitError
from embedlab.maps.clusters import keywords, word_counts
from embedlab.sentences import _TERMINALS, sentences
from embedlab.summaries.extractive import central_sentences

# words of two topics, what joins words and sentences, and the stop
SCRIPTS = {
    "English": ("goal coach team match striker", "bread butter oven flour sauce", " ", ". "),
    "Chinese": ("进球 教练 球队 比赛 前锋", "面包 黄油 烤箱 面粉 酱汁", "", "。"),
    "Japanese": ("サッカー 監督 試合 得点 選手", "パン バター 小麦粉 料理 台所", "", "。"),
    "Thai": ("ประตู โค้ช ทีม นักเตะ สนาม", "ขนมปัง เนย แป้ง เตาอบ ซอส", "", " "),
    "Hindi": ("गोल प्रशिक्षक टीम मैच मैदान", "रोटी मक्खन आटा चटनी रसोई", " ", "। "),
    "Urdu": ("گول کوچ ٹیم میچ میدان", "روٹی مکھن آٹا چٹنی باورچی", " ", "۔ "),
    "Arabic": ("هدف مدرب فريق مباراة ملعب", "خبز زبدة طحين فرن صلصة", " ", "؟ "),
    "Amharic": ("ግብ አሰልጣኝ ቡድን ጨዋታ ሜዳ", "ዳቦ ቅቤ ዱቄት ምድጃ ወጥ", " ", "። "),
    "Burmese": ("ဂိုး နည်းပြ အသင်း ပွဲစဉ် ကွင်း", "ပေါင်မုန့် ထောပတ် ဂျုံမှုန့် မီးဖို ဆော့စ်", "", "။"),
}
WITHOUT_BLANKS = {"Chinese", "Japanese", "Thai", "Burmese"}


def corpus_of(script: str, count: int = 40) -> tuple[list[str], list[str]]:
    """Texts of four sentences of three words each, and their topics, which words tell."""
    *topics, blank, stop = SCRIPTS[script]
    rng, texts, labels = random.Random(0), [], []
    for number in range(count):
        words = topics[number % 2].split()
        texts.append("".join(blank.join(rng.sample(words, 3)) + stop for _ in range(4)).strip())
        labels.append("ab"[number % 2])
    return texts, labels


@pytest.mark.parametrize("script", SCRIPTS)
def test_counting_tells_topics_apart_in_every_script_and_says_what_it_counts(script):
    texts, labels = corpus_of(script)
    unit = CHARACTERS if script in WITHOUT_BLANKS else WORDS
    assert unit_of(texts) == unit and [has_blanks(text) for text in texts] == [unit == WORDS] * 40
    for key in ("tfidf", "svd"):
        counted = BASELINES[key](texts)
        vectors = counted.embed(texts)
        near = KNeighborsClassifier(5).fit(vectors[:30], labels[:30])
        assert near.score(vectors[30:], labels[30:]) == 1.0 and counted.facts["counted"] == unit
    scores = BASELINES["bm25"](texts).scores(texts[30:], texts[:30]).toarray()
    assert [labels[row] for row in scores.argmax(axis=1)] == labels[30:]


def test_the_name_of_a_reference_line_says_what_it_counts_where_that_is_not_words():
    assert baseline_title("tfidf") == "TF-IDF" and baseline_title("tfidf", CHARACTERS) == "TF-IDF (characters)"
    assert baseline_title("static", CHARACTERS) == "Static word vectors"


@pytest.mark.parametrize(
    "script", [script for script in SCRIPTS if script != "Thai"]
)  # which has no sign for the end of a sentence
def test_four_sentences_are_four_in_every_script(script):
    for text in corpus_of(script)[0]:
        assert len(sentences(text)) == 4 and "".join(sentences(text)) == text
        assert len(central_sentences(text, words=1)) == len({part.strip() for part in sentences(text)})


@pytest.mark.parametrize("script", SCRIPTS)
def test_words_deleted_or_moved_are_words_or_characters(script):
    texts, _ = corpus_of(script)
    pieces, blank = pieces_of(texts[0])
    assert len(pieces) > 10 and blank.join(pieces).split() == texts[0].split() or script == "Thai"
    mixed = shuffled(texts[0], np.random.default_rng(0))
    assert sorted(pieces_of(mixed)[0]) == sorted(pieces) and mixed != blank.join(pieces)
    damaging = Deletion(SimpleNamespace(texts=texts * 50), DeletionConfig())
    left = [
        len(pieces_of(damaging.views(row, random.Random(row))[0])[0]) / len(pieces_of(texts[row % 40])[0])
        for row in range(400)
    ]
    assert np.mean(left) == pytest.approx(0.4, abs=0.03)


def test_units_by_hand():
    assert units("Ein naïves Café, x 42") == ["ein", "naïves", "café", "42"]
    assert units("हिन्दी में") == ["हिन्दी", "में"]  # with their vowel signs
    assert units("踢足球 now") == ["踢", "足", "球", "踢足", "足球", "now"]
    assert units("踢足球 now 我", bigrams_only=True) == ["踢足", "足球", "now", "我"]
    assert unit_of(["two words"] * 5 + ["足球"] * 5) == BOTH and unit_of([]) == WORDS


def test_words_of_latin_script_are_scikit_learns():
    texts = ["A naïve approach, don't: 3.5 % of foo_bar x²", "Größe ÄÖÜ über-all", "plain ASCII text I"]
    theirs = TfidfVectorizer().build_analyzer()
    assert [units(text) for text in texts] == [theirs(text) for text in texts]


def test_lengths_are_estimated_by_characters_where_there_are_no_blanks():
    assert estimated_tokens("one two three four") == pytest.approx(1.3 * 4)
    assert estimated_tokens("踢足球" * 200) == 600 and estimated_tokens("踢足球 now") == pytest.approx(3 + 1.3)


def test_parts_of_speech_are_refused_where_the_tagger_knows_nothing():
    require_english(["A text with a naïve word"])
    for script in SCRIPTS.keys() - {"English"}:
        with pytest.raises(UnfitError, match="not English"):
            require_english(corpus_of(script)[0])


def test_keywords_of_clusters_without_blanks_are_bigrams():
    texts, labels = corpus_of("Chinese")
    counts, words = word_counts(texts, np.array([label == "b" for label in labels], int), 2)
    assert {word for group in keywords(counts, words) for word in group} <= {
        t[i : i + 2] for t in texts for i in range(len(t))
    }


def test_sentence_terminals_are_unicodes():
    stops = regex.compile(r"\p{Sentence_Terminal}")
    ours = regex.compile(f"[{_TERMINALS}]")
    characters = [chr(code) for code in range(0x110000) if not 0xD800 <= code < 0xE000]
    assert [each for each in characters if bool(ours.match(each)) != bool(stops.match(each))] == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Dr. Smith paid 3.5 dollars, e.g. to J. Doe. Then he left.", 2),
        ("他有３．５元．然后走了．", 2),
        ("これは何ですか？はい！そうです｡", 3),
        ("这是一句.这是两句.Then a third. 完", 4),
        ("ایم۔اے کیا ہے؟ جواب۔", 2),
        ("See a.b.com and v1.2.3 now", 1),
    ],
)
def test_stops_within_numbers_abbreviations_and_addresses_end_nothing(text, count):
    assert len(sentences(text)) == count and "".join(sentences(text)) == text
