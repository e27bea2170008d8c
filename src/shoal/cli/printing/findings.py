"""Findings: what attacks reach, in words and tables."""

from typing import TYPE_CHECKING, Any

from shoal.cli.show import plain_console, words
from shoal.foundation.wording import number_of

if TYPE_CHECKING:
    from shoal.audits.attacks.attacks import Attacks

_LISTED = 10  # classes that are printed for each attack


def print_findings(found: "Attacks", *, show: bool) -> None:
    """Print what each attack reaches, and then its figures."""
    from rich.table import Table  # loads where something is printed

    table = Table("attack", "column", "reaches", "share", "of", box=None, pad_edge=False)
    for one in found:
        table.add_row(*_summary(one.as_dict()))
    plain_console().print(table)
    for one in found:
        told = one.as_dict(show=show)
        print()
        print(f"{told['attack']}{_of(told)}")
        if "sample" in told:
            print(f"  {_sampled(told['sample'])}")
        for line in _LINES[told["attack"]](told):
            print(f"  {line}")
        _print_classes(told["exposed"], show=show)
    for name, reason in found.not_run.items():
        print()
        print(f"not run: {name}: {reason}")


def _of(told: dict[str, Any]) -> str:
    by = f", by {told['by']}" if "by" in told else ""
    return f" ({told['column']}{by})" if "column" in told else ""


def _sampled(sample: dict[str, Any]) -> str:
    """Say what part was looked at."""
    unit = {"persons": "person", "classes": "class"}[sample["unit"]]
    drawn = f"{sample['drawn']} of {number_of(sample['of'], unit)}, drawn by the seed {sample['seed']}"
    return f"a sample: {drawn}; numbers are those of the sample, shares are estimates"


def _summary(told: dict[str, Any]) -> tuple[str, ...]:
    """Return the name of an attack, its column, what it reaches at what is asked, as a share, and of what."""
    name, share = told["attack"], f"{told['share']:.2%}"
    if name == "linkage":
        matched = f"{number_of(told['unique'], 'person')} matched once"
        return name, "", matched, share, number_of(told["persons"], "person")
    if name == "presence":
        best = max(told["in_class"], told["at_end"], told["near_end"], key=lambda guess: guess["times_base"])
        guessed = f"{number_of(best['reach'], 'person')} guessed, {best['precision']:.1%} right"
        return name, "", guessed, share, number_of(told["persons"], "person")
    if name == "singling-out":
        unit, of = ("person", told["of_persons"]) if "of_persons" in told else ("record", told["of_records"])
        return name, "", f"{number_of(told['isolated'], unit)} alone", share, number_of(of, unit)
    if name == "replay":
        return (
            name,
            "",
            f"{number_of(told['swaps'] - told['equal'], 'table')} ruled out",
            share,
            f"{told['swaps']} swapped",
        )
    if name == "composition":
        best = told["by_row"] or told["by_value"]
        below = f"{number_of(best['below_both'], 'person')} below k"
        return name, "", below, share, number_of(told["possible"], "person")
    if name == "series":
        certain = f"{_between(told['certain'], 'person')} certain"
        return name, told["column"], certain, share, number_of(told["persons"], "person")
    records = {
        "homogeneity": lambda: f"{number_of(told['records'], 'record')} certain",
        "background-knowledge": lambda: (
            f"{number_of(told['ruled_out'][-1]['records'], 'record')} certain, "
            f"{number_of(told['ruled_out'][-1]['values'], 'value')} ruled out"
        ),
        "skewness": lambda: f"{number_of(told['records'], 'record')}, share up {words(told['at'])}",
        "similarity": lambda: (
            f"{number_of(told['records'], 'record')}, "
            + (f"range within {told['at']:.0%}" if told["by"] == "range" else "one group")
        ),
    }
    return name, told["column"], records[name](), share, number_of(told["of_records"], "record")


def _bins(bins: list[dict[str, Any]]) -> str:
    parts = []
    for one in bins:
        if one["count"]:
            end = one["to"]
            span = (
                f"{one['from']}" if end == one["from"] else f"{one['from']}+" if end is None else f"{one['from']}-{end}"
            )
            parts.append(f"{span}: {one['count']}")
    return ", ".join(parts)


