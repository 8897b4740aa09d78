"""The container image: built and started where a Docker daemon is; its file and commands are always tried."""

import json
import os
import re
import shutil
import subprocess
import sys
import urllib.request
from collections import defaultdict
from contextlib import ExitStack
from threading import Event
from uuid import uuid4

import click
import pytest
import yaml
from faults.home_with_mail_server import MailServer
from support import ROOT

from bot.worker.tasks import make_celery

TEXT = (ROOT / "Dockerfile").read_text()


def instructions(text: str) -> list[tuple[str, str]]:
    """Return the instructions of a Dockerfile and their arguments, with continued lines joined."""
    lines = re.sub(r"(?m)^#.*\n", "", text).replace("\\\n", " ")
    return [(line.split()[0], line.partition(" ")[2].strip()) for line in lines.splitlines() if line.strip()]


@pytest.fixture(scope="module")
def stages() -> list[dict[str, list[str]]]:
    """The arguments of each instruction, for each stage."""
    result: list[dict[str, list[str]]] = []
    for name, arguments in instructions(TEXT):
        if name == "FROM":
            result.append(defaultdict(list))
        result[-1][name].append(arguments)
    return result


def test_what_is_copied_exists_and_is_not_ignored(stages):
    patterns = (ROOT / ".dockerignore").read_text().splitlines()
    allowed = {pattern[1:] for pattern in patterns if pattern.startswith("!")}
    copied = {name for arguments in stages[0]["COPY"] for name in arguments.split()[:-1]}
    assert copied == allowed
    assert all((ROOT / name).exists() for name in copied)
    assert "*" in patterns


def test_the_wheel_finds_all_its_files_in_the_image(stages):
    project = (ROOT / "pyproject.toml").read_text()
    shipped = re.findall(r'(?m)^"([\w.]+)" = "bot/shipped/', project)
    copied = " ".join(stages[0]["COPY"]).split()
    assert {*shipped, "bot", "README.md", "LICENSE"} <= set(copied)


def test_the_final_stage_runs_as_nobody_with_a_volume_and_a_health_check(stages):
    final = stages[-1]
    assert final["USER"] == ["nobody"]
    assert final["VOLUME"] == ["/home"]
    assert len(final["HEALTHCHECK"]) == 1
    assert not any(re.search(r"\b(apt|pip|curl)\b", run) for run in final["RUN"])


def test_its_commands_serve_and_find_the_server_healthy(stages, home):
    (entry,), (arguments,) = stages[-1]["ENTRYPOINT"], stages[-1]["CMD"]
    assert json.loads(entry) == ["paperbot"]
    # On loopback and on any free port, as other programs of this machine may use 8000.
    here = {"0.0.0.0": "127.0.0.1", "8000": "0"}
    command = [sys.executable, "-m", "bot", *(here.get(word, word) for word in json.loads(arguments))]
    with subprocess.Popen(command, cwd=home, stdout=subprocess.PIPE, text=True) as process:
        try:
            port = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())[1]
            (health,) = stages[-1]["HEALTHCHECK"]
            check = json.loads(health.partition("CMD")[2])
            check = [word.replace(":8000/", f":{port}/") for word in check]
            assert subprocess.run([sys.executable, *check[1:]], check=False).returncode == 0
        finally:
            process.terminate()
        assert process.wait() == 0


def test_compose_keeps_everything_but_the_home_read_only():
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    paperbot = compose["services"]["paperbot"]
    assert paperbot["read_only"] is True
    assert paperbot["cap_drop"] == ["ALL"]
    assert paperbot["volumes"] == ["home:/home"]
    assert set(compose["volumes"]) == {"home"}
    assert all(port.startswith("127.0.0.1:") for port in paperbot["ports"])
    # Unencrypted mail is accepted for loopback only, which the catcher shares.
    assert compose["services"]["mail"]["network_mode"] == "service:paperbot"


@pytest.fixture
def scaled():
    return yaml.safe_load((ROOT / "compose.scale.yaml").read_text())


def test_compose_for_several_workers_keeps_everything_but_the_home_read_only(scaled):
    ours = {name: service for name, service in scaled["services"].items() if service["image"] == "paperbot"}
    assert set(ours) == {"serve", "worker-1", "worker-2"}
    for service in ours.values():
        assert service["read_only"] is True
        assert service["cap_drop"] == ["ALL"]
        assert service["volumes"] == ["home:/home"]
        assert set(service["depends_on"]) == {"database", "broker"}
        assert service["network_mode"] == "service:mail"
    assert all(port.startswith("127.0.0.1:") for port in scaled["services"]["mail"]["ports"])
    assert set(scaled["volumes"]) == {"home", "database"}


def test_the_commands_of_compose_for_several_workers_exist(scaled):
    from bot.cli.main import paperbot

    for service in scaled["services"].values():
        if service["image"] == "paperbot":
            name, *options = service["command"]
            command = paperbot.resolve_command(click.Context(paperbot), [name])[1]
            known = {option for parameter in command.params for option in parameter.opts}
            assert {word for word in options if word.startswith("--")} <= known


