# web_store.py - choose windows of a store in a browser
# SPDX-License-Identifier: Apache-2.0
"""usage: web_store.py [PICTURES]     CPA_STORE: a store with the service base; PICTURES: folder for screenshots"""

import os
import re
import sys
import time
import urllib.parse

from selenium.webdriver.common.action_chains import ActionChains

from browser import Browser, Keys
from server import Server

PICTURES = sys.argv[1] if len(sys.argv) > 1 else None
PAGE = "store?service=base&kind=cpu&t0=2026-11-22T09:17&t1=2026-11-22T09:21&val=cpu"


def visit(b, server, path):
    b.driver.get("about:blank")
    b.driver.get(server.url("ui/" + path))
    b.wait("return document.querySelector('meta[name=token]') !== null", 30)  # the page of a load has none


def parameters(b):
    query = urllib.parse.urlsplit(b.driver.current_url).query
    return {key: value[0] for key, value in urllib.parse.parse_qs(query).items()}


def windows(b):
    """The hours and minutes of both windows in the address: before, after."""
    got = parameters(b)
    return tuple(got.get(key, "")[11:16] for key in ("b0", "b1", "w0", "w1"))


def reached(b, part, seconds=20):
    """Wait until the browser shows a page with this in its address."""
    end = time.monotonic() + seconds
    while part not in b.driver.current_url or b.run("return document.readyState") != "complete":
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def drag(b, start, end, shift=False, release=True):
    """Drag over shares of the width of the chart."""
    chart = b.find("#store-chart")
    width = chart.rect["width"]
    actions = ActionChains(b.driver, duration=0)
    if shift:
        actions.key_down(Keys.SHIFT)
    actions.move_to_element_with_offset(chart, round((start - 0.5) * width), 0).click_and_hold()
    actions.move_by_offset(round((end - start) * width), 3)
    if release:
        actions.release()
    if shift:
        actions.key_up(Keys.SHIFT)
    actions.perform()


def the_chart_has_a_bar_for_each_step(b, server):
    visit(b, server, PAGE)
    b.equal(len(b.find_all("#store-chart .bar")), 6, "each step with profiles has a bar")
    b.result("base" in b.find("select[name=service]").get_property("value"), "the service is chosen")
    for width, height, scheme in ((1200, 900, "light"), (1280, 900, "dark"), (1920, 1000, "light"), (390, 1500, "light"), (390, 1500, "dark")):
        if PICTURES:
            b.prefer(scheme)
            b.screenshot(os.path.join(PICTURES, f"store-{width}-{scheme}.png"), width, height)
    b.prefer("light")
    b.resize(320, 800)
    b.result(b.run("return document.documentElement.scrollWidth") <= 320, "the page fits into 320 pixels")
    b.resize(1200, 900)


def dragging_selects_windows(b, server):
    visit(b, server, PAGE)
    drag(b, 0.51, 0.99)
    b.result(reached(b, "w0=2026"), "dragging selects a window", b.driver.current_url)
    got = parameters(b)
    b.equal((got["w0"][:16], got["w1"][:16]), ("2026-11-22 09:19", "2026-11-22 09:21"), "it has whole steps")
    drag(b, 0.01, 0.49, shift=True)
    b.result(reached(b, "b0=2026"), "with Shift, a second one", b.driver.current_url)
    b.equal(windows(b), ("09:17", "09:19", "09:19", "09:21"), "the earlier one is before")
    b.equal(b.find("dl.windows").text.count("3 profiles of 1 series"), 2,
            "the number of profiles of each window is shown")
    b.equal(re.findall(r"\d{4}-\d\d-\d\d.\d\d:\d\d(?!:)|T\d\d|[AP]M", re.sub("store:.*", "", b.find("main").text)), [],
            "all times have one format")
    next(e for e in b.find_all("main a") if e.text.startswith("Swap")).click()
    b.result(reached(b, "b0=2026-11-22T09%3A19"), "they can be swapped", b.driver.current_url)
    b.back()
    reached(b, "b0=2026-11-22+09%3A17")
    b.find("button[value=diff]").click()
    b.result(reached(b, "diff?prof="), "the windows are opened as a difference", b.driver.current_url)
    text = b.find("main").text
    b.result("before" in text and "@2026-11-22T09:17:00Z" in text and "@2026-11-22T09:19:00Z" in text,
             "it names the sources of both", text[:300])


def the_left_window_is_before(b, server):
    visit(b, server, PAGE)
    drag(b, 0.01, 0.49)
    reached(b, "w0=2026")
    b.find("#store-compare").click()  # instead of Shift
    drag(b, 0.51, 0.99)
    b.result(reached(b, "b0=2026"), "the checkbox replaces Shift", b.driver.current_url)
    b.equal(windows(b), ("09:17", "09:19", "09:19", "09:21"), "the window that was dragged first is before, if it is left")


