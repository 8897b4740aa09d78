"""The pictures of "How it decides" are drawn from the samples."""

import re
from xml.etree import ElementTree as ET

import deciding
import pytest
from support import ROOT

PAGE = (ROOT / "docs" / "deciding.md").read_text()


@pytest.mark.slow
def test_each_picture_of_the_page_can_be_drawn_again(tmp_path, monkeypatch):
    monkeypatch.setattr(deciding, "PICTURES", tmp_path)
    deciding.main()
    drawn = {path.name: "".join(ET.parse(path).getroot().itertext()) for path in tmp_path.iterdir()}
    assert set(drawn) == set(re.findall(r"pictures/(deciding-\w+\.svg)", PAGE))
    assert {path.name for path in (ROOT / "docs" / "pictures").glob("deciding-*")} == set(drawn)
    assert "176 papers" in drawn["deciding-vectors.svg"]
    assert "strong" in drawn["deciding-votes.svg"]
