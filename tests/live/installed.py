"""Packages that give something to Continua, for tests: as if they had been installed."""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def installed(package: Path, site: Path) -> Iterator[None]:
    """Inside, the modules of a package can be imported, and its entry points are there.

    package: a directory with modules and `pyproject.toml`. site: one for what installers note.
    """
    project = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    noted = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    noted.mkdir(parents=True)
    about = f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n"
    (noted / "METADATA").write_text(about)
    lines = [
        line
        for group, given in project["entry-points"].items()
        for line in (f"[{group}]", *(f"{name} = {value}" for name, value in given.items()))
    ]
    (noted / "entry_points.txt").write_text("\n".join(lines) + "\n")
    before, modules = list(sys.path), {path.stem for path in package.glob("*.py")}
    sys.path += [str(site), str(package)]
    try:
        yield
    finally:
        sys.path[:] = before
        for name in modules:
            sys.modules.pop(name, None)