def _linkage(told: dict[str, Any]) -> list[str]:
    lines = [
        f"joined on {', '.join(told['columns'])}",
        f"records per person   {_bins(told['matches'])}",
        f"persons per record   {_bins(told['candidates'])}",
        f"one record only      {number_of(told['unique'], 'person')}; one person only: "
        f"{number_of(told['lone_records'], 'record')}",
        f"right by chance      {words(told['expected'])} of {number_of(told['persons'], 'person')}, if all are in the "
        "release",
    ]
    lines += [f"certain {column}: {number_of(persons, 'person')}" for column, persons in told["certain"].items()]
    lines += [f"{column}: {number_of(cells, 'cell', 'cover')} nobody" for column, cells in told["idle_cells"].items()]
    if told["truth"] is not None:
        true = told["truth"]
        present = number_of(true["present"], "person", "are")
        lines.append(f"truth: {present} in the release, {true['found']} match their own record")
        lines.append(
            f"truth: of single matches {true['unique_right']} are right, {true['unique_wrong']} wrong; by chance "
            f"{words(true['right'])} are right"
        )
    return lines


def _presence(told: dict[str, Any]) -> list[str]:
    lines = [
        f"joined on {', '.join(told['columns'])}",
        f"base rate            {told['base']:.2%}: {told['present']} of {number_of(told['persons'], 'person')} are in "
        "the raw table",
    ]
    for key, words_ in (("in_class", "in a class"), ("at_end", "at a printed end"), ("near_end", "near an end")):
        guess = told[key]
        lines.append(
            f"{words_:<20} {number_of(guess['reach'], 'person')}, {guess['precision']:.2%} of them in the raw table: "
            f"{words(guess['times_base'])} times the base rate"
        )
    return lines


def _singling_out(told: dict[str, Any]) -> list[str]:
    kinds = {"cells": "the cells of a class", "ends": "and the end of a range", "elements": "and an element of a set"}
    unit = "person" if "of_persons" in told else "record"
    return [
        f"{kinds[one['kind']]:<23} {one['isolating']} of {number_of(one['predicates'], 'description')} fit one {unit} "
        f"alone, in {one['classes']} of {number_of(told['of_classes'], 'class')}"
        for one in told["predicates"]
        if one["predicates"]
    ]


def _homogeneity(told: dict[str, Any]) -> list[str]:
    records, classes = number_of(told["of_records"], "record"), number_of(told["of_classes"], "class")
    return [f"{told['records']} of {records}, in {told['classes']} of {classes}"]


def _background(told: dict[str, Any]) -> list[str]:
    return [
        f"{step['values']} ruled out: {number_of(step['records'], 'record')} certain, in "
        f"{number_of(step['classes'], 'class')}; "
        f"{words(step['expected'])} right by chance"
        for step in told["ruled_out"]
    ]


def _skewness(told: dict[str, Any]) -> list[str]:
    lines = [
        "gain: how much the share of a value is up, from the whole release to a class",
        f"largest gain {words(told['largest_gain'])}, largest ratio {words(told['largest_ratio'])}",
    ]
    for kind, word in (("gains", "up by {} or more"), ("ratios", "up {} times or more")):
        lines += [
            f"{word.format(words(rise['least']))}: {number_of(rise['records'], 'record')} in "
            f"{number_of(rise['classes'], 'class')}, {rise['holders']} of them with such a value"
            for rise in told[kind]
        ]
    lines += [
        f"{rise['value'] or 'missing'}: {rise['prior']:.1%} of all, {rise['posterior']:.1%} of class {rise['class']}"
        for rise in told["values"][:_LISTED]
        if "value" in rise
    ]
    return lines


def _similarity(told: dict[str, Any]) -> list[str]:
    lines = []
    if told["by"] == "range":
        lines.append(f"narrowest range {words(told['narrowest_range'])} of {words(told['whole_range'])}")
    return lines + [
        (
            f"within {step['within']:.0%} of the range"
            if told["by"] == "range"
            else f"one group of level {step['within']:g}"
        )
        + f": {number_of(step['records'], 'record')} in {number_of(step['classes'], 'class')}"
        for step in told["confined"]
    ]


def _composition(told: dict[str, Any]) -> list[str]:
    lines = [f"persons in both: {told['possible']} of {told['persons']}"]
    lines.append(
        f"promised k: {_two(told['promised'])}; fewest records for a person alone: {_two(told['fewest_alone'])}"
    )
    for key, by in (("by_value", "sensitive values"), ("by_row", "all columns that both publish as they are")):
        if told[key] is not None:
            left = told[key]
            lines.append(f"by {by}: fewest left {left['fewest']}, below k {_two(left['below'])} persons")
            lines.append(f"  records left per person   {_bins(left['candidates'])}")
    return lines + [
        f"certain {column}: {number_of(counts['alone'], 'person')} alone, {counts['together']} together"
        for column, counts in told["certain"].items()
    ]


