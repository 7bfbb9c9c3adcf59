# picture.py - draw docs/cpa.png: a flame graph in a browser, and the same profile in a terminal
# SPDX-License-Identifier: Apache-2.0
#
# usage: picture.py CPA PROFILE OUT.png; needs tmux and chromium

import html
import os
import re
import subprocess
import sys
import tempfile

COLUMNS, ROWS = 116, 18
WIDTH, HEIGHT = 1180, 1020
PAGE = """<!doctype html><meta charset="utf-8"><style>
body {{ margin: 20px; background: #fff }}
.window {{ border: 1px solid #bbb; border-radius: 6px; overflow: hidden; margin-bottom: 20px }}
.title {{ font: 13px sans-serif; color: #444; background: #e8e8e8; padding: 5px 10px }}
.terminal {{ background: #1c1c1c; color: #d0d0d0; margin: 0; padding: 8px; font: 16px/19px "DejaVu Sans Mono" }}
svg {{ display: block }}
</style>
<div class="window"><div class="title">cpa flame -o cpu.svg --min-width=5 cpu.pb.gz</div>{svg}</div>
<div class="window"><div class="title">cpa cpu.pb.gz</div><pre class="terminal">{screen}</pre></div>"""


def screen(cpa, profile):
    """The text of the full screen with its escape sequences, as a terminal of tmux shows it."""
    tmux = ["tmux", "-L", f"cpa-picture-{os.getpid()}", "-f", "/dev/null"]
    subprocess.run([*tmux, "new-session", "-d", "-x", str(COLUMNS), "-y", str(ROWS),
                    f"TERM=xterm-256color exec {cpa} --colors=256 {profile}"], check=True)
    try:
        for keys in (["c"], ["j"] * 5):
            subprocess.run([*tmux, "send-keys", *keys], check=True)
            subprocess.run(["sleep", "2"], check=True)
        return subprocess.run([*tmux, "capture-pane", "-e", "-p"], check=True, capture_output=True, text=True).stdout
    finally:
        subprocess.run([*tmux, "kill-server"], check=False)


def color(number):
    """An entry of xterm's palette of 256 colours."""
    base = "000000 cd3131 0dbc79 e5e510 2472c8 bc3fbc 11a8cd e5e5e5 666666 f14c4c 23d18b f5f543 3b8eea d670d6 29b8db ffffff"
    if number < 16:
        return "#" + base.split()[number]
    if number >= 232:
        return "#" + f"{8 + 10 * (number - 232):02x}" * 3
    levels = (0, 95, 135, 175, 215, 255)
    number -= 16
    return "#" + "".join(f"{levels[number // part % 6]:02x}" for part in (36, 6, 1))


def style(state):
    front, back = state.get("front"), state.get("back")
    if state.get("reverse"):
        front, back = back or "#1c1c1c", front or "#d0d0d0"
    css = (f"color:{front};" if front else "") + (f"background:{back};" if back else "")
    return css + ("font-weight:bold;" if state.get("bold") else "") + ("opacity:.6;" if state.get("dim") else "")


def to_html(text):
    """Text with SGR escape sequences as HTML."""
    out, state = [], {}
    for part in re.split(r"(\x1b\[[0-9;]*m|\x0e|\x0f)", text):
        m = re.fullmatch(r"\x1b\[([0-9;]*)m", part)
        if not m:
            out.append(f'<span style="{style(state)}">{html.escape(part)}</span>' if part.strip("\x0e\x0f") else "")
            continue
        codes = [int(c or 0) for c in m.group(1).split(";")]
        while codes:
            c = codes.pop(0)
            if c == 0:
                state = {}
            elif c in (1, 2, 7):
                state[{1: "bold", 2: "dim", 7: "reverse"}[c]] = True
            elif c in (22, 27):
                state = {k: v for k, v in state.items() if k not in (("bold", "dim") if c == 22 else ("reverse",))}
            elif c in (38, 48):
                kind, value = codes.pop(0), None
                if kind == 5:
                    value = color(codes.pop(0))
                else:
                    value, codes = "#%02x%02x%02x" % tuple(codes[:3]), codes[3:]
                state["front" if c == 38 else "back"] = value
            elif c in (39, 49):
                state.pop("front" if c == 39 else "back", None)
            elif 30 <= c % 60 <= 37 or 40 <= c % 60 <= 47:
                state["front" if c % 60 < 40 else "back"] = color(c % 10 + (8 if c >= 90 else 0))
    return "".join(out)


def main(cpa, profile, out):
    with tempfile.TemporaryDirectory() as folder:
        picture, page = os.path.join(folder, "flame.svg"), os.path.join(folder, "page.html")
        subprocess.run([cpa, "flame", "-o", picture, "--width=1138", "--min-width=5", profile], check=True)
        with open(picture, encoding="utf-8") as f:
            svg = re.sub(r"^<\?xml.*?\?>|<script.*?</script>", "", f.read(), flags=re.S)
        with open(page, "w", encoding="utf-8") as f:
            f.write(PAGE.format(svg=svg, screen=to_html(screen(cpa, profile).rstrip("\n"))))
        subprocess.run(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                        f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={os.path.abspath(out)}", "file://" + page],
                       check=True, stderr=subprocess.DEVNULL)


if __name__ == "__main__":
    main(*sys.argv[1:])
