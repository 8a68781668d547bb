"""Views -> named loss terms."""

from embedlab.objectives.barlow_twins import BarlowTwins
from embedlab.objectives.byol import BYOL
from embedlab.objectives.contrastive_tension import ContrastiveTension, ContrastiveTensionInBatch
from embedlab.objectives.corinfomax import CorInfoMax
from embedlab.objectives.given_triplet import GivenTriplet
from embedlab.objectives.infonce import InfoNCE
from embedlab.objectives.mlm import MLM
from embedlab.objectives.ranking import Ranking
from embedlab.objectives.scored_pairs import CoSENT, CosineMSE
from embedlab.objectives.triplet import Triplet
from embedlab.objectives.tsdae import TSDAE
from embedlab.objectives.vicreg import VICReg
from embedlab.registry import Registry

OBJECTIVES = Registry(
    "objective",
    [
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
    ],
)
