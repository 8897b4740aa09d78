"""The systemd units are valid, hardened, and start commands that exist."""

import re
import shutil
import subprocess

import pytest
from support import ROOT

from bot.cli.main import paperbot

UNITS = sorted((ROOT / ".github" / "examples" / "systemd").iterdir())
SERVICES = [unit for unit in UNITS if unit.suffix == ".service"]


def test_systemd_accepts_the_units(tmp_path):
    analyze = shutil.which("systemd-analyze")
    if not analyze:
        pytest.skip("no systemd-analyze; it is on machines that systemd runs")
    # The command and the user are of the machine that the units are for.
    for unit in UNITS:
        text = unit.read_text().replace("/opt/paperbot/bin/paperbot", "/bin/true")
        (tmp_path / unit.name).write_text(text.replace("User=paperbot", "User=root"))
    files = [tmp_path / unit.name for unit in UNITS]
    verified = subprocess.run([analyze, "verify", *files], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, "")


@pytest.mark.parametrize("unit", SERVICES, ids=lambda unit: unit.name)
def test_a_service_starts_a_command_and_is_hardened(unit):
    text = unit.read_text()
    command = re.search(r"^ExecStart=/opt/paperbot/bin/paperbot (\w+)$", text, re.MULTILINE)[1]
    assert command in paperbot.commands
    for line in ("ProtectSystem=strict", "NoNewPrivileges=yes", "StateDirectoryMode=0700", "UMask=0077"):
        assert f"\n{line}\n" in text


def test_the_services_are_hardened_alike():
    def hardening(unit):
        return unit.read_text().partition("# It reads its home")[2].partition("[Install]")[0].strip()

    first, *others = map(hardening, SERVICES)
    assert len(others) == 2
    assert set(others) == {first}
    assert len(first.splitlines()) > 15
