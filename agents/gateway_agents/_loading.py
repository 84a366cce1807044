"""Import what the configuration names, or say why that is not possible."""

from __future__ import annotations

import difflib
import importlib
import pathlib
import sys
from types import ModuleType

from gateway.errors import AgentError

__all__ = ["load"]

_CHOICES = 3  # near names that an error lists


def load(reference: str, *, name: str, base: pathlib.Path) -> object:
    """The object behind `module:name`; modules are looked for where Python looks, then in `base`.

    Installed packages come first, so that a folder beside the configuration never hides one from the
    libraries that need it.

    Raises:
        AgentError: The module or the name does not exist, or importing it failed.
    """
    module_name, _, path = reference.partition(":")
    where = f"agent {name!r}: {reference!r}"
    found: object = _import(module_name, where=where, base=base)
    for part in path.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            near = _near(part, [known for known in dir(found) if not known.startswith("_")])
            raise AgentError(f"{where}: {_called(found)} has no {part!r}; {near}") from None
    return found


def _import(module_name: str, *, where: str, base: pathlib.Path) -> ModuleType:
    folder = str(base.resolve())
    if folder not in sys.path:
        sys.path.append(folder)
    importlib.invalidate_caches()
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as exc:
        if exc.name is not None and f"{module_name}.".startswith(f"{exc.name}."):
            near = _near(module_name, _modules(base))
            raise AgentError(
                f"{where}: there is no module {exc.name!r}, here or in {folder}; {near}"
            ) from None
        raise AgentError(f"{where}: {module_name!r} imports {exc.name!r}, which is not installed") from exc
    except (Exception, SystemExit) as exc:
        raise AgentError(f"{where}: importing {module_name!r} raised {type(exc).__name__}: {exc}") from exc
    _refuse_namesake(module, module_name, where=where, base=base)
    return module


def _refuse_namesake(module: ModuleType, module_name: str, *, where: str, base: pathlib.Path) -> None:
    """Refuse a module that hides the operator's own one of the same name."""
    top = module_name.partition(".")[0]
    mine = [path for path in (base / f"{top}.py", base / top / "__init__.py") if path.is_file()]
    used = getattr(sys.modules.get(top, module), "__file__", None)
    if mine and used is not None and pathlib.Path(used).resolve() != mine[0].resolve():
        raise AgentError(
            f"{where}: the name {top!r} is taken by {used}, so {mine[0]} is never imported; rename it"
        )


def _modules(base: pathlib.Path) -> list[str]:
    files = [path.stem for path in base.glob("*.py")]
    return files + [path.parent.name for path in base.glob("*/__init__.py")]


def _near(wanted: str, known: list[str]) -> str:
    near = difflib.get_close_matches(wanted, known, n=_CHOICES, cutoff=0.5) or sorted(known)[:_CHOICES]
    return f"did you mean {' or '.join(map(repr, near))}?" if near else "write 'module:name' of what exists"


def _called(found: object) -> str:
    named = getattr(found, "__name__", None)
    return repr(named) if isinstance(named, str) else f"a {type(found).__name__}"
