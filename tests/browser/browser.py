# browser.py - files opened in a headless Chromium, driven as a reader would
# SPDX-License-Identifier: Apache-2.0
"""
One Browser serves a whole test: with Browser() as b: b.open(path); b.run(script); ...; b.done()

Nothing reaches the network: every name resolves to nothing. Whatever a page complains of in its console
is an error of the case in which it was opened: see complaints().
"""

import glob
import os
import shutil
import signal
import sys
import tempfile
import time
import traceback
import urllib.parse

from selenium import webdriver
from selenium.common.exceptions import NoAlertPresentException
from selenium.webdriver.chrome.options import Options
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys

__all__ = ["Browser", "Keys", "SLOW"]

# Expressions that a browser would try to the end of days on the names of hostile.py, as an address has them.
SLOW = ["(a%2B)%2B%24", "((.*.*)*.*)*x", ".*.*.*.*.*.*.*.*x", ".*.*.*x", "(a|a)*b", "(%3F:a%2B)%2Bb", "(a|.)" * 30 + "b",
        "a%3F" * 35 + "a" * 35 + "b", "(a|.|(a|.)%3F)" * 15 + "b", "(a*)%5C1%5C1%5C1b", ".{60000}x", "(x{999}|y{999}){999}"]

ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--mute-audio", "--force-device-scale-factor=1", "--proxy-server=direct://",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--allow-file-access-from-files=false",
]


class Browser:
    def __init__(self, width=1200, height=900, dark=False):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that a timeout leaves no browser behind
        self.count = self.failed = 0
        self.profile = tempfile.mkdtemp(prefix="cpa-browser-")
        options = Options()
        options.binary_location = shutil.which("chromium")
        for argument in [*ARGUMENTS, f"--user-data-dir={self.profile}", f"--window-size={width},{height}"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        # The home is one of its own too: chromium looks for settings there.
        service = Service(shutil.which("chromedriver"), env={**os.environ, "HOME": self.profile})
        try:
            self.driver = webdriver.Chrome(service=service, options=options)
        except BaseException:
            shutil.rmtree(self.profile, ignore_errors=True)
            raise
        self.driver.set_page_load_timeout(60)
        self.driver.set_script_timeout(60)
        self.prefer("dark" if dark else "light")
        self.resize(width, height)

    def __enter__(self):
        return self

    def __exit__(self, kind, value, trace):
        try:
            self.driver.quit()
        finally:
            shutil.rmtree(self.profile, ignore_errors=True)

    def prefer(self, scheme="light", media="", motion="reduce"):
        """What the reader prefers, light or dark, motion "no-preference" or "reduce", with which tests need not
        wait; media "print" shows what would be printed."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion}]})

    def resize(self, width, height):
        """The size of the page itself, not of the window."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def open(self, path, fragment=""):
        """Open a file, afresh even when only the fragment differs from what is open."""
        self.driver.get("about:blank")
        self.complaints()
        self.driver.get("file://" + urllib.parse.quote(os.path.abspath(path)) + fragment)

    @staticmethod
    def cpu_seconds():
        """The processor time of the browser, which a busy machine does not change: all processes below us, with ended ones."""
        parent, spent = {}, {}
        for path in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(path, encoding="latin-1") as f:
                    pid, rest = int(path.split("/")[2]), f.read().rpartition(")")[2].split()
            except OSError:  # it has ended
                continue
            parent[pid], spent[pid] = int(rest[1]), sum(map(int, rest[11:15]))
        below, more = set(), {os.getpid()}
        while more:
            more = {pid for pid in parent if parent[pid] in more}
            below |= more
        return sum(spent[pid] for pid in below) / os.sysconf("SC_CLK_TCK")

    def scripts(self, allowed):
        """With False, scripts of pages do not run. True waits until the page is whole, so that its own do not run yet."""
        while allowed and self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": "document.readyState"}) \
                .get("result", {}).get("value") not in ("complete", None):
            time.sleep(0.01)
        self.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": not allowed})

    def run(self, script, *args):
        """The value of a function body in the page."""
        return self.driver.execute_script(script, *args)

    def find(self, css):
        return self.driver.find_element("css selector", css)

    def find_all(self, css):
        return self.driver.find_elements("css selector", css)

    def hover(self, element, dx=0, dy=0):
        ActionChains(self.driver, duration=0).move_to_element_with_offset(element, dx, dy).perform()

    def click(self, element, dx=0, dy=0):
        ActionChains(self.driver, duration=0).move_to_element_with_offset(element, dx, dy).click().perform()

    def keys(self, *keys):
        """Press keys, to whatever has the focus."""
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def chord(self, modifier, key):
        ActionChains(self.driver, duration=0).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def back(self):
        self.driver.back()

    def forward(self):
        self.driver.forward()

    def wait(self, script, seconds=10):
        """Has the script become true in so many seconds?"""
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def alerted(self):
        """Has a page put up a dialogue? It is closed."""
        try:
            self.driver.switch_to.alert.dismiss()
            return True
        except NoAlertPresentException:
            return False

    def complaints(self):
        """What the console said since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def screenshot(self, path, width=None, height=None):
        """The page, or more of it than is in the window."""
        if width:
            self.resize(width, height)
        self.driver.save_screenshot(path)

    def result(self, good, name, *notes):
        """One line of TAP; notes are for the log of a failure."""
        self.count += 1
        self.failed += not good
        if not good:
            for note in notes:
                print("# " + repr(note))
        print("ok" if good else "not ok", self.count, "-", name, flush=True)

    def equal(self, got, want, name):
        self.result(got == want, name, got, want)

    def case(self, function, *args):
        """Run a case: what it raises is a failure of it alone, and so is what the console says or an alert."""
        try:
            function(self, *args)
        except Exception:  # pylint: disable=broad-except
            self.result(False, f"{function.__name__} goes through", *traceback.format_exc().splitlines())
        if self.alerted():
            self.result(False, f"{function.__name__}: no dialogue comes up")
        complaints = self.complaints()
        self.result(not complaints, f"{function.__name__}: the console is silent", *complaints)

    def done(self):
        print(f"1..{self.count}")
        sys.exit(self.failed > 0)
