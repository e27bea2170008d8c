"""Opening: another table is read by the request of some rules, with their hierarchies over its values."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from shoal.classes.tally import Tally
from shoal.foundation.errors import SpecError
from shoal.foundation.given import path_of
from shoal.jobs.job import Job
from shoal.jobs.keys.pseudonyms import PseudonymKey
from shoal.jobs.missing_codes import MissingCodes
from shoal.jobs.source import Source, read_populations, read_table
from shoal.releases.release import Release
from shoal.releases.rules.domains import AppliedRule, Domain
from shoal.releases.rules.rules import Rules, file_of
from shoal.releases.rules.solving import on_a_line
from shoal.releases.series.state import STATE
from shoal.tables.hierarchies import Suppression
from shoal.tables.location import file_digest


def rules_in(rules: Any) -> tuple[Rules, str]:
    """Return rules, and the digest of their file."""
    if isinstance(rules, Release):
        _check_alone(rules.run.series is not None)
        found = rules.rules()
        return found, found.digest()
    if isinstance(rules, Rules):
        return rules, rules.digest()
    path = file_of(path_of(rules, "rules"))
    _check_alone((path.parent / STATE).is_file())
    return Rules.read(path), file_digest(path)


def _check_alone(of_a_series: bool) -> None:
    """Raise a SpecError if rules are those of a series: a release by them would keep nothing of what that promises."""
    if of_a_series:
        raise SpecError(
            "The rules belong to a release of a series. Applied to another table, they would reveal "
            "something about the persons of the series by the difference: continue the series instead "
            "(anonymize --after)."
        )


def declaring(job: Job, rules: Rules) -> Job:
    """Return the job with the values that the rules keep apart as missing: the table itself may not declare them."""
    columns = dict(job.columns)
    for name, rule in rules.columns.items():
        codes = tuple(dict.fromkeys([*columns[name].missing, *(rule.apart or ())]))
        columns[name] = columns[name].model_copy(update={"missing": codes})
    return job.model_copy(update={"columns": columns})


def check_files(rules: Rules, job: Job, changed: str) -> None:
    """Raise a SpecError if files that the rules refer to have changed, unless that is allowed."""
    names = rules.changed(job)
    if names and changed != "allow":
        listed = ", ".join(f"'{name}'" for name in names)
        raise SpecError(
            f"The hierarchy or distances of {listed} have changed since the rules were made. If values were "
            "only added to their files, allow it (--changed allow): cells are then interpreted by the new "
            "files."
        )


def opened(rules: Rules, job: Job, data: Any, key: PseudonymKey | None) -> tuple[Source, dict[str, Domain]]:
    """Read the table, with the hierarchies of the rules over its values."""
    source = read_table(job, data, _missing_codes(rules), key=key)
    table, job = source.table, source.job
    populations = read_populations(job, tuple(rules.columns), source.missing_codes)
    if populations and rules.recoding != "full-domain":
        raise SpecError(
            "Promises on an external table need one level for each column, but these rules group the values "
            "of their own table. Search for a new release."
        )
    domains, hierarchies = {}, {}
    for name, column in job.columns.items():
        recipe = column.hierarchy
        if name in rules.columns:
            tables = [table, *populations.values()]
            values = sorted({value for one in tables for value in one.columns[name].values})
            named = rules.recoding == "centres" and not on_a_line(job, name)
            domains[name] = Domain.of(
                rules.columns[name],
                recipe or Suppression(),
                values,
                name,
                job.folder,
                centres=named,
                missing_codes=source.missing_codes.apart.get(name, ()),
            )
            hierarchies[name] = domains[name].hierarchy
        elif recipe is not None:
            hierarchies[name] = recipe.build(table.columns[name].values, name, job.folder)
    return replace(source, populations=populations, hierarchies=hierarchies), domains


def applied_rules(rules: Rules, source: Source, domains: Mapping[str, Domain], tally: Tally) -> list[AppliedRule]:
    """Return the rule of each quasi column of a tally, applied to its values."""
    return [
        AppliedRule.of(
            rules.columns[column.name],
            source.job.columns[column.name].hierarchy or Suppression(),
            column.hierarchy,
            domains[column.name],
            column.name,
        )
        for column in tally.quasi
    ]


def _missing_codes(rules: Rules) -> MissingCodes:
    """Return what became of values that were declared as missing when the rules were made."""
    apart = {name: frozenset(rule.apart) for name, rule in rules.columns.items() if rule.apart is not None}
    return MissingCodes(apart, {name: frozenset() for name, rule in rules.columns.items() if rule.merged})