def the_chart_has_axes_and_a_legend(b, server):
    visit(b, server, PAGE + "&w0=2026-11-22T09:18&w1=2026-11-22T09:19&b0=2026-11-22T09:17&b1=2026-11-22T09:18")
    b.equal([e.text for e in b.find_all("svg.ticks text")], ["0", "2s", "4s", "6s", "8s"], "the axis has values in one unit")
    b.equal(b.find("figcaption").text.split("\n") if "\n" in b.find("figcaption").text else
            [e.text.strip() for e in b.find_all("figcaption > span")],
            ["cpu: total per 5 s of 1 series", "before", "after", "deploy", "watch: FAIL", "watch: other verdict"], "the legend names what the bars and windows are")
    b.result(not b.find_all("[role=img] a, [role=img] button, [role=img] [tabindex]"), "the picture has nothing interactive")
    small = b.run("""return [...document.querySelectorAll("main :is(a, button, input, select, summary)")].filter((e) => {
        const box = (e.closest("label") ?? e).getBoundingClientRect();
        return box.height > 0 && e.type !== "hidden" && (box.height < 24 || box.width < 24);
    }).map((e) => e.outerHTML)""")
    b.equal(small, [], "targets have at least 24 pixels")
    b.run("document.querySelectorAll('main details').forEach(e => { e.open = true })")
    b.result(b.run("return [...document.querySelectorAll('main details a')].every(e => e.getBoundingClientRect().height >= 24)"),
             "also those of the table")


def escape_cancels(b, server):
    visit(b, server, PAGE)
    drag(b, 0.1, 0.5, release=False)
    b.result(float(b.find("rect.window").get_attribute("width")) > 100, "the selection is shown while dragging")
    b.keys(Keys.ESCAPE)
    b.equal(float(b.find("rect.window").get_attribute("width")), 0, "Escape cancels it")
    ActionChains(b.driver, duration=0).release().perform()
    b.result("w0" not in parameters(b), "and nothing is selected")


def fields_can_be_used_with_keys(b, server):
    visit(b, server, PAGE)
    b.run("document.querySelector('[name=w0]').value = '2026-11-22T09:18:00';"
          "document.querySelector('[name=w1]').value = '2026-11-22T09:19:00';"
          "document.querySelector('[name=w1]').focus()")
    b.keys(Keys.ENTER)
    b.result(reached(b, "w0=2026"), "Enter in a field selects the window")
    b.run("document.querySelector('button[value=top]').focus()")
    b.keys(Keys.ENTER)
    b.result(reached(b, "top?prof="), "Enter on a button opens it", b.driver.current_url)


def the_page_works_without_scripts(b, server):
    b.scripts(False)
    b.driver.get(server.url("ui/" + PAGE))
    b.find("figure.totals ~ details summary").click()
    b.find("figure.totals ~ details a").click()
    b.scripts(True)
    b.result(reached(b, "w0=2026"), "a time of the table is a link that selects its step", b.driver.current_url)
    b.scripts(False)
    b.find("button[value=flamegraph]").click()
    b.scripts(True)
    b.result(reached(b, "flamegraph?prof="), "the form opens the window", b.driver.current_url)


def marks_have_kinds_and_lead_to_a_comparison(b, server):
    visit(b, server, PAGE)
    b.equal([e.get_attribute("class") for e in b.find_all("#store-chart line.mark")], ["mark deploy", "mark watch", "mark fail"],
            "each kind of mark has its own line")
    b.equal([e.text.strip() for e in b.find_all("figcaption > span")][1:], ["deploy", "watch: FAIL", "watch: other verdict"],
            "the legend names them")
    b.result("cpu FAIL +31% <img>" in b.find("ul.marks").text, "the list has the verdict, as text", b.find("ul.marks").text)
    b.run("document.querySelector('ul.marks a').focus()")
    b.keys(Keys.ENTER)
    b.result(reached(b, "b0=2026"), "Enter on the link of a mark compares the time before it with the time after it",
             b.driver.current_url)
    b.equal(windows(b), ("09:17", "09:19", "09:19", "09:21"), "both windows have the same length")


def a_window_is_compared_with_times_before(b, server):
    visit(b, server, PAGE + "&w0=2026-11-22T09:19&w1=2026-11-22T09:20")
    b.equal([e.text for e in b.find_all("main .pages a.button")][-2:], ["the time before it", "all of the chart before it"],
            "only times with profiles are offered")
    b.find_all("main .pages a.button")[-1].click()
    b.result(reached(b, "b0=2026"), "a click compares", b.driver.current_url)
    b.equal(windows(b), ("09:17", "09:19", "09:19", "09:20"), "with the rest of the chart")
    b.equal([e.text for e in b.find_all("button[name=view]")][:2], ["Difference", "Gate"], "comparisons are first")
    for view in ("graph", "labels"):
        visit(b, server, PAGE + "&w0=2026-11-22T09:19&w1=2026-11-22T09:20")
        b.find(f"button[value={view}]").click()
        b.result(reached(b, view + "?prof="), f"a window can be opened as {view}", b.driver.current_url)


def the_start_page_lists_services(b, server):
    visit(b, server, "store")
    b.equal([e.text for e in b.find_all(".services tbody tr")], ["base cpu 6 2026-11-22 09:20:31 cpu FAIL +31% <img>\n2026-11-22 09:20:00 env: prod"],
            "a row has kinds, profiles, the last verdict and labels")
    b.find(".services a").click()
    b.result(reached(b, "service=base"), "a click chooses the service", b.driver.current_url)
    b.equal(b.find(".services").get_attribute("open"), None, "and closes the list")
    b.result("cannot show a change over time" in b.find("p.over-time").text, "few steps have no statistics", b.find("p.over-time").text)


def main():
    with Server("store:") as server, Browser() as b:
        visit(b, server, "flamegraph")
        for case in (the_chart_has_a_bar_for_each_step, dragging_selects_windows, the_left_window_is_before, the_chart_has_axes_and_a_legend,
                     marks_have_kinds_and_lead_to_a_comparison, a_window_is_compared_with_times_before,
                     the_start_page_lists_services, escape_cancels, fields_can_be_used_with_keys, the_page_works_without_scripts):
            b.case(case, server)
        b.done()


main()
