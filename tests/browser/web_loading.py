# web_loading.py - test the page that is shown while a profile loads
# SPDX-License-Identifier: Apache-2.0
"""
usage: web_loading.py PROFILE FOLDER

The profile is read from a FIFO in FOLDER, so that the test decides when the load ends.
"""

import os
import shutil
import sys
import time

from browser import Browser
from selenium.common.exceptions import StaleElementReferenceException
from server import Server


def title_is(b, text, seconds=30):
    """Wait for the heading of a page, also if scripts are disabled."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if any(text in e.text for e in b.find_all("h1")):
                return True
        except StaleElementReferenceException:  # the page has just been replaced
            pass
        time.sleep(0.05)
    return False


def loads(b, name, scripts):
    fifo = os.path.join(sys.argv[2], name)
    os.mkfifo(fifo)
    with Server("-symbolize=none", fifo) as server:
        b.scripts(scripts)
        b.open_url(server.url("ui/top?f=runtime"))
        how = "with scripts" if scripts else "without scripts"
        b.result(title_is(b, "Loading"), f"{how}, a page shows that the profile loads")
        with open(sys.argv[1], "rb") as source, open(fifo, "wb") as target:
            shutil.copyfileobj(source, target)
        b.result(title_is(b, "cpu"), f"{how}, the view appears without an action")
        b.equal(b.driver.current_url, server.url("ui/top?f=runtime"), f"{how}, its address is the same")
        b.scripts(True)


with Browser() as browser:
    browser.case(loads, "first", True)
    browser.case(loads, "second", False)
    browser.done()
