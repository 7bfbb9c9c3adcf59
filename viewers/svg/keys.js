// keys.js - clicks and keys
// SPDX-License-Identifier: Apache-2.0

// Scroll until a box is inside the window and not below the details bar.
function reveal(i) {
	const y = el[i].getBoundingClientRect();
	if (alone && (y.top < 0 || y.bottom > window.innerHeight - BAR))
		window.scrollBy(0, y.top - (icicle ? BAR : window.innerHeight - 3 * BAR));
}

function show(i) {
	const moved = i !== zoomed;
	zoomed = i;
	layOut();
	if (found)
		search(found);
	if (moved)
		reveal(i);
	reset.disabled = !zoomed && !found;
}

function zoom(i) {
	if (i < 0 || i >= el.length)
		return;
	show(i);
	remember(true);
}

function zoomOut() {
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
	el[i].setAttribute("role", "button");
	el[i].focus({ preventScroll: true });
	reveal(i);
	updateBar();
}

function isShown(i) {
	return i >= 0 && i < el.length && shownW[i] >= 0;
}

// The next visible box on the same level; the box itself if there is none.
function neighbour(i, step) {
	for (let k = i + step; k >= 0 && k < el.length && level[k] === level[i]; k += step)
		if (isShown(k))
			return k;
	return i;
}

function widestChild(i) {
	let best = i;
	for (let k = i + 1; k < el.length && level[k] <= level[i] + 1; k++)
		if (parent[k] === i && isShown(k) && (best === i || w0[k] > w0[best]))
			best = k;
	return best;
}

// Focus the next match after the focused box; zoom out if no match is visible.
function nextMatch(step) {
	const n = el.length, any = matches.some((hit, i) => hit && isShown(i));
	for (let k = 1; k <= n; k++) {
		const i = (focused + step * k + n * 2) % n;
		if (!matches[i] || (any && !isShown(i)))
			continue;
		if (!any)
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
	const lines = ["Click, Enter       zoom in; on an ancestor: zoom out", "Escape, Backspace  zoom out one step",
		"0, Home            show everything", "End                go to the root", "arrows             move from box to box",
		"/, Ctrl-F          search: text or regular expression;", "                   capitals make it case-sensitive",
		"n, N               next match, previous match", "Browser back       undo; zoom and search are in the URL",
		"?                  show or hide this help"];
	const y = (alone ? window.scrollY : 0) + 50;
	help.addEventListener("click", () => toggleHelp(false));
	make(help, "rect", { "class": "bar", x: MARGIN, y: y, width: Math.min(440, width - 20), height: 19 * lines.length + 19 });
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

const tools = html(panel, "div", {}), box = html(tools, "div", {});
const input = html(box, "input", { type: "search", placeholder: "Search", "aria-label": "Search for names",
	spellcheck: "false", autocomplete: "off" });
const reset = html(box, "button", { type: "button" }, "Reset");
const helpButton = html(box, "button", { type: "button", "aria-label": "Keys" }, "?");
const status = html(html(tools, "div", {}), "span", { role: "status" });

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
	const down = icicle ? widestChild : i => Math.max(parent[i], 0), up = icicle ? i => Math.max(parent[i], 0) : widestChild;
	const actions = {
		Enter: () => zoom(focused), " ": () => zoom(focused), Escape: () => help ? toggleHelp(false) : zoomOut(),
		Backspace: zoomOut, "0": () => zoom(0), Home: () => zoom(0), End: () => focus(0), ArrowUp: () => focus(up(focused)),
		ArrowDown: () => focus(down(focused)), ArrowLeft: () => focus(neighbour(focused, -1)),
		ArrowRight: () => focus(neighbour(focused, 1)), "/": () => input.select(), n: () => nextMatch(1),
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
	updateBar();
});
rows.addEventListener("mouseleave", () => {
	pointed = -1;
	updateBar();
});
rows.addEventListener("focusin", e => {
	if (at.has(e.target))
		focused = at.get(e.target);
	updateBar();
});
input.addEventListener("input", () => {
	search(input.value);
	reset.disabled = !zoomed && !found;
	remember(false);
});
input.addEventListener("keydown", typed);
reset.addEventListener("click", clear);
helpButton.addEventListener("click", () => toggleHelp(true));
(alone ? document : svg).addEventListener("keydown", key);
if (alone) {
	window.addEventListener("hashchange", restore);
	window.addEventListener("popstate", restore);
	window.addEventListener("scroll", moveBar);
}
window.addEventListener("resize", () => resize(false));
resize(false);
restore();
