"""Recipes without contrast between texts of a batch (reconstruction, no negatives), and of given pairs."""

from embedlab.training.recipe import Recipe

RECONSTRUCTION = [
    Recipe(
        key="tsdae",
        title="TSDAE",
        sentence="Most words of a text are deleted; a decoder has to reconstruct the whole text from one vector.",
        paper="TSDAE, section 3, appendices A and B",
        methods_phrase="TSDAE, a text rebuilt from the single vector of its damaged copy",
        when="Texts of a special field, also single sentences; a good first phase before training with labels.",
        family="Reconstruction",
        augmentation="deletion",
        objective="tsdae",
        settings={"batch_size": 8, "optimiser": "adamw", "decay": "constant", "warmup": 0.0},
        learning_rate=3e-5,
        pooling="cls",
        schedule={"epochs": None, "max_steps": 100_000},
        schedule_line="100,000 steps of 8 texts",
    ),
    Recipe(
        key="mlm",
        title="Masked language model",
        sentence="15 % of the tokens of a text are hidden and have to be predicted from the others.",
        paper="TSDAE, section 5.2; BERT",
        methods_phrase="masked language modeling",
        cites=("wang2021tsdae",),
        when="As the first phase of another run: it teaches the field's words, not whole texts.",
        family="Reconstruction",
        augmentation="mlm-masking",
        objective="mlm",
        settings={"batch_size": 8, "optimiser": "adamw", "weight_decay": 0.01},
        learning_rate=5e-5,
        pooling="mean",
        schedule={"epochs": None, "max_steps": 100_000},
        schedule_line="100,000 steps of 8 texts",
    ),
]


_COMMON = {  # UNSEE's train.py: 1 epoch, batch 32, length 64, AdamW 1e-4, weight decay 0.01, clipping 1.0
    "batch_size": 32,
    "training_length": 64,
    "optimiser": "adamw",
    "weight_decay": 0.01,
    "gradient_clipping": 1.0,
    "augmentation": {"unit": "text"},
}
_SCHEDULE = {"epochs": None, "max_steps": 31_250, "objective": {"width": 10}}
_SCHEDULE_LINE = "31,250 steps of 32, one pass over the paper's million sentences, with its ten times wider head"


def _unsee(key: str, title: str, sentence: str, paper: str, when: str, phrase: str = "") -> Recipe:
    return Recipe(
        key=key,
        title=title,
        sentence=sentence,
        paper=f"UNSEE, {paper}",
        when=when,
        methods_phrase=phrase or f"{title} on two views by dropout",
        family="Without negatives",
        augmentation="identity",
        objective=key,
        settings=_COMMON,
        learning_rate=1e-4,
        pooling="mean",
        schedule=_SCHEDULE,
        schedule_line=_SCHEDULE_LINE,
    )


WITHOUT_NEGATIVES = [
    _unsee(
        "byol",
        "BYOL",
        "One view predicts the other as a slowly following copy of the encoder embeds it.",
        "sections 3 and 4, Figure 5",
        "Small batches: nothing depends on the other texts of the batch.",
        phrase="BYOL, one view predicting a slowly moving copy's view of the other",
    ),
    _unsee(
        "barlow-twins",
        "Barlow Twins",
        "Each dimension agrees between the two views and differs from all other dimensions.",
        "sections 3 and 4, Figure 2",
        "When dimensions should not duplicate each other.",
    ),
    _unsee(
        "vicreg",
        "VICReg",
        "The views agree, each dimension varies between texts, and no two dimensions vary together.",
        "sections 3 and 4, Figure 3",
        "To weight the three terms yourself.",
    ),
    _unsee(
        "corinfomax",
        "CorInfoMax",
        "The views agree while the embeddings fill as much of the space as they can.",
        "sections 3 and 4, Figure 4",
        "When embeddings should not collapse onto a few directions.",
    ),
]


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
        family="Given pairs",
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
        family="Given pairs",
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
        family="Given pairs",
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
        family="Given pairs",
        augmentation="scored-pairs",
        objective="cosent",
        settings=_SBERT,
    ),
]
