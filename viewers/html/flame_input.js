/*
 * flame_input.js - pointer, wheel, touch and keys
 *
 * SPDX-License-Identifier: Apache-2.0
 */

const pointers = new Map();
let pressed = null, pointing = null, typing = 0;

function zoomTo(box) {
	if (box >= 0)
		go({ box: box === model.root ? -1 : box, x: null });
}

/* One step out: from a range to its box, from a box to its parent. */
function zoomOut() {
	if (state.x)
		go({ x: null });
	else if (state.box >= 0)
		zoomTo(model.parent[state.box]);
}

function reset() {
	legendOnly = null;
	drawLegend();
	selected = -1;
	$("q").value = "";
	go({ view: "all", box: -1, x: null, q: "", text: false, only: false });
	markBoxes();
	showDetails();
}

function around(box) {
	if (box >= 0 && model.frame[box] >= 0)
		go({ view: "around", frame: model.frame[box], box: -1, x: null });
}

function findSame(box) {
	if (box >= 0 && model.frame[box] >= 0)
		table.choose(model.frame[box]);
}

/* Show a range of the picture, which stays as wide as a thousandth of a step of values at least. */
function showRange(lo, hi, side) {
	const whole = model.w[model.root], least = Math.min(whole, 1e-3);
	if (!(hi - lo >= least))
		return;
	const width = Math.min(hi - lo, whole), from = Math.min(Math.max(lo, 0), whole - width);
	const x = [from / whole, (from + width) / whole, side];
	cancelAnimationFrame(moving);
	picture.view = [from, from + width];
	picture.side = side;
	/* A step of its own for the first movement, so that back leads to where it began. */
	go({ x: width < whole ? x : null, box: -1 }, state.x !== null);
	picture.view = [from, from + width];
	draw();
}

/* Zoom by a factor around a point of the canvas. */
function scaleAt(px, factor, row) {
	const [x0, x1] = picture.view, at = x0 + (x1 - x0) * px / picture.width;
	showRange(at - (at - x0) * factor, at + (x1 - at) * factor, sideOf(row));
}

function sideOf(row) {
	return Math.sign(row - model.row[model.root]) || (state.x ? state.x[2] : 0);
}

function rowAt(py) {
	const y = py + picture.scroller.scrollTop;
	return picture.flip ? Math.floor(y / ROW) : Math.floor((picture.full - y) / ROW);
}

function pointAt(event) {
	hover = picture.hit(event.offsetX, event.offsetY);
	const tip = $("tip");
	picture.over.style.cursor = hover >= 0 ? "pointer" : "default";
	tip.hidden = hover < 0 || event.pointerType === "touch";
	if (!tip.hidden) {
		showFacts(tip, model, hover, zoomed());
		const w = tip.offsetWidth, h = tip.offsetHeight, x = event.clientX + 14, y = event.clientY + 18;
		tip.style.left = Math.max(4, Math.min(x, innerWidth - w - 6)) + "px";
		tip.style.top = (y + h > innerHeight - 4 ? Math.max(4, event.clientY - h - 12) : y) + "px";
	}
	showDetails();
	drawFrames();
}

function leave() {
	hover = -1;
	$("tip").hidden = true;
	showDetails();
	drawFrames();
}

$("over").addEventListener("pointerdown", (e) => {
	pointers.set(e.pointerId, e);
	pressed = { x: e.offsetX, y: e.offsetY, view: picture.view, moved: false, gap: 0 };
	if (e.button === 0 && e.pointerType === "mouse")
		$("over").focus({ preventScroll: true });
	if (pointers.size === 2) {
		const [a, b] = [...pointers.values()];
		pressed.gap = Math.max(Math.abs(a.clientX - b.clientX), 10);
		pressed.x = (a.offsetX + b.offsetX) / 2;
		pressed.moved = true;
	}
});

$("over").addEventListener("pointermove", (e) => {
	if (!pointers.has(e.pointerId)) {
		if (!pointing)
			requestAnimationFrame(() => {
				const last = pointing;
				pointing = null;
				if (last)
					pointAt(last);
			});
		pointing = e;
		return;
	}
	pointers.set(e.pointerId, e);
	const [v0, v1] = pressed.view, whole = model.w[model.root], side = sideOf(rowAt(pressed.y));
	if (pressed.gap) {
		const [a, b] = [...pointers.values()];
		if (!b)
			return;
		const factor = pressed.gap / Math.max(Math.abs(a.clientX - b.clientX), 10);
		const at = v0 + (v1 - v0) * pressed.x / picture.width;
		showRange(at - (at - v0) * factor, at + (v1 - at) * factor, side);
		return;
	}
	if (!pressed.moved && Math.abs(e.offsetX - pressed.x) < 5)
		return;
	if (!pressed.moved)
		$("over").setPointerCapture(e.pointerId);
	pressed.moved = true;
	$("tip").hidden = true;
	if (v1 - v0 < whole) {
		const by = Math.min(Math.max((pressed.x - e.offsetX) * (v1 - v0) / picture.width, -v0), whole - v1);
		showRange(v0 + by, v1 + by, side);
	}
});

for (const type of ["pointerup", "pointercancel"])
	$("over").addEventListener(type, (e) => {
		const one = pointers.size === 1;
		pointers.delete(e.pointerId);
		if (!one || !pressed || pressed.moved || type === "pointercancel" || e.button !== 0)
			return;
		const box = picture.hit(e.offsetX, e.offsetY);
		/* A finger has no tooltip: its first tap tells, the second zooms. */
		const zooms = e.pointerType !== "touch" || box === selected;
		hover = e.pointerType === "touch" ? -1 : hover;
		select(box);
		if (zooms)
			zoomTo(box);
	});

