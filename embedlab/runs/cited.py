"""How a recipe is told in a sentence, and which works recipes, encoders and corpora rest on."""

_INFONCE = "InfoNCE with in-batch negatives"
RECIPES: dict[str, tuple[str, tuple[str, ...]]] = {
    "crops": (f"text crops, two crops of a text as a positive pair, with {_INFONCE}", ("crops", "oord2018cpc")),
    "sentences": (
        f"pairs of sentences, two different sentences of a text as a positive pair, with {_INFONCE}",
        ("crops", "laser3", "yu2022cocodr", "oord2018cpc"),
    ),
    "dropout": (
        f"dropout pairs, one crop of a text read twice with different dropout, with {_INFONCE}",
        ("crops", "gao2021simcse", "oord2018cpc"),
    ),
    "crops-masking": (f"text crops with masked tokens, with {_INFONCE}", ("crops", "oord2018cpc")),
    "simcse": (f"SimCSE, a text read twice with different dropout, with {_INFONCE}", ("gao2021simcse",)),
    "elongation-self": (
        f"LA(SER)³ self-reference, a sentence and its repetition as a positive pair, with {_INFONCE}",
        ("laser3", "oord2018cpc"),
    ),
    "elongation-intra": (
        f"LA(SER)³ intra-reference, a repeated sentence and the rest of its text as a positive pair, with {_INFONCE}",
        ("laser3", "oord2018cpc"),
    ),
    "coco-dr": (
        f"a sentence and the rest of its text as a positive pair, with {_INFONCE}",
        ("laser3", "yu2022cocodr", "oord2018cpc"),
    ),
    "contrastive-tension": ("Contrastive Tension between two encoders", ("carlsson2021tension", "wang2021tsdae")),
    "contrastive-tension-in-batch": (
        "Contrastive Tension between two encoders with in-batch negatives",
        ("carlsson2021tension", "reimers2019sbert"),
    ),
    "semcse": ("SemCSE, summaries, titles and sentences of a text by a triplet margin", ("semcse",)),
    "semcse-cosine": (f"SemCSE, summaries, titles and sentences of a text, with {_INFONCE}", ("semcse",)),
    "tsdae": ("TSDAE, a text rebuilt from the one vector of its damaged copy", ("wang2021tsdae",)),
    "mlm": ("masked language modelling", ("devlin2019bert", "wang2021tsdae")),
    "byol": ("BYOL, one view predicting a slowly moving copy's view of the other", ("unsee",)),
    "barlow-twins": ("Barlow Twins on two views by dropout", ("zbontar2021barlow", "unsee")),
    "vicreg": ("VICReg on two views by dropout", ("bardes2022vicreg", "unsee")),
    "corinfomax": ("CorInfoMax on two views by dropout", ("ozsoy2022corinfomax", "unsee")),
    "supervised": (
        f"labels, two texts of a class as a positive pair, with {_INFONCE} (a supervised reference)",
        ("wang2021tsdae", "oord2018cpc"),
    ),
    "untouched": ("no training", ()),
}
ENCODERS: dict[str, tuple[str, ...]] = {
    "token": ("crops",),
    "scratch": ("devlin2019bert",),
    "minilm": ("wang2020minilm", "reimers2019sbert"),
    "minilm-hub": ("wang2020minilm", "reimers2019sbert"),
    "mpnet": ("song2020mpnet",),
    "bert": ("devlin2019bert",),
    "scibert": ("beltagy2019scibert",),
    "simcse": ("gao2021simcse",),
    "declutr": ("giorgi2021declutr",),
    "declutr-sci": ("giorgi2021declutr",),
    "scincl": ("ostendorff2022scincl",),
    "specter": ("cohan2020specter",),
    "specter2-base": ("singh2023scirepeval",),
    "sbert": ("reimers2019sbert", "song2020mpnet"),
}
CORPORA: dict[str, tuple[str, ...]] = {
    "iclr": ("gonzalez2024iclr",),
    "arxiv": ("muennighoff2023mteb",),
    "biorxiv": ("muennighoff2023mteb",),
    "medrxiv": ("muennighoff2023mteb",),
    "reddit": ("muennighoff2023mteb",),
    "stackexchange": ("muennighoff2023mteb",),
    "20newsgroups": ("pedregosa2011sklearn",),
}
OPTIMISERS = {"adam": ("Adam", ("kingma2014adam",)), "adamw": ("AdamW", ()), "rmsprop": ("RMSprop", ())}


def encoder_keys(encoder: str) -> tuple[str, ...]:
    """What an encoder's name asks to be cited; nothing for one that is not in the catalog."""
    return ENCODERS.get(encoder.partition(":")[0] if encoder.startswith(("scratch:", "token:")) else encoder, ())