def _replay(told: dict[str, Any]) -> list[str]:
    lines = [
        f"swapped inside of each class: {', '.join(told['columns'])}",
        f"same release: {told['equal']} of {number_of(told['swaps'], 'swapped table')}"
        + (f"; {told['refused']} led to none" if told["refused"] else ""),
    ]
    if told["unchanged"]:
        lines.append(f"{told['unchanged']} of them did not differ in what the search reads")
    if told["at_most"] is not None:
        lines.append(f"of all swapped tables at most {told['at_most']:.2%} lead to another release (95% confidence)")
    if told["blind"]:
        return [*lines, "the job makes blind releases: it is proven that none does"]
    seeing = "the job does not make blind releases: "
    if told["equal"] == told["swaps"]:
        return [*lines, f"{seeing}nothing is proven of the others"]
    return [*lines, f"{seeing}who knows the algorithm rules out the tables that lead to another one"]


def _series(told: dict[str, Any]) -> list[str]:
    few, width = told["persons"] - told["exact"], told["width"]
    lines = [
        f"releases: {told['releases']}; ever in one: {number_of(told['persons'], 'person')}",
        f"certain: {_between(told['certain'], 'person')}; by one release alone {told['alone'][0]}",
        f"likelier than 1/{told['l']}: {_between(told['above'], 'person')}; by one release alone {told['alone'][1]}",
        f"below k = {told['k']}: {_between(told['below'], 'person')}",
        f"largest probability: {_from_to(told['largest'])}",
        f"exact: {told['exact']} of {number_of(told['persons'], 'person')}"
        + (f"; of the others within bounds, {words(width['mean'])} wide on average" if few else ""),
    ]
    if told["told"] is not None:
        known = told["told"]
        lines.append(
            f"who is told all classes: certain {_between(known['certain'], 'person')}, likelier than 1/{told['l']} "
            f"{_between(known['above'], 'person')}, largest probability {_from_to(known['largest'])}"
        )
    if told["misfits"]:
        lines.append(
            f"no history fits: {number_of(told['misfits'], 'person')} (a value changed, or the lists are not right)"
        )
    if told["strangers"]:
        lines.append(f"of nobody in the lists: {number_of(told['strangers'], 'record')}")
    if told["crowded"]:
        lines.append(f"with more persons than records: {number_of(told['crowded'], 'release')}")
    lines += [
        f"releases {one['first']} and {one['second']}: {number_of(one['certain'], 'person')} certain, "
        f"{one['above']} likelier than 1/{told['l']}"
        for one in told["pairs"][:_LISTED]
    ]
    if told["untried"]:
        lines.append(f"{number_of(told['untried'], 'pair')} of releases not tried by themselves")
    return lines


def _between(numbers: list[int], word: str) -> str:
    """Say how many there surely are, and how many there may be."""
    low, high = numbers
    return number_of(high, word) if low == high else f"{low} to {number_of(high, word)}"


def _from_to(numbers: list[float]) -> str:
    low, high = numbers
    return f"{low:.2%}" if low == high else f"{low:.2%} to {high:.2%}"


def _two(numbers: list[int]) -> str:
    return f"{numbers[0]} and {numbers[1]}"


_LINES = {
    "linkage": _linkage,
    "presence": _presence,
    "singling-out": _singling_out,
    "homogeneity": _homogeneity,
    "background-knowledge": _background,
    "skewness": _skewness,
    "similarity": _similarity,
    "composition": _composition,
    "replay": _replay,
    "series": _series,
}


def _print_classes(classes: list[dict[str, Any]], *, show: bool) -> None:
    if not classes:
        return
    figures = [name for name in classes[0] if name not in ("class", "size", "cells", "value")]
    from rich.table import Table  # loads where something is printed

    table = Table("class", "size", *figures, *(("value", "cells") if show else ()), box=None, padding=(0, 2, 0, 0))
    for one in classes[:_LISTED]:
        cells = " | ".join("" if cell is None else cell for cell in one.get("cells", {}).values())
        shown = (one.get("value", ""), cells) if show else ()
        table.add_row(str(one["class"]), str(one["size"]), *(words(one[name]) for name in figures), *shown)
    plain_console().print(table)
    if len(classes) > _LISTED:
        print(f"and {number_of(len(classes) - _LISTED, 'more class')} (--json lists all)")
