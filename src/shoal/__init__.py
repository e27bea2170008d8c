"""shoal: release tables of personal data so that every record looks like at least k - 1 others.

The front door: names are imported when they are first used, so that `import shoal` costs nothing.
"""

from typing import TYPE_CHECKING

from shoal.foundation import old_names
from shoal.foundation.lazy_imports import offer

__version__ = "0.1.0"

if TYPE_CHECKING:  # imported when asked for
    from shoal import measures as measures
    from shoal import models as models
    from shoal.actions import sklearn as sklearn
    from shoal.actions.anonymize import anonymize as anonymize
    from shoal.actions.anonymize import run as run
    from shoal.actions.apply import apply as apply
    from shoal.actions.attack import attack as attack
    from shoal.actions.check import check as check
    from shoal.actions.compare import compare as compare
    from shoal.actions.example import example as example
    from shoal.actions.frontier import frontier as frontier
    from shoal.actions.hierarchy import Sheet as Sheet
    from shoal.actions.hierarchy import hierarchy as hierarchy
    from shoal.actions.init import Proposal as Proposal
    from shoal.actions.init import init as init
    from shoal.actions.minimal import minimal_generalizations as minimal_generalizations
    from shoal.actions.pseudonym import new_pseudonym_key as new_pseudonym_key
    from shoal.actions.pseudonym import pseudonym as pseudonym
    from shoal.actions.risk import risk as risk
    from shoal.actions.risk import singling_out as singling_out
    from shoal.actions.sample import sample as sample
    from shoal.actions.schema import schema as schema
    from shoal.actions.sign import sign as sign
    from shoal.actions.utility import utility as utility
    from shoal.actions.verify import verify as verify
    from shoal.foundation.budgets import limits as limits
    from shoal.foundation.errors import CertificateError as CertificateError
    from shoal.foundation.errors import InfeasibleError as InfeasibleError
    from shoal.foundation.errors import MissingExtraError as MissingExtraError
    from shoal.foundation.errors import PluginWarning as PluginWarning
    from shoal.foundation.errors import ShoalError as ShoalError
    from shoal.foundation.errors import SpecError as SpecError
    from shoal.jobs.given_table import table as table
    from shoal.jobs.job import Job as Job
    from shoal.measures import *  # noqa: F403
    from shoal.models import *  # noqa: F403
    from shoal.releases.release import Release as Release
    from shoal.releases.sampling.private_sample import PrivateSample as PrivateSample
    from shoal.search import algorithms as algorithms
    from shoal.tables import hierarchies as hierarchies
else:
    __getattr__, __dir__ = offer(__name__)

old_names.install()
