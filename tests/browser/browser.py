# browser.py - open files in a headless Chromium and control it like a reader
# SPDX-License-Identifier: Apache-2.0
"""
One Browser serves a whole test: with Browser() as b: b.open(path); b.run(script); ...; b.done()

The network is unreachable: no name resolves. Errors in the console of a page fail the case that opened it: see
complaints().
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

# URL-encoded regular expressions that a browser takes very long to match against the names from hostile.py.
SLOW = ["(a%2B)%2B%24", "((.*.*)*.*)*x", ".*.*.*.*.*.*.*.*x", ".*.*.*x", "(a|a)*b", "(%3F:a%2B)%2Bb", "(a|.)" * 30 + "b",
        "a%3F" * 35 + "a" * 35 + "b", "(a|.|(a|.)%3F)" * 15 + "b", "(a*)%5C1%5C1%5C1b", ".{60000}x", "(x{999}|y{999}){999}"]

ARGUMENTS = [
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
    "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--mute-audio", "--force-device-scale-factor=1", "--proxy-server=direct://",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1", "--allow-file-access-from-files=false",
]


class Browser:
    def __init__(self, width=1200, height=900, dark=False):
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that a timeout leaves no browser running
        self.count = self.failed = 0
        self.profile = tempfile.mkdtemp(prefix="cpa-browser-")
        options = Options()
        options.binary_location = shutil.which("chromium")
        for argument in [*ARGUMENTS, f"--user-data-dir={self.profile}", f"--window-size={width},{height}"]:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        options.set_capability("unhandledPromptBehavior", "ignore")
        # HOME is the temporary folder of the profile too, since chromium reads settings from HOME.
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
        """Set the preferences of the reader: light or dark; motion "no-preference" or "reduce", which makes tests faster;
        media "print" shows the printed page."""
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [
            {"name": "prefers-color-scheme", "value": scheme}, {"name": "prefers-reduced-motion", "value": motion}]})

    def resize(self, width, height):
        """Set the size of the page, not of the window."""
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": False})

    def open(self, path, fragment=""):
        """Open a file, and reload it even if only the fragment changes."""
        self.driver.get("about:blank")
        self.complaints()
        self.driver.get("file://" + urllib.parse.quote(os.path.abspath(path)) + fragment)

    def open_url(self, url):
        """Open a page of a server on this machine."""
        self.driver.get("about:blank")
        self.complaints()
        self.driver.get(url)

    @staticmethod
    def cpu_seconds():
        """The CPU time of the browser, all its processes including ended ones; independent of the load of the machine."""
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
        """False disables scripts. True enables them after the page is complete, so that those of the page do not run."""
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

    def context_click(self, element, dx=0, dy=0):
        """Click with the right button."""
        ActionChains(self.driver, duration=0).move_to_element_with_offset(element, dx, dy).context_click().perform()

    def keys(self, *keys):
        """Press keys in the focused element."""
        ActionChains(self.driver, duration=0).send_keys(*keys).perform()

    def chord(self, modifier, key):
        ActionChains(self.driver, duration=0).key_down(modifier).send_keys(key).key_up(modifier).perform()

    def back(self):
        self.driver.back()

    def forward(self):
        self.driver.forward()

    def wait(self, script, seconds=10):
        """Wait until the script is true, at most so many seconds. Returns whether it is."""
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def alerted(self):
        """Has a page opened a dialogue? Closes it."""
        try:
            self.driver.switch_to.alert.dismiss()
            return True
        except NoAlertPresentException:
            return False

    def complaints(self):
        """Messages in the console since the last call."""
        return [entry["message"] for entry in self.driver.get_log("browser")]

    def screenshot(self, path, width=None, height=None):
        """Save a picture of the page, optionally in another size."""
        if width:
            self.resize(width, height)
        self.driver.save_screenshot(path)

    def result(self, good, name, *notes):
        """Print a line of TAP; notes are printed on failure."""
        self.count += 1
        self.failed += not good
        if not good:
            for note in notes:
                print("# " + repr(note))
        print("ok" if good else "not ok", self.count, "-", name, flush=True)

    def equal(self, got, want, name):
        self.result(got == want, name, got, want)

    def case(self, function, *args):
        """Run a case. Exceptions, messages in the console and alerts are failures of the case."""
        try:
            function(self, *args)
        except Exception:  # pylint: disable=broad-except
            self.result(False, f"{function.__name__} completes", *traceback.format_exc().splitlines())
        if self.alerted():
            self.result(False, f"{function.__name__}: no dialogue opens")
        complaints = self.complaints()
        self.result(not complaints, f"{function.__name__}: the console is empty", *complaints)

    def done(self):
        print(f"1..{self.count}")
        sys.exit(self.failed > 0)
