# web_menus.py - test the menus, chips and forms of the web UI in a browser
# SPDX-License-Identifier: Apache-2.0
"""usage: web_menus.py FOLDER     a folder for saved configs"""

import json
import os
import re
import sys
import time
import urllib.parse

from browser import Browser, Keys
from server import Server

folder = sys.argv[1]
SETTINGS = os.path.join(folder, "pprof", "settings.json")
OPEN = "return [...document.querySelectorAll('header .menu[open] > summary')].map(e => e.textContent.split(':')[0]).join()"
FOCUS = "return document.activeElement.textContent"


def visit(b, server, path):
    b.driver.get("about:blank")
    b.driver.get(server.url("ui/" + path))


def query(b):
    """The parameters of the page, sorted."""
    url = urllib.parse.urlsplit(b.driver.current_url)
    return sorted(urllib.parse.parse_qsl(url.query, keep_blank_values=True))


def menu(b, title):
    """The summary of a menu."""
    return next(e for e in b.find_all("header .menu > summary") if e.text.split(":")[0].strip() == title)


def entry(b, title):
    """A visible entry of the open menu."""
    return next(e for e in b.find_all("header .menu[open] li :is(a, button)") if e.text.strip() == title)


def choose(b, title, name):
    """Click an entry of a menu. Returns whether the page changed."""
    b.click(menu(b, title))
    before = b.driver.current_url
    b.click(entry(b, name))
    return wait_for(lambda: b.driver.current_url != before and b.run("return document.readyState") == "complete")


def wait_for(condition, seconds=10):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def keyboard_moves_through_menus(b, server):
    visit(b, server, "top")
    b.run("document.querySelector('header .home').focus()")
    b.keys(Keys.TAB)
    b.equal(b.run(FOCUS), "View", "Tab reaches the first menu")
    b.keys(Keys.ENTER)
    b.equal(b.run(OPEN), "View", "Enter opens it")
    b.keys(Keys.ARROW_DOWN)
    b.equal(b.run(FOCUS), "Top", "an arrow moves to the first entry")
    b.keys(Keys.ARROW_DOWN)
    b.equal(b.run(FOCUS), "Graph", "and to the next one")
    b.keys(Keys.ARROW_UP, Keys.ARROW_UP)
    b.result(b.run("return document.activeElement.closest('.menu') !== null"), "arrows wrap within the menu")
    b.keys(Keys.ARROW_RIGHT)
    b.equal([b.run(OPEN), b.run(FOCUS)], ["Sample", "samples"], "an arrow to the right opens the next menu")
    b.keys(Keys.ESCAPE)
    b.equal(b.run(OPEN), "", "Esc closes it")
    b.result(b.run(FOCUS).startswith("Sample"), "the focus returns to its title")
    b.keys(Keys.ENTER, Keys.ARROW_DOWN, Keys.ENTER)
    b.result(wait_for(lambda: query(b) == [("si", "samples")]), "Enter follows the entry", b.driver.current_url)


def one_menu_is_open_at_a_time(b, server):
    visit(b, server, "top")
    b.click(menu(b, "View"))
    b.click(menu(b, "Refine"))
    b.equal(b.run(OPEN), "Refine", "a menu closes when another one opens")
    b.click(b.find("h1"))
    b.equal(b.run(OPEN), "", "a click on the page closes the menu")
    b.click(menu(b, "Config"))
    b.run("document.getElementById('search').focus()")
    b.equal(b.run(OPEN), "", "the menu closes when the focus leaves it")


def refine_uses_the_typed_expression(b, server):
    visit(b, server, "top?i=first&h=^x")
    b.click(b.find("#search"))
    b.keys("run|time+")
    choose(b, "Refine", "Focus")
    b.equal(query(b), [("f", "run|time+"), ("h", "^x"), ("i", "first")], "Focus replaces the filter by the typed text")
    b.click(b.find("#search"))
    b.keys(Keys.HOME, "main|")
    choose(b, "Refine", "Ignore")
    b.equal(query(b), [("f", "run|time+"), ("h", "^x"), ("i", "first|main|run|time+")], "Ignore adds the typed text")
    choose(b, "Refine", "Reset")
    b.equal(query(b), [], "Reset removes all filters")


