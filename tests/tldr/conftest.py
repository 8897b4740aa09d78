import pytest
from tldr.model_server import ModelServer


@pytest.fixture
def model():
    with ModelServer().running() as server:
        yield server
