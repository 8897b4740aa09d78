import pytest
from summaries.model_server import ModelServer


@pytest.fixture
def model():
    with ModelServer().running() as server:
        yield server