def refine_uses_selected_functions(b, server):
    visit(b, server, "top?h=x")
    b.run("""for (const name of ['shop/route.(*P).near', 'operator+', 'operator+']) {
        const e = document.createElement('i'); e.dataset.selected = name; document.querySelector('main').append(e); }
        document.querySelector('main').dataset.selectedExpression = '^a[+]b$';""")
    choose(b, "Refine", "Hide")
    b.equal(query(b), [("h", r"x|^a[+]b$|^shop/route\.(*P)\.near$|^operator\+$".replace("(*P)", r"\(\*P\)"))],
            "names are quoted, joined and added")
    b.equal(b.find_all("main .error"), [], "the server accepts the expression")


def refine_uses_a_selected_box(b, server):
    visit(b, server, "graph?n=10")
    if not b.find_all("#graph svg"):
        b.result(True, "the box of a graph is not tested: no Graphviz # SKIP")
        return
    b.click(b.find("#graph svg a"))
    choose(b, "Refine", "Focus")
    b.result(re.fullmatch(r"\^.+\$", dict(query(b)).get("f", "")), "a box of the graph is refined", query(b))


def refine_without_a_selection_opens_the_form(b, server):
    visit(b, server, "top")
    b.click(menu(b, "Refine"))
    b.click(entry(b, "Show from"))
    b.equal(b.run("return [document.activeElement.id, document.getElementById('options').open]"), ["option-sf", True],
            "the field of the filter has the focus")
    b.keys("main", Keys.ENTER)
    wait_for(lambda: query(b))
    b.equal(query(b), [("sf", "main")], "the address has only the field that was filled in")
    b.equal([e.text for e in b.find_all(".chip > span")], ["show_from=main"], "a chip shows it")
    b.click(b.find(".chip a"))
    b.result(wait_for(lambda: query(b) == []), "the cross of the chip removes it", b.driver.current_url)


def configs_are_saved_and_deleted(b, server):
    visit(b, server, "top?h=%3Cx%3E&trim=f")
    b.click(menu(b, "Config"))
    b.click(b.find("input[name=config]"))
    b.keys("<mine> & 'yours'", Keys.ENTER)
    b.result(wait_for(lambda: os.path.exists(SETTINGS)), "the file is written")
    wait_for(lambda: b.run("return document.readyState") == "complete" and b.find_all("li.saved"))
    b.equal(query(b), [("h", "<x>"), ("trim", "f")], "the page is shown again")
    with open(SETTINGS, encoding="utf-8") as f:
        saved = json.load(f)["configs"]
    b.equal([(c["name"], c["hide"], "trim" in c) for c in saved], [("<mine> & 'yours'", "<x>", False)], "the options are saved")
    b.click(menu(b, "Config"))
    b.equal(b.run("return document.querySelector('li.saved a[aria-current]').textContent"), "<mine> & 'yours'",
            "the menu marks the config")
    b.click(b.find("li.saved button"))
    b.driver.switch_to.alert.dismiss()
    with open(SETTINGS, encoding="utf-8") as f:
        b.equal(len(json.load(f)["configs"]), 1, "it remains if the reader does not confirm")
    b.click(b.find("li.saved button"))
    b.driver.switch_to.alert.accept()
    b.result(wait_for(lambda: not b.find_all("li.saved")), "the cross deletes it")
    with open(SETTINGS, encoding="utf-8") as f:
        b.equal(json.load(f)["configs"], [], "the file no longer has it")


def the_command_is_copied(b, server):
    visit(b, server, "top?f=main")
    b.driver.execute_cdp_cmd("Browser.grantPermissions", {"permissions": ["clipboardReadWrite", "clipboardSanitizedWrite"]})
    b.click(b.find("[data-copy]"))
    b.result(wait_for(lambda: b.find("[data-copy]").text == "copied"), "the button says that it copied",
             b.find("[data-copy]").text)
    b.result(b.find("#command").text.startswith("cpa top "), "the command is that of the page", b.find("#command").text)


