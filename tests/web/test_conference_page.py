"""The page of a conference's plan, in a browser."""

import pytest

ROWS = f"""title,abstract,authors,date,start,end,room,type
Reward models for bees,We study reward models with care.,Ada Lovelace,2026-12-02,09:00,10:00,{"Hall" * 40},Oral
Reward models for cats,Reward models are studied with care.,Grace Hopper,2026-12-02,09:30,10:30,Hall B,Oral
Reward models without a day,We study reward models with care.,Ada Lovelace,,,,,
"""


@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_fits_its_window(ingested, paperbot, browser, width, scheme):
    (ingested / "OwlConf.csv").write_text(ROWS)
    assert paperbot("conference", "OwlConf.csv", "reward-models", "--output", "plan.html").code == 0
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto((ingested / "plan.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") == width
    assert page.locator("article").count() == 3
    context.close()
