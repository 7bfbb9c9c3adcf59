// boxes.js - the boxes of an SVG flame graph, placed for any width and zoom
// SPDX-License-Identifier: Apache-2.0
//
// The script reads places, names and numbers from the elements, and writes only attributes and text: names of a profile
// never become markup or code.
const NS = "http://www.w3.org/2000/svg", XHTML = "http://www.w3.org/1999/xhtml";
const MARGIN = 10, PAD = 3, COLUMN = 7.23, COLUMN_BIG = 9.64, LINE = 18, BAR = 42;
const svg = document.currentScript.ownerSVGElement;
// Is the SVG the whole document, so that address and keys belong to it?
const alone = document.documentElement === svg;
const rows = svg.querySelector(".rows"), icicle = rows.classList.contains("icicle");
const compared = rows.classList.contains("diff");
const ROW = +rows.dataset.row, LEVELS = +rows.dataset.levels;

// Boxes, level by level and from left to right: parents are before their children.
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

function make(parentNode, tag, attributes, content) {
	const e = document.createElementNS(NS, tag);
	for (const key in attributes)
		e.setAttribute(key, attributes[key]);
	if (content !== undefined)
		e.textContent = content;
	parentNode.appendChild(e);
	return e;
}

// The label of a box for boxes that are too narrow is shorter than its title.
function nameOn(i) {
	return name(i).replace(/^(\S+) box(es)? too narrow to draw$/, "$1 narrower");
}

// The sign of a box in a comparison, from its class.
function sign(e) {
	const c = e.getAttribute("class");
	return c[0] === "n" ? "new" : c[0] === "g" ? "gone" : / u/.test(c) ? "+" : / d/.test(c) ? "\u2212" : "";
}

function labelText(i, room) {
	const mark = sign(el[i]);
	if (!mark)
		return shorten(nameOn(i), fitting(room));
	if (mark.length > room)
		return "";
	const short = room > mark.length + 1 ? shorten(nameOn(i), fitting(room - mark.length - 1)) : "";
	return short ? mark + " " + short : mark;
}

// A test whether a text fits into so many columns.
function fitting(room) {
	return s => columns(s) <= room;
}

function label(i, x, w) {
	const words = ROW >= 14 && w >= COLUMN + 2 * PAD - 1 ? labelText(i, Math.floor((w - 2 * PAD + 1 + 1e-6) / COLUMN)) : "";
	if (!words) {
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
	text[i].textContent = words;
	text[i].setAttribute("x", Math.round((x + PAD) * 1000) / 1000);
	text[i].setAttribute("class", "t" + parseInt(el[i].getAttribute("class").slice(1), 10) +
		(matches[i] ? " m" : ""));
}

function place(i, x, w) {
	const e = el[i], list = e.classList;
	x = Math.round(x * 1000) / 1000;
	w = Math.round(w * 1000) / 1000;
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

// Show the zoomed box and its descendants over the whole width, and its ancestors faded.
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

// Wrap a text at blanks into at most maxLines lines; the last one is cut.
function wrap(s, room, maxLines) {
	const lines = [];
	while (columns(s) > room && lines.length < maxLines - 1) {
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
	lines.push(cut(s, fitting(room)));
	return lines;
}

// Wrap the texts around the boxes again for the current width. Returns their height.
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
		const w = (+e.lastChild.getAttribute("x") || 0) + columns(e.lastChild.textContent) * COLUMN;
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
const barFound = make(bar, "text", { y: 17, "class": "soft", "text-anchor": "end" });
let help = null;

function resize(again) {
	svg.setAttribute("width", "100%");
	width = Math.max(320, Math.round(svg.getBoundingClientRect().width));
	const narrow = width < 700, spare = narrow ? width - 2 * MARGIN : 340;
	let y = width < 560 ? 52 : narrow ? 34 : 8;
	panel.setAttribute("width", spare);
	panel.setAttribute("x", width - MARGIN - spare);
	panel.setAttribute("class", width >= 560 && narrow ? "narrow" : "");
	y += setLines(".title", y, COLUMN_BIG, LINE + 4, narrow ? 0 : spare);
	y += setLines(".sub", y, COLUMN, LINE, narrow ? 0 : spare) + 4;
	y = Math.max(y, narrow ? 0 : 58);
	rowsY = y += setLegend(y) + 6;
	rows.setAttribute("transform", "translate(0 " + y + ")");
	y += ROW * LEVELS + 2;
	y += setLines(".note", y, COLUMN, LINE, 0);
	height = y + 8 + BAR;
	svg.setAttribute("height", height);
	svg.setAttribute("viewBox", "0 0 " + width + " " + height);
	barBack.setAttribute("width", width + 2);
	barFound.setAttribute("x", width - MARGIN);
	// A scroll bar may have appeared, which takes some of the width.
	if (!again && width > 320 && Math.round(svg.getBoundingClientRect().width) !== width) {
		resize(true);
		return;
	}
	layOut();
	moveBar();
}

// Keep the details bar and the controls inside the window.
function moveBar() {
	const bottom = alone ? Math.min(height, window.scrollY + window.innerHeight) : height;
	bar.setAttribute("transform", "translate(0 " + (bottom - BAR) + ")");
	panel.setAttribute("y", 6 + (alone ? Math.max(0, Math.min(window.scrollY, height - 100)) : 0));
	updateBar();
}

// The details of a box on one line: numbers first, then places while there is room.
function joined(lines, room) {
	let all = "";
	for (const line of lines) {
		const dot = all ? "  \u00b7  " : "", left = room - columns(all) - dot.length;
		if (left < 8)
			break;
		all += dot + (line.includes(" ") ? cut : shorten)(line, fitting(left));
	}
	return all;
}

// Is the root below the window?
function rootIsBelow() {
	return alone && !icicle && rowsY + ROW * LEVELS > window.scrollY + window.innerHeight - BAR;
}

function updateBar() {
	const i = pointed >= 0 ? pointed : document.activeElement === el[focused] ? focused : -1;
	const room = Math.floor((width - 2 * MARGIN) / COLUMN);
	const lines = i >= 0 ? details(i) : ["Point at a box to see its values; click it to zoom in.",
		"/ searches, Escape zooms out, ? shows all keys." + (rootIsBelow() ? " The root is below: press End." : "")];
	barName.textContent = (i >= 0 ? shorten : cut)(lines[0], fitting(Math.max(room - columns(barFound.textContent) - 2, 8)));
	barRest.textContent = joined(lines.slice(1).filter(s => s), room);
}