def menus_keep_what_scripts_change(b, server):
    visit(b, server, "top?f=main")
    b.run("history.pushState(null, '', '?f=main&p=%5Ex%24')")
    b.click(menu(b, "Sample"))
    wanted = [("f", "main"), ("p", "^x$"), ("si", "samples")]

    def link():
        return sorted(urllib.parse.parse_qsl(urllib.parse.urlsplit(entry(b, "samples").get_attribute("href")).query))
    wait_for(lambda: link() == wanted)  # the event of an opened menu comes after the click
    b.equal(link(), wanted, "a link to the same view has the new parameter")


def keys_open_views(b, server):
    visit(b, server, "top?f=main")
    b.click(b.find("h1"))
    b.keys("4")
    b.result(wait_for(lambda: "/ui/flamegraph?" in b.driver.current_url), "4 opens the flame graph", b.driver.current_url)
    b.equal(query(b), [("f", "main")], "which keeps the filter")
    visit(b, server, "top")
    b.click(b.find("h1"))
    b.keys("/", "4", "d")
    b.equal([b.find("#search").get_attribute("value"), "/ui/top" in b.driver.current_url], ["4d", True],
            "a slash goes to the search field, where keys are text")
    b.chord(Keys.CONTROL, "3")
    b.result("/ui/top" in b.driver.current_url, "keys with Ctrl are those of the browser")


def keys_reach_menus_and_filters(b, server):
    visit(b, server, "top?f=main")
    focused = "return (document.activeElement.closest('.menu')?.querySelector('summary') || document.activeElement).textContent"
    for key, wanted in (("t", "Sample"), ("s", "Export")):
        b.keys(key)
        b.result(b.run(focused).startswith(wanted), f"{key} opens the menu {wanted}", b.run(focused))
        b.keys(Keys.ESCAPE)
    b.keys("c")
    b.result(b.run("return !!document.activeElement.closest('.chips')"), "c goes to the filters")
    b.keys("y")
    b.equal(b.run("return document.querySelector('[data-copy]').textContent") != "copy", True, "y copies the command line")
    b.keys("R")
    b.result(wait_for(lambda: b.run("return location.pathname") == "/ui/capture"), "R goes to the captures")


def everything_works_without_scripts(b, server):
    b.scripts(False)
    visit(b, server, "top?f=main")
    b.click(menu(b, "Config"))
    b.find("input[name=config]").send_keys("plain")
    b.click(next(e for e in b.find_all("header .menu[open] button") if e.text == "Save"))
    b.result(wait_for(lambda: b.find_all("li.saved")), "a config is saved")
    b.equal(query(b), [("f", "main")], "the page is shown again")
    b.click(menu(b, "Config"))
    b.click(b.find("li.saved button"))
    b.result(wait_for(lambda: not b.find_all("li.saved")), "and deleted")
    b.click(b.find("#options > summary"))
    b.find("#option-h").send_keys("runtime")
    b.click(next(e for e in b.find_all("#options button") if e.text == "Apply"))
    b.result(wait_for(lambda: ("h", "runtime") in query(b)), "the form sets a filter")
    b.equal([e.text for e in b.find_all(".chip > span")], ["focus=main", "hide=runtime"], "chips show both filters")
    b.find("#search").clear()
    b.find("#search").send_keys("shop", Keys.ENTER)
    b.result(wait_for(lambda: ("f", "shop") in query(b)), "the search field sets the focus")
    b.scripts(True)


with Server("-symbolize=none", "go-cpu.pb.gz", environment={"XDG_CONFIG_HOME": folder}) as web, Browser() as browser:
    for case in (keyboard_moves_through_menus, one_menu_is_open_at_a_time, refine_uses_the_typed_expression,
                 refine_uses_selected_functions, refine_uses_a_selected_box, refine_without_a_selection_opens_the_form,
                 configs_are_saved_and_deleted, the_command_is_copied, menus_keep_what_scripts_change, keys_open_views,
                 keys_reach_menus_and_filters, everything_works_without_scripts):
        browser.case(case, web)
    browser.done()
