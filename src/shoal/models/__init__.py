"""The privacy models, by name."""

from typing import TYPE_CHECKING

from shoal.foundation.lazy_imports import offer
from shoal.foundation.shelf import Shelf

if TYPE_CHECKING:  # imported when asked for; the members in the order of the shelf
    # isort: off
    from shoal.models.model import PrivacyModel as PrivacyModel
    from shoal.models.k_anonymity import KAnonymity as KAnonymity
    from shoal.models.distinct_l_diversity import DistinctLDiversity as DistinctLDiversity
    from shoal.models.entropy_l_diversity import EntropyLDiversity as EntropyLDiversity
    from shoal.models.recursive_cl_diversity import RecursiveClDiversity as RecursiveClDiversity
    from shoal.models.frequency_l_diversity import FrequencyLDiversity as FrequencyLDiversity
    from shoal.models.p_sensitive_k_anonymity import PSensitiveKAnonymity as PSensitiveKAnonymity
    from shoal.models.k_e_anonymity import KEAnonymity as KEAnonymity
    from shoal.models.alpha_k_anonymity import AlphaKAnonymity as AlphaKAnonymity
    from shoal.models.t_closeness import TCloseness as TCloseness
    from shoal.models.beta_likeness import BetaLikeness as BetaLikeness
    from shoal.models.delta_disclosure import DeltaDisclosure as DeltaDisclosure
    from shoal.models.k_map import KMap as KMap
    from shoal.models.k_map_estimate import KMapEstimate as KMapEstimate
    from shoal.models.delta_presence import DeltaPresence as DeltaPresence
    from shoal.models.average_risk import AverageRisk as AverageRisk
    from shoal.models.sample_uniqueness import SampleUniqueness as SampleUniqueness
    from shoal.models.population_uniqueness import PopulationUniqueness as PopulationUniqueness
else:
    __getattr__, __dir__ = offer(__name__, "MODELS")

MODELS: "Shelf[PrivacyModel]" = Shelf("privacy model", __name__, "PrivacyModel")
