"""Views -> named loss terms."""

from typing import Any

from embedlab.objectives.base import Objective
from embedlab.registry import Registry


def _parts() -> list[type[Objective[Any]]]:
    from embedlab.objectives.barlow_twins import BarlowTwins
    from embedlab.objectives.byol import BYOL
    from embedlab.objectives.contrastive_tension import ContrastiveTension, ContrastiveTensionInBatch
    from embedlab.objectives.corinfomax import CorInfoMax
    from embedlab.objectives.infonce import InfoNCE, Ranking
    from embedlab.objectives.mlm import MLM
    from embedlab.objectives.scored_pairs import CoSENT, CosineMSE
    from embedlab.objectives.triplet import GivenTriplet, Triplet
    from embedlab.objectives.tsdae import TSDAE
    from embedlab.objectives.vicreg import VICReg

    return [
        InfoNCE,
        Triplet,
        TSDAE,
        MLM,
        ContrastiveTension,
        ContrastiveTensionInBatch,
        BYOL,
        BarlowTwins,
        VICReg,
        CorInfoMax,
        Ranking,
        GivenTriplet,
        CosineMSE,
        CoSENT,
    ]


OBJECTIVES: Registry[type[Objective[Any]]] = Registry("objective", _parts)
