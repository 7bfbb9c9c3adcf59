// graph.js - zoom, pan and select in the call graph
"use strict";

const frame = document.getElementById("graph");
const svg = frame.querySelector("svg");
const natural = { width: svg.width.baseVal.value, height: svg.height.baseVal.value };
const limits = { min: 0.05, max: 8, step: 1.25, readable: 0.6 };
const boxes = [...svg.querySelectorAll("a")];
let scale = 1;

/** Zoom, and keep the point of the graph below x, y (in pixels of the window) in its place. */
function zoom(to, x, y) {
	const before = svg.getBoundingClientRect();
	const part = { x: (x - before.left) / before.width, y: (y - before.top) / before.height };
	scale = Math.min(limits.max, Math.max(limits.min, to));
	svg.setAttribute("width", natural.width * scale);
	svg.setAttribute("height", natural.height * scale);
	const after = svg.getBoundingClientRect();
	frame.scrollLeft += after.left + part.x * after.width - x;
	frame.scrollTop += after.top + part.y * after.height - y;
}

function zoomCentre(to) {
	const box = frame.getBoundingClientRect();
	zoom(to, box.left + box.width / 2, box.top + box.height / 2);
}

/** The scale at which the whole graph is visible. */
function wholeScale() {
	return Math.min(1, frame.clientWidth / natural.width, frame.clientHeight / natural.height);
}

function fit() {
	zoomCentre(wholeScale());
}

/** Show the graph from its root, in the whole width if it is readable then. */
function showRoot() {
	const step = (box) => Number(/k(\d)/.exec(box.getAttribute("class"))[1]);
	const top = (box) => box.querySelector("rect").y.baseVal.value;
	const root = boxes.reduce((best, box) => !best || step(box) > step(best) ||
		(step(box) === step(best) && top(box) < top(best)) ? box : best, null);

	zoomCentre(Math.max(limits.readable, Math.min(1, frame.clientWidth / natural.width)));
	if (!root)
		return;
	show(root);
	frame.scrollTop += root.getBoundingClientRect().top - frame.getBoundingClientRect().top - 8;
}

/** Show a box in the middle of the frame. */
function show(box) {
	const to = box.getBoundingClientRect(), at = frame.getBoundingClientRect();
	frame.scrollLeft += to.left + to.width / 2 - at.left - at.width / 2;
	frame.scrollTop += to.top + to.height / 2 - at.top - at.height / 2;
}

// ---- the selected box

const selected = document.createElement("p");
selected.className = "selected";
selected.setAttribute("role", "status");
selected.textContent = "Select a box for links to other views. Drag to move; zoom with the wheel or with + − 0.";

/** The expression for the function of a box. Its link leads to peek, where names end in a line number. */
function expressionOf(box) {
	const params = new URL(box.href.baseVal, document.baseURI).searchParams;
	return params.get(params.has("arg") ? "arg" : "f").replace(/\( \|\$\)$/, "$");
}

/** Append a link to another view of the selected function. keys: parameters that get its expression. */
function addLink(from, path, text, key) {
	const url = new URL(from.href.baseVal, document.baseURI);
	const isFiltered = url.searchParams.has("arg");
	const expression = path === "peek" ? url.searchParams.get(isFiltered ? "arg" : "f") : expressionOf(from);
	url.searchParams.delete("arg");
	if (!isFiltered)
		url.searchParams.delete("f");
	url.searchParams.set(key || (isFiltered ? "arg" : "f"), expression);
	const link = document.createElement("a");
	link.href = path + url.search;
	link.textContent = text;
	selected.append(" · ", link);
}

function select(box) {
	for (const other of svg.querySelectorAll(".selected"))
		other.classList.remove("selected");
	box.classList.add("selected");
	const name = document.createElement("bdi");
	name.textContent = box.querySelector("title").textContent;
	selected.dataset.selectedExpression = expressionOf(box); // for the Refine menu
	selected.replaceChildren(name);
	addLink(box, "peek", "callers and callees");
	addLink(box, "flamegraph", "flame graph", "p");
	addLink(box, "source", "source");
	addLink(box, "disasm", "instructions");
	addLink(box, "graph", "focus", "f");
}

// ---- search: like pprof's page 0.3 s after the last change, with the expressions of the flame graph

const field = document.getElementById("search"), output = document.getElementById("found");
let matches = [], current = -1;

/** The name in the title of a box, without the value after it. */
function nameOf(box) {
	const title = box.querySelector("title").textContent;
	return title.slice(0, title.lastIndexOf(" ("));
}

