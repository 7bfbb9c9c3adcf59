/*
 * flame_input.js - pointer, wheel, touch and keys
 *
 * SPDX-License-Identifier: Apache-2.0
 */

const pointers = new Map();
let pressed = null, pointing = null, typing = 0;

function zoomTo(box) {
	if (box >= 0)
		go({ z: model.keyOf(box), x: null });
}

/* One step out: from a range to its box, from a box to its parent. */
function zoomOut() {
	if (state.x)
		go({ x: null });
	else if (zoomBox >= 0)
		zoomTo(model.parent[zoomBox]);
	else if (model.isAround)
		go({ p: "" });
}

function reset() {
	legendOnly = null;
	drawLegend();
	selected = -1;
	$("q").value = "";
	go({ ...firstState(), turn: state.turn, table: state.table });
	markBoxes();
	showDetails();
}

/* Show callers and callees of a function. */
function around(frame) {
	if (frame >= 0)
		go({ p: exactly(frames.name[frame]), z: "", x: null });
}

function findSame(frame) {
	if (frame >= 0)
		table.choose(frame);
}

/* Show a range of the picture, at least a thousandth of a step wide. */
function showRange(lo, hi, side) {
	const whole = model.w[model.root], minWidth = Math.min(whole, 1e-3);
	if (!(hi - lo >= minWidth))
		return;
	const width = Math.min(hi - lo, whole), from = Math.min(Math.max(lo, 0), whole - width);
	const x = [from / whole, (from + width) / whole, side];
	cancelAnimationFrame(moving);
	picture.view = [from, from + width];
	picture.side = side;
	/* The first movement adds a step to the history, so that Back returns to the state before it. */
	go({ x: width < whole ? x : null, z: "" }, state.x !== null);
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
	picture.over.style.cursor = hover >= 0 ? "pointer" : "default";
	showDetails();
	showTip(event);
	drawFrames();
}

function endHover() {
	hover = -1;
	showDetails();
	hideTip();
	drawFrames();
}

/* Show name and values of the box under a mouse, two rows below it, or above it if there is no room: so that the boxes
   around it stay visible. Screen readers have the line of details. */
function showTip(event) {
	const tip = $("tip");
	tip.hidden = hover < 0 || event.pointerType === "touch";
	if (tip.hidden)
		return;
	tip.replaceChildren(...nameAndFacts(model, hover, tipFacts(model, hover)));
	const top = picture.over.getBoundingClientRect().top + picture.rowTop(model.row[hover]) - picture.scroller.scrollTop;
	const below = top + 2 * ROW + PAD, above = top - ROW - PAD - tip.offsetHeight;
	tip.style.left = Math.max(4, Math.min(event.clientX + 12, innerWidth - tip.offsetWidth - 4)) + "px";
	tip.style.top = (below + tip.offsetHeight <= innerHeight || above < 0 ? Math.min(below, innerHeight - tip.offsetHeight) : above) + "px";
}

function hideTip() {
	$("tip").hidden = true;
}

$("over").addEventListener("pointerdown", (e) => {
	hideTip();
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
		/* Touch has no hover: the first tap shows details, the second zooms. */
		const zooms = e.pointerType !== "touch" || box === selected;
		hover = e.pointerType === "touch" ? -1 : hover;
		select(box);
		if (zooms)
			zoomTo(box);
	});

$("over").addEventListener("pointerleave", () => {
	pointing = null;
	if (!pointers.size)
		endHover();
});

$("over").addEventListener("wheel", (e) => {
	if (!e.ctrlKey && !e.metaKey)
		return;
	e.preventDefault();
	hideTip();
	scaleAt(e.offsetX, Math.exp(Math.max(-120, Math.min(e.deltaY, 120)) / 240), rowAt(e.offsetY));
}, { passive: false });

$("scroll").addEventListener("scroll", () => {
	hover = -1;
	hideTip();
	drawNow();
});

/* Select the neighbour of the selected box: above, below, left or right. */
function walk(dx, up) {
	const root = model.root;
	if (selected < 0) {
		select(zoomBox >= 0 ? zoomBox : root);
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


/* Start stacks at the root, or at the leaf. */
function invert() {
	go({ inv: !state.inv, p: "", z: "", x: null });
}

function flip() {
	go({ turn: !state.turn });
}

function turnShares() {
	if (SIDES > 1)
		go({ shares: !state.shares, x: null });
}

function scrollPage(direction) {
	$("scroll").scrollTop += direction * ($("scroll").clientHeight - 2 * ROW);
}

/* Select the last box of the path of widest callees of the zoomed box. */
function selectEnd() {
	let box = zoomed();
	for (;;) {
		const [lo, hi] = model.children(box);
		let best = -1;
		for (let c = lo; c < hi; c++)
			if (!model.rest.has(c) && (best < 0 || model.w[c] > model.w[best]))
				best = c;
		if (best < 0)
			break;
		box = best;
	}
	select(box);
}

/* Show all of the details and of the legend, or one line of each. */
function unfold() {
	$("unfold").setAttribute("aria-expanded", String(document.body.classList.toggle("unfolded")));
	$("unfold").textContent = document.body.classList.contains("unfolded") ? "Less" : "More";
}

function turnTable() {
	go({ table: !state.table });
}

$("q").addEventListener("input", () => {
	clearTimeout(typing);
	typing = setTimeout(() => goSearch({ q: $("q").value }, state.q !== ""), 60);
});
$("q").addEventListener("keydown", (e) => {
	if (e.isComposing)
		return;
	if (e.key === "Enter") {
		clearTimeout(typing);
		goSearch({ q: $("q").value }, state.q !== "");
		if (e.ctrlKey || e.metaKey)
			pivotSearch();
		else
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
$("view").addEventListener("change", () => {
	if ($("view").value !== "around")
		go({ inv: $("view").value === "inv", p: "", z: "", x: null });
});
for (const [id, act] of Object.entries({
	prev: () => nextMatch(-1), next: () => nextMatch(1), flip, shares: turnShares, functions: turnTable, reset, theme: turnTheme,
	help: showKeys, unfold, close: () => $("keys").close(), zoom: () => zoomTo(acting()), around: () => around(actingFrame()),
	same: () => findSame(actingFrame()),
}))
	if ($(id))
		$(id).addEventListener("click", act);
