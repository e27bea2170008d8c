"""A wheel with compiled kernels, where `SHOAL_COMPILED` names the folder that `shoal compile --portable` filled."""

import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Kernels(BuildHookInterface):  # type: ignore[type-arg]
    """Brings the compiled kernels along, and says for which Python, platform and Numba they are."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Say it; without the folder the wheel is one for all, and compiles where it is used."""
        named = os.environ.get("SHOAL_COMPILED")
        if not named or version == "editable":
            return
        python = f"cp{sys.version_info.major}{sys.version_info.minor}"
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["pure_python"] = False
        build_data["tag"] = f"{python}-{python}-{platform}"
        build_data["force_include"][named] = "shoal/kernels/compiled"
        build_data["dependencies"] = Path(named, "requires.txt").read_text(encoding="utf-8").split()
