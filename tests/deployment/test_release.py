"""A release: reproducible archives, a bill of materials, a section of the changelog; and what each job may do."""

import hashlib
import json
import os
import re
import subprocess
import sys

import pytest
import yaml
from support import ROOT

from bot import __version__

WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text())
IDENTITY = {"GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}
IDENTITY |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in IDENTITY.items()}


@pytest.fixture
def checkout(tmp_path):
    """The files of the checkout as the one commit of a repository."""
    folder = tmp_path / "checkout"
    names = git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard").splitlines()
    for name in names:
        target = folder / name
        if (ROOT / name).is_file():
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes((ROOT / name).read_bytes())
            target.chmod((ROOT / name).stat().st_mode)
    git(folder, "init", "--quiet")
    return folder


def git(folder, *arguments):
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, env=os.environ | IDENTITY, check=True, capture_output=True, text=True).stdout


def release(folder, *arguments, **environment):
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message", "A state")
    own = {name: value for name, value in os.environ.items() if name != "GITHUB_REF_NAME"}
    command = ["bash", str(folder / ".ci" / "release"), *arguments]
    environment = own | IDENTITY | {"PYTHON": sys.executable} | environment
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_a_release_needs_a_section_of_the_changelog_and_has_all_that_the_workflow_publishes(checkout):
    refused = release(checkout)
    assert refused.returncode == 1
    assert f'CHANGELOG.md has no section "## [{__version__}] - DATE"' in refused.stderr
    changelog = checkout / "CHANGELOG.md"
    changelog.write_text(
        changelog.read_text().replace("## [Unreleased]", f"## [Unreleased]\n\n## [{__version__}] - 2026-12-01")
    )
    assert f"says {__version__}" in release(checkout, GITHUB_REF_NAME="v9.9.9").stderr
    done = release(checkout, "--tag")
    assert done.returncode == 0, done.stderr
    assert git(checkout, "tag") == f"v{__version__}\n"
    archives = {f"paperbot_digest-{__version__}.tar.gz", f"paperbot_digest-{__version__}-py3-none-any.whl"}
    assert {path.name for path in (checkout / "dist").iterdir()} == archives
    files = checkout / "build" / "release"
    assert (files / "SHA256SUMS").read_text().splitlines() == [
        f"{hashlib.sha256((checkout / 'dist' / name).read_bytes()).hexdigest()}  {name}" for name in sorted(archives)
    ]
    assert "### Added" in (files / "notes.md").read_text()
    bill = json.loads((files / "sbom.cdx.json").read_text())
    assert bill["bomFormat"] == "CycloneDX"
    assert bill["metadata"]["component"]["name"] == "paperbot-digest"
    run = (ROOT / ".ci" / "requirements" / "run.txt").read_text()
    assert {part["name"] for part in bill["components"]} == set(re.findall(r"(?m)^([\w.-]+)==", run))
    assert all(part["externalReferences"][0]["hashes"] for part in bill["components"])


def test_each_job_of_a_release_may_do_what_it_does_and_no_more():
    assert WORKFLOW["permissions"] == {}
    granted = {
        name: {p for p, value in job["permissions"].items() if value == "write"}
        for name, job in WORKFLOW["jobs"].items()
    }
    assert granted == {
        "build": set(),
        "attest": {"attestations", "id-token"},
        "publish": {"id-token"},
        "image": {"attestations", "id-token", "packages"},
        "announce": {"contents"},
    }
    # Only what builds has the checkout's code, and it may write nothing.
    assert [name for name, job in WORKFLOW["jobs"].items() if "make" in str(job["steps"])] == ["build"]
    assert "secrets." not in str(WORKFLOW)


def test_the_papers_beside_the_code_ask_for_and_run_what_exists():
    github = ROOT / ".github"
    for template in ("mistake.yml", "wish.yml"):
        assert "paperbot check --json" in (github / "ISSUE_TEMPLATE" / template).read_text()
    assert json.loads((ROOT / ".devcontainer" / "devcontainer.json").read_text())["postCreateCommand"] == "make demo"
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    lint = re.findall(r"(?m)^\t\$\(BIN\)/(ruff check|ruff format|lint-imports|mypy)", (ROOT / "Makefile").read_text())
    assert [re.sub(r"^\.venv/bin/| --fix$", "", hook["entry"]) for hook in hooks] == lint
    assert yaml.safe_load((ROOT / "CITATION.cff").read_text())["license"] == "MIT"
    for update in yaml.safe_load((github / "dependabot.yml").read_text())["updates"]:
        for folder in update.get("directories", [update.get("directory")]):
            assert (ROOT / folder.lstrip("/")).is_dir()


def test_the_changelog_has_a_place_for_the_next_release():
    assert "\n## [Unreleased]\n" in (ROOT / "CHANGELOG.md").read_text()
