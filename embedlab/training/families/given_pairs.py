"""Training on pairs that people gave, with or without scores: what most users of embedding models have."""

from embedlab.training.recipe import Recipe

_FAMILY = "Given pairs"
_SBERT = {"epochs": 1, "warmup": 0.1, "optimiser": "adamw"}
_SCORED = "Pairs of texts with scores, such as STS; alone, or after ranking on NLI (TSDAE's SBERT-supervised)."

GIVEN_PAIRS = [
    Recipe(
        key="ranking",
        title="Ranking",
        sentence="An anchor has to find its given text among those of the whole batch.",
        paper="Sentence-BERT; TSDAE, Table 2 (NLI); LA(SER)³, section 3",
        methods_phrase="given pairs, with in-batch ranking",
        when="Questions and answers, queries and documents, paraphrases, NLI; also with given negatives.",
        family=_FAMILY,
        augmentation="given-pairs",
        objective="ranking",
        settings=_SBERT,
    ),
    Recipe(
        key="triplet",
        title="Triplet",
        sentence="An anchor moves closer to its positive than to its given negative.",
        paper="Sentence-BERT, section 3",
        methods_phrase="given triplets, with a margin of Euclidean distances",
        when="Triplets of an anchor, a positive and a negative text.",
        family=_FAMILY,
        augmentation="given-pairs",
        objective="given-triplet",
        settings=_SBERT,
    ),
    Recipe(
        key="cosine-mse",
        title="Cosine error",
        sentence="The cosine of two texts is fitted to the score that people gave them.",
        paper="Sentence-BERT, section 3; TSDAE, Table 2 (STS)",
        methods_phrase="scored pairs, with the squared error of the cosine",
        when=_SCORED,
        family=_FAMILY,
        augmentation="scored-pairs",
        objective="cosine-mse",
        settings=_SBERT,
    ),
    Recipe(
        key="cosent",
        title="CoSENT",
        sentence="Pairs that people scored higher get higher cosines; only the order counts.",
        paper="CoSENT; trained as Sentence-BERT",
        methods_phrase="scored pairs, with CoSENT",
        when=f"{_SCORED} Spearman's correlation also depends only on the order.",
        family=_FAMILY,
        augmentation="scored-pairs",
        objective="cosent",
        settings=_SBERT,
    ),
]
