# access_pages.py - pages of other sites that try to use the web UI, and the page of its secret, in a browser
# SPDX-License-Identifier: Apache-2.0
#
# usage: python3 access_pages.py PROFILE

import http.server
import os
import sys
import threading
import time

from browser import Browser, Keys
from server import Server

# A page that tries to use the web UI at the URL in its query. It collects the names of attempts that succeeded.
ATTACK = """<!DOCTYPE html><title>other</title><a id="link">link</a><form id="form" method="post" target="posted"></form>
<iframe name="posted"></iframe><script>
const ui = decodeURIComponent(location.search.slice(1)), top_ = ui + "ui/top", done = {};
const finish = (name, good) => { done[name] = good; };
document.getElementById("link").href = top_;
fetch(top_).then(() => finish("fetch", true), () => finish("fetch", false));
fetch(top_, { mode: "no-cors" }).then(() => finish("no-cors", true), () => finish("no-cors", false));
fetch(ui + "ui/do/close", { method: "POST", body: "token=" + "0".repeat(32) + "&id=0",
	headers: { "Content-Type": "application/x-www-form-urlencoded" } })
	.then(() => finish("post", true), () => finish("post", false));
fetch(top_, { headers: { "X-Cpa-Token": "0" } }).then(() => finish("header", true), () => finish("header", false));
for (const [tag, path] of [["img", "ui/flamegraph.svg"], ["script", "ui/top.json"], ["img", "ui/assets/web.css"]]) {
	const element = document.createElement(tag), name = tag + " " + path;
	element.onload = () => finish(name, true);
	element.onerror = () => finish(name, false);
	element.src = ui + path;
	document.body.append(element);
}
const style = document.createElement("link");
style.rel = "stylesheet";
style.onload = () => finish("style", true);
style.onerror = () => finish("style", false);
style.href = ui + "ui/top";
document.head.append(style);
const socket = new WebSocket(ui.replace("http", "ws") + "ui/top");
socket.onopen = () => finish("socket", true);
socket.onerror = () => finish("socket", false);
const frame = document.createElement("iframe");
frame.name = "framed";
frame.onload = () => finish("frame", frame.contentWindow.length > 0);
frame.src = top_;
document.body.append(frame);
const form = document.getElementById("form");
form.action = ui + "ui/saveconfig?config=attack";
form.submit();
window.done = done;
</script>"""
N_ATTEMPTS = 10


class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):  # pylint: disable=invalid-name
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(ATTACK.encode())

    def log_message(self, *args):
        pass


def other_site():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Page)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server.server_address[1]


def attempts_fail(b, page, name):
    b.open_url(page)
    b.wait(f"return Object.keys(window.done).length >= {N_ATTEMPTS}", 30)
    done = b.run("return window.done")
    b.result(len(done) == N_ATTEMPTS and not any(done.values()), f"{name}: all attempts fail", done)
    b.driver.switch_to.frame("framed")
    framed = b.run("return document.title + document.body.textContent")
    b.driver.switch_to.default_content()
    b.result("shop" not in framed, f"{name}: a frame shows nothing of the profile", framed)
    config = os.path.join(os.environ["XDG_CONFIG_HOME"], "pprof", "settings.json")
    b.result(not os.path.exists(config), f"{name}: a form changes no settings")
    b.complaints()  # of the refused attempts


def pages_of_other_sites(b, server, port):
    ui = server.base.replace(":", "%3A").replace("/", "%2F") + "%2F"
    attempts_fail(b, f"http://127.0.0.1:{port}/?{ui}", "another site")
    attempts_fail(b, f"http://localhost:{port}/?{ui}", "another port of localhost")
    b.find("#link").click()
    b.result(b.wait("return location.pathname == '/ui/top' && document.title.includes('shop')"),
             "a link of another site opens a page", b.run("return document.title"))
    b.complaints()


def link_of(server):
    end = time.monotonic() + 60
    while len(server.lines) < 2 and time.monotonic() < end:
        time.sleep(0.01)
    return server.lines[1].split("open ")[1].strip()


def enter_with_link(b, server):
    link = link_of(server)
    secret = link.split("#")[1]
    b.open_url(link)
    b.result(b.wait("return location.pathname == '/ui/flamegraph' && document.title.includes('shop')", 30),
             "the printed link opens the web UI", b.run("return location.href + document.title"))
    text = b.run("return location.href + document.referrer + document.documentElement.outerHTML + document.cookie")
    b.result(secret not in text, "the secret is not in the page, its address or its referrer")
    b.equal(b.run("return document.cookie"), "", "scripts cannot read the cookie")
    addresses = [entry["url"] for entry in b.driver.execute_cdp_cmd("Page.getNavigationHistory", {})["entries"]]
    b.result(addresses and not any(secret in address for address in addresses), "the history has no secret", addresses)
    b.open_url(server.url("ui/top"))
    b.result("shop" in b.driver.title, "other pages open with the cookie", b.driver.title)


def enter_by_hand(b, server):
    secret = link_of(server).split("#")[1]
    b.driver.delete_all_cookies()
    b.scripts(False)
    b.open_url(server.url("ui/top?f=quote"))
    b.scripts(True)
    b.complaints()  # status 401
    b.find("input[name=secret]").send_keys("wrong", Keys.ENTER)
    b.result(b.wait("return document.querySelector('.error')?.textContent == 'Wrong secret.'"), "a wrong secret is refused")
    b.complaints()
    b.find("input[name=secret]").send_keys(secret, Keys.ENTER)
    b.result(b.wait("return location.pathname + location.search == '/ui/top?f=quote'"),
             "without scripts the secret is typed, and then the page opens", b.run("return location.href"))
    b.result("shop" in b.driver.title, "it shows the profile", b.driver.title)
    # the browser may report the refusals late
    b.equal([m for m in b.complaints() if "status of 401" not in m], [], "the console has no other message")


def main():
    profile = sys.argv[1]
    with Browser() as b:
        with Server(profile) as server:
            b.case(pages_of_other_sites, server, other_site())
        with Server(profile, "--http-secret=new") as server:
            b.case(enter_with_link, server)
            b.case(enter_by_hand, server)
        b.done()


main()
