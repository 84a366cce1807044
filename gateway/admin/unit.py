"""The systemd unit of a gateway: little that it may do, and a watchdog."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Service", "unit"]

_PLAIN = re.compile(r"[\w@%+=:,./-]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Service:
    """What a unit is written for.

    Attributes:
        program: The command line that is `lastword`, absolute.
        config: The configuration, absolute.
        writes: Folders the gateway must write to; they exist.
        run_as: The system user it runs as; empty for a unit of the calling user.
        private_tmp: Whether nothing of it must be found in the machine's folder for temporary files.
    """

    program: tuple[str, ...]
    config: Path
    writes: tuple[Path, ...]
    run_as: str = ""
    private_tmp: bool = True


def unit(service: Service) -> str:
    """The unit's text; it names no secret, and gives the process nothing that it does not need."""
    sections = (
        ("Unit", _UNIT.format(config=_value(str(service.config)))),
        ("Service", "\n".join((_service(service), _HARDENED, *_of_the_system(service)))),
        ("Install", f"WantedBy={'multi-user.target' if service.run_as else 'default.target'}"),
    )
    return "\n\n".join(f"[{name}]\n{text}" for name, text in sections) + "\n"


def _service(service: Service) -> str:
    lastword = " ".join(map(_argument, service.program))
    config = _argument(str(service.config))
    return _SERVICE.format(
        run=f"{lastword} run {config} --json-logs",
        reload=f"{lastword} reload {config}",
        folder=_value(str(service.config.parent)),
    )


def _of_the_system(service: Service) -> Sequence[str]:
    """What only the system's own manager can enforce."""
    if not service.run_as:
        return ()
    homes = any(
        path.is_relative_to(home)
        for path in (service.config, *service.writes, Path(service.program[0]))
        for home in (Path("/home"), Path("/root"))
    )
    return (
        f"User={service.run_as}",
        *(f"ReadWritePaths={_word(str(path))}" for path in service.writes),
        f"PrivateTmp={'yes' if service.private_tmp else 'no'}",
        f"ProtectHome={'read-only' if homes else 'yes'}",
        _OF_THE_SYSTEM,
    )


def _value(text: str) -> str:
    return text.replace("%", "%%")


def _argument(text: str) -> str:
    """One word of a command line, the only place in a unit where variables are expanded."""
    return _word(text).replace("$", "$$")


def _word(text: str) -> str:
    """One word of a list, as the unit's syntax quotes it."""
    text = text.replace("%", "%%")
    if _PLAIN.fullmatch(text):
        return text
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'


# A configuration that is not right (exit code 78) is not tried again and again; everything else is.
_UNIT = """\
Description=Lastword chat-bot gateway ({config})
Wants=network-online.target
After=network-online.target
StartLimitIntervalSec=0"""

_SERVICE = """\
Type=notify
NotifyAccess=main
ExecStart={run}
ExecReload={reload}
WorkingDirectory={folder}
Restart=always
RestartSec=2
RestartPreventExitStatus=78
WatchdogSec=60
TimeoutStartSec=120
TimeoutStopSec=45
KillMode=mixed
Environment=PYTHONUNBUFFERED=1"""

_HARDENED = """\
UMask=0077
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes
RestrictSUIDSGID=yes
RestrictNamespaces=yes
RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX AF_NETLINK
SystemCallArchitectures=native
SystemCallFilter=@system-service
SystemCallErrorNumber=EPERM"""

_OF_THE_SYSTEM = """\
CapabilityBoundingSet=
AmbientCapabilities=
ProtectSystem=strict
ProtectProc=invisible
ProcSubset=pid
ProtectClock=yes
ProtectControlGroups=yes
ProtectHostname=yes
ProtectKernelLogs=yes
ProtectKernelModules=yes
ProtectKernelTunables=yes
PrivateDevices=yes
RemoveIPC=yes"""
