"""What is trusted, and the tests that guard each file: those of its own name first, then some of its users."""

from pathlib import Path

TRUSTED = (
    "src/shoal/certificate.py",
    "src/shoal/foundation/exact.py",
    "src/shoal/classes/grouping.py",
    "src/shoal/classes/links.py",
    "src/shoal/classes/observed.py",
    "src/shoal/classes/person_values.py",
    "src/shoal/tables/rows.py",
    "src/shoal/search/lattice/boxes.py",
    "src/shoal/actions/verify.py",
    "src/shoal/actions/verification",
    "src/shoal/releases/retracing.py",
    "src/shoal/releases/signatures.py",
    "src/shoal/jobs/keys/secret_files.py",
    "src/shoal/jobs/release_folder.py",
    "src/shoal/releases/claims",
    "src/shoal/releases/charges.py",
    "src/shoal/releases/sampling/privacy.py",
    "src/shoal/releases/series",
    "src/shoal/kernels/verification",
    "src/shoal/models",
    "src/shoal/search/lattice",
    "src/shoal/search/bounds",
    "src/shoal/search/single_dimensional/enumeration.py",
)
_VERIFYING = (
    "tests/releases/claims",
    "tests/actions/verification/test_verify_steps.py",
    "tests/actions/test_verify.py",
    "tests/actions/verification/test_verify_in_memory.py",
    "tests/test_certificate.py",
    "tests/releases/test_radius.py",
    "tests/releases/test_cluster_release.py",
    "tests/releases/test_release.py",
    "tests/cli/test_verify.py",
    "tests/jobs/test_blindness.py",
    "tests/jobs/test_disclosure.py",
    "tests/jobs/keys/test_pseudonyms.py",
    "tests/tables/databases/test_cluster_tables.py",
)
_MODELS = (
    "tests/models",
    "tests/contracts/test_model_algebra.py",
    "tests/contracts/test_model_blocks.py",
    "tests/contracts/test_model_evening.py",
    "tests/contracts/test_model_ranges.py",
    "tests/contracts/test_model_rounding.py",
    "tests/contracts/test_models.py",
    "tests/contracts/test_forfeits.py",
    "tests/kernels/test_sufficient_tests.py",
    "tests/classes/test_grouping.py",
    "tests/classes/test_person_values.py",
    "tests/jobs/people/test_entities.py",
)
_WITNESS = (
    "tests/actions/verification/test_charged.py",
    "tests/actions/verification/test_witness.py",
    "tests/actions/verification/test_witness_parts.py",
)
_CONTINUING = (
    "tests/actions/continuing",
    "tests/search/series",
)
_SAMPLED = ("tests/actions/test_sample.py",)
_LATTICE = (
    "tests/search/lattice",
    "tests/search/algorithms/test_optimal.py",
    "tests/search/test_known_optima.py",
)
USERS = {
    "src/shoal/certificate.py": _VERIFYING,
    "src/shoal/actions/verify.py": (*_VERIFYING, *_WITNESS, *_CONTINUING, *_SAMPLED, "tests/classes/test_withheld.py"),
    "src/shoal/actions/verification": (
        "tests/actions/verification",
        "tests/actions/test_verify.py",
        "tests/jobs/keys/test_pseudonyms.py",
    ),
    "src/shoal/actions/verification/raw_table.py": (
        "tests/actions/test_apart.py",
        "tests/classes/test_withheld.py",
        *_CONTINUING,
    ),
    "src/shoal/actions/verification/repeated.py": _CONTINUING,
    "src/shoal/actions/verification/sampled.py": _SAMPLED,
    "src/shoal/actions/verification/series.py": _CONTINUING,
    "src/shoal/releases/charges.py": _WITNESS,
    "src/shoal/releases/sampling/privacy.py": _SAMPLED,
    "src/shoal/releases/series": _CONTINUING,
    "src/shoal/kernels/verification": ("tests/kernels/verification", *_WITNESS),
    "src/shoal/releases/retracing.py": ("tests/jobs/people/test_entities.py",),
    "src/shoal/releases/signatures.py": ("tests/actions/test_sign.py", "tests/cli/test_sign.py"),
    "src/shoal/jobs/keys/secret_files.py": ("tests/releases/test_signatures.py", "tests/actions/test_sign.py"),
    "src/shoal/jobs/release_folder.py": ("tests/jobs/keys/test_secret_files.py", "tests/cli/test_verify.py"),
    "src/shoal/releases/claims": (
        "tests/releases/claims",
        "tests/actions/test_verify.py",
        "tests/actions/continuing/test_continuing.py",
        "tests/classes/test_withheld.py",
        *_WITNESS,
    ),
    "src/shoal/classes/observed.py": ("tests/test_certificate.py",),
    "src/shoal/tables/rows.py": ("tests/test_certificate.py", "tests/classes/test_observed.py"),
    "src/shoal/classes/grouping.py": _MODELS,
    "src/shoal/classes/person_values.py": _MODELS,
    "src/shoal/models": _MODELS,
    "src/shoal/search/lattice": _LATTICE,
    "src/shoal/search/lattice/diagnosis.py": (
        "tests/search/test_removal.py",
        "tests/search/algorithms/test_corners.py",
    ),
    "src/shoal/search/bounds": (
        "tests/search/bounds",
        "tests/kernels/bounds",
        "tests/search/exact/test_linear_bound.py",
        "tests/search/regions/test_bounds.py",
        "tests/actions/regions/test_bounding.py",
    ),
    "src/shoal/search/single_dimensional": (
        "tests/search/single_dimensional",
        "tests/search/algorithms/test_k_optimize.py",
    ),
}


def files(root: Path, wanted: list[str]) -> list[str]:
    """Return the trusted files, or those of them that are wanted; a folder stands for all in it."""
    found: dict[str, None] = {}
    for name in wanted or TRUSTED:
        path = root / name
        for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
            found[file.relative_to(root).as_posix()] = None
    return list(found)


def guards(root: Path, file: str) -> list[str]:
    """Return the tests of a file, those that stand nearest to it first."""
    inside = Path(file).relative_to("src/shoal")
    mirror = Path("tests") / inside.with_name(f"test_{inside.name}")
    near = [mirror.as_posix()] if (root / mirror).is_file() else []
    above = [place.as_posix() for place in (Path(file), *Path(file).parents)]
    wider = [name for place in above for name in USERS.get(place, ())]
    return list(dict.fromkeys([*near, *wider]))


def widest(tests: list[str]) -> set[str]:
    """Return the tests without those that are in a folder among them."""
    return {one for one in tests if not any(one.startswith(f"{other}/") for other in tests)}


def together(root: Path, file: str) -> list[str]:
    """Return a file and all others that are trusted and have the same tests."""
    own = widest(guards(root, file))
    return [file, *(other for other in files(root, []) if other != file and widest(guards(root, other)) == own)]
