// script.js - zoom, search and details of a flame graph that is an SVG
// SPDX-License-Identifier: Apache-2.0
//
// Reads places, names and numbers from the boxes, and writes nothing but attributes and text: no
// name of a profile ever becomes markup or code. What is in the fragment of the address is a
// number that is looked up, and words to search for.
(function () {
	"use strict";
	const NS = "http://www.w3.org/2000/svg", XHTML = "http://www.w3.org/1999/xhtml";
	const MARGIN = 10, PAD = 3, COLUMN = 7.23, COLUMN_BIG = 9.64, LINE = 18, BAR = 42;
	const svg = document.currentScript.ownerSVGElement;
	// Is this the whole document, so that address and keys are ours?
	const alone = document.documentElement === svg;
	const rows = svg.querySelector(".rows"), icicle = rows.classList.contains("icicle");
	const ROW = +rows.dataset.row, LEVELS = +rows.dataset.levels;

	// Boxes, level by level and from left to right: parents come before what they call.
	const el = [], level = [], x0 = [], w0 = [], parent = [], text = [], at = new Map();
	const shownX = [], shownW = [], matches = [];
	let names = null, ids = null, byId = null, width = 0, zoomed = 0, found = "", focused = 0, pointed = -1;

	function read() {
		let above = 0;
		for (let l = 0; l < rows.children.length; l++) {
			const first = el.length;
			let p = above;
			for (const e of rows.children[l].children) {
				if (e.localName !== "rect") {
					text[el.length - 1] = e;
					continue;
				}
				const i = el.length, x = +e.getAttribute("x"), w = +e.getAttribute("width");
				while (l && p < first - 1 && x + w / 2 > x0[p] + w0[p])
					p++;
				at.set(e, i);
				el.push(e);
				level.push(l);
				x0.push(x);
				w0.push(w);
				parent.push(l ? p : -1);
				text.push(null);
				shownX.push(x);
				shownW.push(w);
			}
			above = first;
		}
	}

	function details(i) {
		return el[i].firstChild.textContent.split("\n");
	}

	function name(i) {
		if (!names)
			names = el.map((_, k) => details(k)[0]);
		return names[i];
	}

	// Text that fits: like viewers/flame, two columns for wide characters.
	function columnsOf(c) {
		const n = c.codePointAt(0);
		if (n < 0x300)
			return 1;
		if (/\p{M}|\p{Cf}/u.test(c))
			return 0;
		return n >= 0x1100 && (n <= 0x115f || (n >= 0x2e80 && n <= 0xa4cf) || (n >= 0xac00 && n <= 0xd7a3) ||
			(n >= 0xf900 && n <= 0xfaff) || (n >= 0xfe30 && n <= 0xfe6f) || (n >= 0xff00 && n <= 0xff60) ||
			(n >= 0xffe0 && n <= 0xffe6) || (n >= 0x1f300 && n <= 0x1faff) || n >= 0x20000) ? 2 : 1;
	}

	function columns(s) {
		let n = 0;
		for (const c of s)
			n += columnsOf(c);
		return n;
	}

	function shorten(s, room) {
		if (s.length <= room && /^[ -~]*$/.test(s) || columns(s) <= room)
			return s;
		if (room < 3)
			return "";
		const parts = Array.from(s);
		let head = 0, tail = parts.length, used = 1;
		for (let left = true; head < tail; left = !left) {
			const n = columnsOf(parts[left ? head : tail - 1]);
			if (used + n > room)
				break;
			used += n;
			if (left)
				head++;
			else
				tail--;
		}
		while (tail < parts.length && columnsOf(parts[tail]) === 0)
			tail++;
		return parts.slice(0, head).join("") + "\u2026" + parts.slice(tail).join("");
	}

	function make(parentNode, tag, attributes, content) {
		const e = document.createElementNS(NS, tag);
		for (const key in attributes)
			e.setAttribute(key, attributes[key]);
		if (content !== undefined)
			e.textContent = content;
		parentNode.appendChild(e);
		return e;
	}

	// What stands in front of the name of a box that changed; as viewers/svg/style.c.
	function sign(e) {
		const c = e.getAttribute("class");
		return c[0] === "n" ? "new " : c[0] === "g" ? "gone " : / u/.test(c) ? "+ " : / d/.test(c) ? "\u2212 " : "";
	}

	function label(i, x, w) {
		const room = Math.floor((w - 2 * PAD + 1) / COLUMN), mark = room > 0 && ROW >= 14 ? sign(el[i]) : "";
		const short = room > mark.length && ROW >= 14 ? shorten(name(i), room - mark.length) : "";
		if (!short) {
			if (text[i])
				text[i].remove();
			text[i] = null;
			return;
		}
		if (!text[i]) {
			text[i] = document.createElementNS(NS, "text");
			text[i].setAttribute("y", (ROW - 1) / 2 + 4.5);
			el[i].after(text[i]);
		}
		text[i].textContent = mark + short;
		text[i].setAttribute("x", x + PAD);
		text[i].setAttribute("class", "t" + parseInt(el[i].getAttribute("class").slice(1), 10) +
			(level[i] < level[zoomed] ? " a" : "") + (matches[i] ? " m" : ""));
	}

	function place(i, x, w) {
		const e = el[i], list = e.classList;
		x = Math.round(x * 100) / 100;
		w = Math.round(w * 100) / 100;
		list.toggle("a", level[i] < level[zoomed]);
		if (x === shownX[i] && w === shownW[i])
			return;
		if (shownW[i] < 0)
			e.removeAttribute("display");
		shownX[i] = x;
		shownW[i] = w;
		e.setAttribute("x", x);
		e.setAttribute("width", w);
		list.toggle("w", w >= 2);
		label(i, x, w);
	}

	function hide(i) {
		if (shownW[i] < 0)
			return;
		shownW[i] = -1;
		el[i].setAttribute("display", "none");
		if (text[i])
			text[i].remove();
		text[i] = null;
	}

	// Show what is below the zoomed box over all the width, and the way to it above, faded.
	function layOut() {
		const inside = new Uint8Array(el.length), way = new Set(), all = width - 2 * MARGIN;
		for (let i = zoomed; i >= 0; i = parent[i])
			way.add(i);
		const scale = el.length && w0[zoomed] > 0 ? all / w0[zoomed] : 1;
		for (let i = 0; i < el.length; i++) {
			inside[i] = i === zoomed || (parent[i] >= 0 && inside[parent[i]]);
			if (way.has(i))
				place(i, MARGIN, all);
			else if (inside[i])
				place(i, MARGIN + (x0[i] - x0[zoomed]) * scale, w0[i] * scale);
			else
				hide(i);
		}
	}

	// Lines of text around the boxes, for another width.
	function wrap(s, room, most) {
		const lines = [];
		while (columns(s) > room && lines.length < most - 1) {
			let end = -1, used = 0;
			for (let k = 0; k < s.length && used <= room; k++) {
				if (s[k] === " ")
					end = k;
				used += columnsOf(s[k]);
			}
			if (end <= 0)
				break;
			lines.push(s.slice(0, end));
			s = s.slice(end + 1);
		}
		lines.push(shorten(s, room));
		return lines;
	}

	function setLines(css, y, column, line, spare) {
		const g = svg.querySelector(css);
		if (!g)
			return 0;
		const lines = wrap(g.dataset.text, Math.floor((width - 2 * MARGIN - spare) / column), 3);
		g.setAttribute("transform", "translate(" + MARGIN + " " + y + ")");
		g.replaceChildren();
		lines.forEach((s, k) => make(g, "text", { y: (k + .75) * line }, s));
		return lines.length * line;
	}

	function setLegend(y) {
		const g = svg.querySelector(".legend");
		let x = MARGIN, top = y;
		for (const e of g ? g.children : []) {
			const w = 19 + columns(e.lastChild.textContent) * COLUMN;
			if (x > MARGIN && x + w > width - MARGIN) {
				x = MARGIN;
				y += LINE;
			}
			e.setAttribute("transform", "translate(" + x + " " + y + ")");
			x += Math.floor(w) + 20;
		}
		return g ? y + LINE - top : 0;
	}

	let height = 0, rowsY = 0;
	const ui = make(svg, "g", { "class": "ui" });
	const panel = make(ui, "foreignObject", { y: 6, height: 50 });
	const bar = make(ui, "g", { "aria-hidden": "true" });
	const barBack = make(bar, "rect", { "class": "bar", x: -1, height: BAR + 1 });
	const barName = make(bar, "text", { x: MARGIN, y: 17, "class": "strong" });
	const barRest = make(bar, "text", { x: MARGIN, y: 34, "class": "soft" });
	let help = null;

	function resize() {
		svg.setAttribute("width", "100%");
		width = Math.max(320, Math.round(svg.getBoundingClientRect().width));
		const spare = Math.min(340, width - 2 * MARGIN);
		const narrow = width < 700;
		let y = narrow ? 58 : 8;
		panel.setAttribute("width", spare);
		panel.setAttribute("x", width - MARGIN - spare);
		y += setLines(".title", y, COLUMN_BIG, LINE + 4, narrow ? 0 : spare);
		y += setLines(".sub", y, COLUMN, LINE, narrow ? 0 : spare) + 4;
		y = Math.max(y, 58);
		rowsY = y += setLegend(y) + 6;
		rows.setAttribute("transform", "translate(0 " + y + ")");
		y += ROW * LEVELS + 2;
		y += setLines(".note", y, COLUMN, LINE, 0);
		height = y + 8 + BAR;
		svg.setAttribute("height", height);
		svg.setAttribute("viewBox", "0 0 " + width + " " + height);
		barBack.setAttribute("width", width + 2);
		layOut();
		moveBar();
		tell();
	}

	function moveBar() {
		const bottom = alone ? Math.min(height, window.scrollY + window.innerHeight) : height;
		bar.setAttribute("transform", "translate(0 " + (bottom - BAR) + ")");
	}

	function tell() {
		const i = pointed >= 0 ? pointed : document.activeElement === el[focused] ? focused : -1;
		const room = Math.floor((width - 2 * MARGIN) / COLUMN);
		const lines = i >= 0 ? details(i) : ["Point at a box for its numbers, click it to zoom in.",
			"/ searches, Escape zooms out, ? shows all keys."];
		barName.textContent = shorten(lines[0], room);
		barRest.textContent = shorten(lines.slice(1).filter(s => s).join("  \u00b7  "), room);
	}

	// Numbers of boxes that stay the same in another picture of the same stacks: of all names on the way.
	function number() {
		const a = [], b = [], count = new Map();
		ids = [];
		byId = new Map();
		for (let i = 0; i < el.length; i++) {
			const s = name(i), p = parent[i];
			let h = p < 0 ? 0xdeadbeef : a[p], g = p < 0 ? 0x41c6ce57 : b[p];
			for (let k = 0; k <= s.length; k++) {
				const c = k < s.length ? s.charCodeAt(k) : 0x1f;
				h = Math.imul(h ^ c, 2654435761);
				g = Math.imul(g ^ c, 1597334677);
				h ^= h >>> 15;
				g ^= g >>> 13;
			}
			a.push(h);
			b.push(g);
			let id = (4294967296 * (g & 0x1fffff) + (h >>> 0)).toString(36);
			const n = count.get(id) || 0;
			count.set(id, n + 1);
			if (n)
				id += "." + n;
			ids.push(id);
			byId.set(id, i);
		}
	}

	function idOf(i) {
		if (!ids)
			number();
		return ids[i];
	}

	// An expression as a function, or null. An address from a stranger must not keep the browser busy: with
	// repetition inside repetition, or much of it, the words are only taken as they are.
	function expression(words, flags) {
		const open = [];
		let many = 0, inner = false;
		for (let k = 0; k < words.length; k++) {
			const c = words[k];
			if (c === "\\") {
				k++;
			} else if (c === "[") {
				while (++k < words.length && words[k] !== "]")
					if (words[k] === "\\")
						k++;
			} else if (c === "(") {
				open.push(inner);
				inner = false;
			} else if (c === ")") {
				if (inner && /[*+?{]/.test(words[k + 1] || ""))
					return null;
				inner = (open.pop() || false) || inner;
			} else if (/[*+{|]/.test(c)) {
				inner = true;
				if (c !== "|" && ++many > 3)
					return null;
			}
		}
		try {
			const re = new RegExp(words, flags + "u");
			return s => re.test(s);
		} catch (e) {
			return null;
		}
	}

	// Mark what matches, by itself or as an expression; capitals matter when there is one.
	function search(words) {
		const exact = words !== words.toLowerCase(), plain = words, known = new Map();
		const re = words && expression(words, exact ? "" : "i"), limit = performance.now() + 2000;
		const state = [];
		let sum = 0, here = 0, n = 0;
		found = words;
		for (let i = 0; i < el.length; i++) {
			let hit = false;
			if (words && i > 0) {
				const s = name(i);
				hit = known.get(s);
				if (hit === undefined) {
					hit = (exact ? s : s.toLowerCase()).includes(plain) ||
						(re !== null && performance.now() < limit && re(s));
					known.set(s, hit);
				}
			}
			const above = parent[i] >= 0 ? state[parent[i]] : 0;
			const visible = i === zoomed || (parent[i] >= 0 && (above & 2));
			// Bit 0: this or one around it matches; 1: inside what is zoomed; 2: one inside what is zoomed matches.
			state[i] = (hit || (above & 1) ? 1 : 0) | (visible ? 2 : 0) |
				((visible && hit) || (above & 4) ? 4 : 0);
			if (hit) {
				n++;
				sum += above & 1 ? 0 : w0[i];
				here += visible && !(above & 4) ? w0[i] : 0;
			}
			if (!!matches[i] !== hit) {
				matches[i] = hit;
				el[i].classList.toggle("m", hit);
				if (text[i])
					text[i].classList.toggle("m", hit);
			}
		}
		rows.classList.toggle("found", n > 0);
		say(words, n, sum, here);
	}

	function percent(part, all) {
		const p = all > 0 ? 100 * part / all : 0;
		return (p > 0 && p < 1 ? p.toPrecision(2) : p.toFixed(p < 99.95 ? 1 : 0)) + " %";
	}

	function say(words, n, sum, here) {
		let s = "";
		if (words && n === 0)
			s = "nothing matches";
		else if (words)
			s = "matched " + percent(sum, w0[0]) + ": " + n + (n === 1 ? " box" : " boxes") +
				(zoomed ? ", " + percent(here, w0[zoomed]) + " of this" : "");
		status.textContent = s;
		if (input.value !== words && document.activeElement !== input)
			input.value = words;
	}

	// The address says what is zoomed and searched, so that it can be passed on and gone back to.
	function fragment() {
		const parts = [];
		if (zoomed)
			parts.push("zoom=" + idOf(zoomed));
		if (found)
			parts.push("search=" + encodeURIComponent(found));
		return "#" + parts.join("&");
	}

	function remember(isNew) {
		if (!alone || fragment() === (location.hash || "#"))
			return;
		try {
			history[isNew ? "pushState" : "replaceState"](null, "", fragment());
		} catch (e) {
			location.hash = fragment();
		}
	}

	function restore() {
		const ask = { zoom: "", search: "" };
		for (const part of (alone ? location.hash : "").slice(1).split("&")) {
			const k = part.indexOf("="), key = part.slice(0, k);
			if (key === "zoom" || key === "search") {
				try {
					ask[key] = decodeURIComponent(part.slice(k + 1)).slice(0, 500);
				} catch (e) {
					ask[key] = "";
				}
			}
		}
		if (ask.zoom && !byId && el.length)
			number();
		show(byId && byId.has(ask.zoom) ? byId.get(ask.zoom) : 0);
		input.value = ask.search;
		search(ask.search);
	}

	function show(i) {
		const moved = i !== zoomed;
		zoomed = i;
		layOut();
		search(found);
		if (moved && el[i] && alone) {
			const y = el[i].getBoundingClientRect();
			if (y.top < 0 || y.bottom > window.innerHeight - BAR)
				window.scrollBy(0, y.top - (icicle ? BAR : window.innerHeight - 2 * BAR));
		}
		reset.disabled = !zoomed && !found;
	}

	function zoom(i) {
		if (i < 0 || i >= el.length)
			return;
		show(i);
		remember(true);
	}

	function out() {
		let i = zoomed;
		while (i > 0 && w0[i] === w0[zoomed])
			i = parent[i];
		zoom(Math.max(i, 0));
		focus(i > 0 ? i : 0);
	}

	function focus(i) {
		if (!el[i])
			return;
		if (el[focused])
			el[focused].removeAttribute("tabindex");
		focused = i;
		pointed = -1;
		el[i].setAttribute("tabindex", "0");
		el[i].focus({ preventScroll: false });
		tell();
	}

	function isShown(i) {
		return i >= 0 && i < el.length && shownW[i] >= 0;
	}

	// The box beside one on its level, or the widest of those it calls.
	function beside(i, step) {
		for (let k = i + step; k >= 0 && k < el.length && level[k] === level[i]; k += step)
			if (isShown(k))
				return k;
		return i;
	}

	function called(i) {
		let best = i;
		for (let k = i + 1; k < el.length && level[k] <= level[i] + 1; k++)
			if (parent[k] === i && isShown(k) && (best === i || w0[k] > w0[best]))
				best = k;
		return best;
	}

	function nextMatch(step) {
		const n = el.length;
		for (let k = 1; k <= n; k++) {
			const i = (focused + step * k + n * 2) % n;
			if (!matches[i])
				continue;
			if (!isShown(i))
				zoom(0);
			focus(i);
			return;
		}
	}

	function clear() {
		input.value = "";
		search("");
		show(0);
		remember(true);
	}

	function toggleHelp(wanted) {
		if (help)
			help.remove();
		help = wanted && !help ? make(ui, "g", { "class": "help", role: "dialog" }) : null;
		if (!help)
			return;
		const lines = ["Click, Enter       zoom in; on a box above: zoom out", "Escape, Backspace  one step out",
			"0, Home            all of it", "arrows             go from box to box",
			"/, Ctrl-F          search: words or an expression;", "                   capitals matter when there is one",
			"n, N               next match, the one before", "Back of browser    undo; the address keeps zoom and search",
			"?                  these keys, or away with them"];
		const y = (alone ? window.scrollY : 0) + 50;
		make(help, "rect", { "class": "bar", x: MARGIN, y: y, width: Math.min(440, width - 20), height: 190 });
		lines.forEach((s, k) => make(help, "text", { x: 2 * MARGIN, y: y + 24 + 19 * k }, s));
	}

	function html(parentNode, tag, attributes, content) {
		const e = document.createElementNS(XHTML, tag);
		for (const key in attributes)
			e.setAttribute(key, attributes[key]);
		e.textContent = content || "";
		parentNode.appendChild(e);
		return e;
	}

	const box = html(panel, "div", {});
	const input = html(box, "input", { type: "search", placeholder: "Search", "aria-label": "Search for names",
		spellcheck: "false", autocomplete: "off" });
	const reset = html(box, "button", { type: "button" }, "Reset");
	const ask = html(box, "button", { type: "button", "aria-label": "Keys" }, "?");
	const status = html(html(panel, "div", {}), "span", { role: "status" });

	function typed(e) {
		if (e.key === "Enter") {
			remember(true);
			nextMatch(1);
		} else if (e.key === "Escape") {
			input.value = "";
			search("");
			remember(true);
			focus(focused);
		} else {
			return;
		}
		e.preventDefault();
		e.stopPropagation();
	}

	function key(e) {
		const down = icicle ? called : i => Math.max(parent[i], 0), up = icicle ? i => Math.max(parent[i], 0) : called;
		const actions = {
			Enter: () => zoom(focused), " ": () => zoom(focused), Escape: () => help ? toggleHelp(false) : out(),
			Backspace: out, "0": () => zoom(0), Home: () => zoom(0), ArrowUp: () => focus(up(focused)),
			ArrowDown: () => focus(down(focused)), ArrowLeft: () => focus(beside(focused, -1)),
			ArrowRight: () => focus(beside(focused, 1)), "/": () => input.select(), n: () => nextMatch(1),
			N: () => nextMatch(-1), "?": () => toggleHelp(true),
		};
		if (e.target === input || e.altKey || e.metaKey)
			return;
		if (e.ctrlKey ? e.key !== "f" : !Object.hasOwn(actions, e.key))
			return;
		if ((e.key === "Enter" || e.key === " ") && !at.has(e.target) && e.target.localName === "button")
			return;
		e.preventDefault();
		if (e.ctrlKey) {
			input.select();
			input.focus();
			return;
		}
		if (e.key === "/")
			input.focus();
		actions[e.key]();
	}

	read();
	svg.setAttribute("role", "group");
	rows.classList.add("live");
	if (el[0])
		el[0].setAttribute("tabindex", "0");
	rows.addEventListener("click", e => {
		if (at.has(e.target)) {
			zoom(at.get(e.target));
			focus(zoomed);
		}
	});
	rows.addEventListener("mouseover", e => {
		pointed = at.has(e.target) ? at.get(e.target) : -1;
		tell();
	});
	rows.addEventListener("mouseleave", () => {
		pointed = -1;
		tell();
	});
	rows.addEventListener("focusin", e => {
		if (at.has(e.target))
			focused = at.get(e.target);
		tell();
	});
	input.addEventListener("input", () => {
		search(input.value);
		reset.disabled = !zoomed && !found;
		remember(false);
	});
	input.addEventListener("keydown", typed);
	reset.addEventListener("click", clear);
	ask.addEventListener("click", () => toggleHelp(true));
	(alone ? document : svg).addEventListener("keydown", key);
	if (alone) {
		window.addEventListener("hashchange", restore);
		window.addEventListener("popstate", restore);
		window.addEventListener("scroll", moveBar);
	}
	window.addEventListener("resize", resize);
	resize();
	restore();
})();