def test_the_settings_of_compose_for_several_workers_are_valid(scaled, home, monkeypatch):
    from bot.config.settings import load_settings
    from bot.sources import source_models

    for name, value in scaled["services"]["worker-1"]["environment"].items():
        if value is not None:
            monkeypatch.setenv(name, value)
    settings = load_settings(home, source_models())
    assert settings.queue.url.startswith("amqp://")
    assert settings.store.url.startswith("postgresql://")


def test_the_image_has_what_workers_need(stages):
    assert any("--no-deps --require-hashes --requirement requirements/queue.txt" in run for run in stages[0]["RUN"])
    assert "\ncelery==" in (ROOT / ".ci" / "requirements" / "queue.txt").read_text()


def test_the_settings_of_compose_are_valid(home, paperbot, monkeypatch):
    compose = yaml.safe_load((ROOT / "compose.yaml").read_text())
    for name, value in compose["services"]["paperbot"]["environment"].items():
        if value is not None:
            monkeypatch.setenv(name, value)
    assert paperbot("check").code == 0


def test_a_built_image_becomes_healthy():
    docker = shutil.which("docker")
    if not docker or subprocess.run([docker, "info"], capture_output=True, check=False).returncode:
        # Not a failure in CI: a container of a CI service seldom has a daemon, and the tests above run everywhere.
        pytest.skip("no Docker daemon answers")
    subprocess.run([docker, "build", "--quiet", "--tag", "paperbot-test", ROOT], check=True)
    volume = "paperbot-test-home"
    common = ["run", "--rm", "--read-only", "--tmpfs", "/tmp", "--volume", f"{volume}:/home"]
    try:
        subprocess.run([docker, *common, "paperbot-test", "init", "/home"], check=True)
        detached = [*common, "--detach", "--publish", "127.0.0.1::8000", "paperbot-test"]
        container = subprocess.run([docker, *detached], check=True, capture_output=True, text=True).stdout.strip()
        try:
            # Follows the log until the server says that it serves.
            with subprocess.Popen([docker, "logs", "--follow", container], stdout=subprocess.PIPE, text=True) as log:
                assert "Paperbot serves" in log.stdout.readline()
                log.terminate()
            address = subprocess.run(
                [docker, "port", container, "8000"], check=True, capture_output=True, text=True
            ).stdout.split()[0]
            assert urllib.request.urlopen(f"http://{address}/healthz", timeout=30).status == 200
        finally:
            subprocess.run([docker, "stop", container], check=True, capture_output=True)
    finally:
        subprocess.run([docker, "volume", "rm", "--force", volume], check=True, capture_output=True)


def test_the_commands_of_compose_for_several_workers_send_a_mail(
    scaled, home, paperbot, schema_url, tmp_path, monkeypatch
):
    """As processes on this machine's servers, as no container can be started here."""
    broker = os.environ.get("PAPERBOT_TEST_AMQP", "amqp://guest:guest@127.0.0.1:5672//")
    queues = make_celery(broker, f"t{uuid4().hex}")
    has_arrived = Event()
    server = MailServer(answer=lambda _number: has_arrived.set())
    with server.running(), ExitStack() as stack:
        environment = {name: value or "" for name, value in scaled["services"]["serve"]["environment"].items()}
        environment |= {
            "PAPERBOT_STORE__URL": schema_url,
            "PAPERBOT_QUEUE__URL": broker,
            "PAPERBOT_QUEUE__NAME": queues.main,
            "PAPERBOT_EMAIL__PORT": str(server.port),
            "PAPERBOT_HOME": str(tmp_path / "shared"),
            "PYTHONPATH": str(ROOT),
        }
        init = ["init", str(tmp_path / "shared"), "--email", "ada@example.org", "--interests", "Reward models"]
        assert paperbot(*init).code == 0
        (profile,) = (tmp_path / "shared" / "profiles").glob("*.toml")
        every_day = 'at = "00:00"\ndays = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]'
        profile.write_text(re.sub(r"(?m)^at = .*\n(days = .*\n)?", every_day + "\n", profile.read_text()))
        running = []
        for name in ("serve", "worker-1", "worker-2"):
            command = [word if word != "8000" else "0" for word in scaled["services"][name]["command"]]
            process = subprocess.Popen([sys.executable, "-m", "bot", *command], env={**os.environ, **environment})
            stack.callback(process.wait)
            stack.callback(process.kill)
            running.append(process)
        assert has_arrived.wait(300)
        for process in running:
            process.terminate()
        assert [process.wait(60) for process in running] == [0, 0, 0]
    with queues.connection_for_write() as connection, connection.channel() as channel:
        for queue in queues.amqp.queues.values():
            queue.bind(channel).delete()
    assert set(server.accepted.values()) == {1}