$("over").addEventListener("pointerleave", () => {
	pointing = null;
	if (!pointers.size)
		leave();
});

$("over").addEventListener("wheel", (e) => {
	if (!e.ctrlKey && !e.metaKey)
		return;
	e.preventDefault();
	scaleAt(e.offsetX, Math.exp(Math.max(-120, Math.min(e.deltaY, 120)) / 240), rowAt(e.offsetY));
}, { passive: false });

$("scroll").addEventListener("scroll", () => {
	hover = -1;
	$("tip").hidden = true;
	drawNow();
});

/* From the selected box to its neighbour above, below, to the left or to the right. */
function walk(dx, up) {
	const root = model.root;
	if (selected < 0) {
		select(state.box >= 0 ? state.box : root);
		return;
	}
	if (dx) {
		const row = model.row[selected], [x0, x1] = picture.range(row), to = selected + dx;
		if (to >= model.rowStart[row] && to < model.rowStart[row + 1] &&
		    model.x[to] < x1 && model.x[to] + model.w[to] > x0)
			select(to);
		return;
	}
	const step = picture.flip ? -up : up, way = Math.sign(model.row[selected] - model.row[root]);
	if (way && way !== step) {
		select(model.parent[selected]);
		return;
	}
	let best = -1;
	const [lo, hi] = model.children(selected, step < 0), [x0, x1] = picture.range(model.row[selected] + step);
	for (let i = lo; i < hi; i++)
		if (model.x[i] < x1 && model.x[i] + model.w[i] > x0 && (best < 0 || model.w[i] > model.w[best]))
			best = i;
	if (best >= 0)
		select(best);
}

function turnTheme() {
	if (data.theme === "auto") {
		document.documentElement.dataset.theme = picture.dark ? "light" : "dark";
		readTheme();
		draw();
	}
}

function nextView() {
	go({ view: state.view === "all" ? "other" : "all", box: -1, x: null });
}

const acting = () => (selected >= 0 ? selected : state.box);

const KEYS = {
	ArrowUp: () => walk(0, 1), k: () => walk(0, 1),
	ArrowDown: () => walk(0, -1), j: () => walk(0, -1),
	ArrowLeft: () => walk(-1, 0), h: () => walk(-1, 0),
	ArrowRight: () => walk(1, 0), l: () => walk(1, 0),
	Enter: () => zoomTo(selected),
	Escape: zoomOut, Backspace: zoomOut, u: zoomOut,
	0: reset, Home: reset,
	"+": () => scaleAt(picture.width / 2, 1 / 1.5, model.row[model.root]),
	"=": () => scaleAt(picture.width / 2, 1 / 1.5, model.row[model.root]),
	"-": () => scaleAt(picture.width / 2, 1.5, model.row[model.root]),
	n: () => nextMatch(1), N: () => nextMatch(-1),
	s: () => findSame(acting()), c: () => around(acting()),
	m: () => goSearch({ only: !state.only }),
	v: nextView, i: () => go({ turn: !state.turn }), t: () => go({ table: !state.table }), d: turnTheme,
	"/": () => $("q").select(),
	"?": () => $("keys").showModal(),
};

/* Keys that buttons and lists need themselves. */
const OWN = new Set(["Enter", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home"]);

document.addEventListener("keydown", (e) => {
	const at = e.target, action = Object.hasOwn(KEYS, e.key) ? KEYS[e.key] : null;
	if (!action || e.ctrlKey || e.metaKey || e.altKey || $("keys").open)
		return;
	if (at === $("q") || (at.tagName === "SELECT" && e.key !== "Escape"))
		return;
	if (OWN.has(e.key) && at !== $("over") && at !== document.body)
		return;
	e.preventDefault();
	if (!["Escape", "Backspace"].includes(e.key) && OWN.has(e.key))
		$("over").focus({ preventScroll: true });
	action();
});

$("q").addEventListener("input", () => {
	clearTimeout(typing);
	typing = setTimeout(() => goSearch({ q: $("q").value }, state.q !== ""), 60);
});
$("q").addEventListener("keydown", (e) => {
	if (e.key === "Enter") {
		clearTimeout(typing);
		goSearch({ q: $("q").value }, state.q !== "");
		nextMatch(e.shiftKey ? -1 : 1);
	} else if (e.key === "Escape") {
		if ($("q").value === "")
			$("over").focus({ preventScroll: true });
		$("q").value = "";
		goSearch({ q: "" });
		e.preventDefault();
	} else if (e.key === "ArrowDown") {
		$("over").focus({ preventScroll: true });
		e.preventDefault();
	}
});
$("only").addEventListener("change", () => goSearch({ only: $("only").checked }));
$("rx").addEventListener("change", () => goSearch({ text: !$("rx").checked, q: $("q").value }));
$("view").addEventListener("change", () => go({ view: $("view").value, box: -1, x: null }));
for (const [id, act] of Object.entries({
	prev: () => nextMatch(-1), next: () => nextMatch(1), flip: KEYS.i, functions: KEYS.t, reset, theme: turnTheme,
	help: KEYS["?"], close: () => $("keys").close(), zoom: () => zoomTo(acting()), around: () => around(acting()),
	same: () => findSame(acting()),
}))
	$(id).addEventListener("click", act);
