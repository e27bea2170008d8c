import json
import tomllib
from pathlib import Path
from typing import Any

from shoal.clusters.distances import DISTANCES
from shoal.measures import MEASURES
from shoal.models import MODELS
from shoal.search.algorithms import ALGORITHMS
from tests.cli.run import FULL, JOB, K_ANONYMITY, done

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*/job.toml"))


def _allows(schema: Any, value: Any, root: Any) -> bool:
    """Validate the part of JSON schema that job files use."""
    if "$ref" in schema:
        return _allows(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], value, root)
    for key in ("anyOf", "oneOf"):
        if key in schema:
            return any(_allows(one, value, root) for one in schema[key])
    if "const" in schema:
        return bool(value == schema["const"])
    if "enum" in schema:
        return value in schema["enum"]
    kind = schema.get("type")
    if kind == "object":
        known, rest = schema.get("properties", {}), schema.get("additionalProperties", True)
        return (
            isinstance(value, dict)
            and set(schema.get("required", ())) <= value.keys()
            and all(
                _allows(known[key], field, root)
                if key in known
                else rest is True or (rest and _allows(rest, field, root))
                for key, field in value.items()
            )
        )
    if kind == "array":
        return isinstance(value, list) and all(_allows(schema.get("items", {}), one, root) for one in value)
    kinds: dict[str, Any] = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
    return kind is None or (isinstance(value, kinds[kind]) and (kind == "boolean" or not isinstance(value, bool)))


def test_the_schema_allows_what_is_right_and_nothing_else() -> None:
    schema = json.loads(done("schema").out)
    right = [JOB + K_ANONYMITY, FULL, *(path.read_text(encoding="utf-8") for path in EXAMPLES)]
    for text in right:
        assert _allows(schema, tomllib.loads(text), schema)
    for wrong in (
        JOB,
        JOB + "[[require]]\nk = 2\n",
        JOB + K_ANONYMITY + "[quest]\n",
        JOB + K_ANONYMITY + '[search]\nmeasure = "x"\n',
    ):
        assert not _allows(schema, tomllib.loads(wrong), schema)
    text = json.dumps(schema)
    for shelf in (MODELS, MEASURES, ALGORITHMS, DISTANCES):
        for name in shelf.names:
            assert f'"{name}"' in text
    assert str(Path.cwd()) not in text