function search() {
	const test = field.value && expression(field.value, field.value === field.value.toLowerCase() ? "i" : "");
	matches = test ? boxes.filter((box) => test(nameOf(box))) : [];
	current = -1;
	for (const box of boxes)
		box.classList.toggle("match", matches.includes(box));
	field.setAttribute("aria-invalid", String(test === null));
	output.textContent = test === null ? "invalid or slow expression" :
		test ? `${matches.length} of ${boxes.length} match` : "";
}

function goToMatch(step) {
	if (!matches.length)
		return;
	current = (current < 0 && step < 0 ? 0 : current) + step;
	current = (current + matches.length) % matches.length;
	show(matches[current]);
	select(matches[current]);
}

if (field) {
	let timer = 0;
	field.addEventListener("input", () => {
		clearTimeout(timer);
		timer = setTimeout(search, 300);
	});
	field.addEventListener("keydown", (event) => event.key === "Escape" && frame.focus());
}

// ---- buttons, keys, mouse and touch

function addButton(bar, text, label, action) {
	const button = document.createElement("button");
	button.type = "button";
	button.textContent = text;
	button.setAttribute("aria-label", label);
	button.title = label;
	button.addEventListener("click", action);
	bar.append(button);
}

const bar = document.createElement("p");
bar.className = "graph-bar";
addButton(bar, "+", "Zoom in", () => zoomCentre(scale * limits.step));
addButton(bar, "−", "Zoom out", () => zoomCentre(scale / limits.step));
addButton(bar, "1:1", "1:1, the original size", () => zoomCentre(1));
addButton(bar, "Fit", "Fit the whole graph", fit);
frame.before(bar, selected);

const keys = {
	"+": () => zoomCentre(scale * limits.step),
	"=": () => zoomCentre(scale * limits.step),
	"-": () => zoomCentre(scale / limits.step),
	"0": fit,
	n: () => goToMatch(1),
	N: () => goToMatch(-1),
};

document.addEventListener("keydown", (event) => {
	const action = keys[event.key];
	if (!action || event.ctrlKey || event.metaKey || event.altKey || event.isComposing ||
		event.target.matches("input, textarea, select") || document.querySelector("dialog[open]"))
		return;
	action();
	event.preventDefault();
});

frame.addEventListener("wheel", (event) => {
	if (event.shiftKey)
		return;
	const turn = Math.max(-100, Math.min(100, event.deltaY * (event.deltaMode ? 20 : 1)));
	zoom(scale * Math.exp(-turn / 400), event.clientX, event.clientY);
	event.preventDefault();
}, { passive: false });

/** Pointers that are down. One drags, two zoom. */
const pointers = new Map();
let hasMoved = false;

function distance() {
	const [a, b] = [...pointers.values()];
	return Math.hypot(a.x - b.x, a.y - b.y);
}

frame.addEventListener("pointerdown", (event) => {
	if (event.button !== 0)
		return;
	hasMoved = false;
	pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
});

frame.addEventListener("pointermove", (event) => {
	const last = pointers.get(event.pointerId);
	if (!last)
		return;
	const before = pointers.size === 2 ? distance() : 0;
	const dx = event.clientX - last.x, dy = event.clientY - last.y;
	if (!hasMoved && Math.hypot(dx, dy) < 4)
		return;
	hasMoved = true;
	if (!frame.hasPointerCapture(event.pointerId))
		frame.setPointerCapture(event.pointerId);
	pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
	if (before > 0)
		zoom(scale * distance() / before, event.clientX, event.clientY);
	else if (pointers.size === 1) {
		frame.scrollLeft -= dx;
		frame.scrollTop -= dy;
	}
});

for (const end of ["pointerup", "pointercancel"])
	frame.addEventListener(end, (event) => pointers.delete(event.pointerId));

frame.addEventListener("dragstart", (event) => event.preventDefault());
frame.addEventListener("click", (event) => {
	const box = event.target.closest("a");
	if (event.ctrlKey || event.metaKey || event.shiftKey)
		return;
	if (box || hasMoved)
		event.preventDefault();
	if (box && !hasMoved)
		select(box);
});
svg.addEventListener("focusin", (event) => {
	if (event.target.matches("a:focus-visible"))
		show(event.target);
});

frame.classList.add("movable");
document.getElementById("graph-help").firstChild.remove();
if (wholeScale() >= limits.readable)
	fit();
else
	showRoot();
