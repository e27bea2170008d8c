"""The privacy models, by name."""

from shoal.foundation.shelf import Shelf
from shoal.models.alpha_k_anonymity import AlphaKAnonymity
from shoal.models.beta_likeness import BetaLikeness
from shoal.models.delta_disclosure import DeltaDisclosure
from shoal.models.delta_presence import DeltaPresence
from shoal.models.distinct_l_diversity import DistinctLDiversity
from shoal.models.entropy_l_diversity import EntropyLDiversity
from shoal.models.frequency_l_diversity import FrequencyLDiversity
from shoal.models.k_anonymity import KAnonymity
from shoal.models.k_map import KMap
from shoal.models.model import PrivacyModel
from shoal.models.p_sensitive_k_anonymity import PSensitiveKAnonymity
from shoal.models.recursive_cl_diversity import RecursiveClDiversity
from shoal.models.t_closeness import TCloseness

__all__ = [
    "MODELS",
    "AlphaKAnonymity",
    "BetaLikeness",
    "DeltaDisclosure",
    "DeltaPresence",
    "DistinctLDiversity",
    "EntropyLDiversity",
    "FrequencyLDiversity",
    "KAnonymity",
    "KMap",
    "PSensitiveKAnonymity",
    "PrivacyModel",
    "RecursiveClDiversity",
    "TCloseness",
]

MODELS: Shelf[PrivacyModel] = Shelf(
    "privacy model",
    "models",
    [
        KAnonymity,
        DistinctLDiversity,
        EntropyLDiversity,
        RecursiveClDiversity,
        FrequencyLDiversity,
        PSensitiveKAnonymity,
        AlphaKAnonymity,
        TCloseness,
        BetaLikeness,
        DeltaDisclosure,
        KMap,
        DeltaPresence,
    ],
)
