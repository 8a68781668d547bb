"""Small corpora and pairs, written here: four classes, each with words of its own."""

import random

from embedlab.corpora.base import Corpus, Draft, store_corpus
from embedlab.corpora.sets.stored import GivenPairs, pairs_table, store_pairs

TOY_WORDS = {
    "astronomy": "star galaxy orbit telescope planet nebula comet eclipse gravity dust radiation dwarf cluster moon",
    "cooking": "butter onion oven flour pepper garlic sauce dough simmer roast spoon vinegar basil kettle crust",
    "law": "court judge contract statute appeal verdict witness clause defendant treaty evidence counsel tort bail",
    "sailing": "anchor rudder harbor keel mast rope tide sail wind deck buoy compass current hull captain",
}
TOY_LINKS = "the of and with near under before after this that every some while because over".split()


def toy_texts(per_class: int = 30, sentences: int = 4, seed: int = 0) -> tuple[list[str], list[str]]:
    """Texts of sentences of 100 to 160 characters, three words in four from their class; and their labels."""
    rng = random.Random(seed)
    texts, labels = [], []
    for _ in range(per_class):
        for label, words in TOY_WORDS.items():
            own = words.split()
            written = []
            for _ in range(sentences):
                sentence = ""
                while len(sentence) < 105:
                    sentence += f"{rng.choice(own if rng.random() < 0.75 else TOY_LINKS)} "
                written.append(f"{sentence.strip().capitalize()}.")
            texts.append(" ".join(written))
            labels.append(label)
    return texts, labels


def store_toy() -> Corpus:
    """120 texts of four sentences in four classes, with titles."""
    texts, labels = toy_texts()
    titles = [" ".join(text.split()[:4]) for text in texts]
    return store_corpus(Draft(name="toy", source="toy", texts=texts, labels=labels, titles=titles))


def toy_pairs() -> GivenPairs:
    """60 pairs of halves of the toy texts, each with a sentence of another class and a score from 0.8 to 1; stored."""
    texts, _ = toy_texts()
    halves = [text.split(". ") for text in texts]
    pairs = pairs_table(
        anchors=[each[0] for each in halves[:60]],
        positives=[each[1] for each in halves[:60]],
        negatives=[[each[2]] for each in halves[1:61]],
        scores=[0.8 + (row % 5) / 20 for row in range(60)],
    )
    roles = {"anchor": "one", "positive": "other", "negative": "no", "score": "score"}
    return store_pairs(pairs, name="toy pairs", source="toy.csv", rows=62, roles=roles)
