"""The privacy models, by name."""

from shoal.models.distinct_l_diversity import DistinctLDiversity
from shoal.models.k_anonymity import KAnonymity
from shoal.models.model import PrivacyModel
from shoal.shelf import Shelf

MODELS: Shelf[PrivacyModel] = Shelf(
    "privacy model",
    "models",
    [
        KAnonymity,
        DistinctLDiversity,
    ],
)
