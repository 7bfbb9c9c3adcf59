/*
 * flame_page.js - the page: what it shows, and steps from here to there
 *
 * SPDX-License-Identifier: Apache-2.0
 */

const picture = new Picture($("scroll"), $("sheet"), $("ink"), $("over"));
let state = firstState(), model = null, found = null, test = null;
let hover = -1, selected = -1, legendOnly = null, drawing = 0, moving = 0;

/* Colours of the page and of boxes, as the theme in force has them. */
function readTheme() {
	const css = getComputedStyle(document.documentElement), get = (name) => css.getPropertyValue("--" + name).trim();
	const mix = (a, b, part) => [1, 3, 5].map((i) => Math.round(parseInt(a.slice(i, i + 2), 16) * part +
		parseInt(b.slice(i, i + 2), 16) * (1 - part))).reduce((s, v) => s + v.toString(16).padStart(2, "0"), "#");
	for (const name of ["paper", "ink", "faint", "focus", "mark", "rest"])
		picture.page[name] = get(name);
	picture.dark = get("scheme") === "dark";
	picture.colors = data[picture.dark ? "dark" : "light"].map(([fill, ink]) => (
		{ fill: "#" + fill, ink: "#" + ink, faint: mix("#" + fill, picture.page.paper, 0.22) }));
	$("theme").textContent = picture.dark ? "Light" : "Dark";
	drawLegend();
}

function draw() {
	if (!drawing)
		drawing = requestAnimationFrame(drawNow);
}

function drawNow() {
	cancelAnimationFrame(drawing);
	drawing = 0;
	picture.draw();
	drawFrames();
}

/* The frames alone: what is under them did not change. */
function drawFrames() {
	if (!drawing)
		picture.drawOver(hover, selected, state.view === "around" ? model.root : -1);
}

/* Write an address, where pages may: in a frame that has none of its own, steps are taken but not gone back. */
function remember(address, replace) {
	try {
		history[replace ? "replaceState" : "pushState"](null, "", address);
	} catch (e) {
		if (e.name !== "SecurityError")
			throw e;
	}
}

/* Take a step: change the state, remember it in the address. */
function go(change, replace) {
	const next = { ...state, ...change }, address = addressOf(next);
	if (address === addressOf(state))
		return;
	remember(address, replace);
	show(next);
}

/* A step to another search. Boxes of a picture of matches alone are others then. */
function goSearch(change, replace) {
	const next = { ...state, ...change };
	go(state.only || next.only ? { ...change, box: -1, x: null } : change, replace);
}

/* Make the page what a state says. */
function show(next) {
	const before = state, old = model;
	state = next;
	model = modelFor(state);
	if (state.box >= model.n || state.box === model.root)
		state.box = -1;
	picture.flip = state.turn;
	if (model !== old || before.turn !== state.turn) {
		hover = -1;
		if (model !== old)
			selected = -1;
		picture.setModel(model);
		aim(true);
		picture.reveal(model.row[zoomed()]);
	} else {
		aim(false);
	}
	table.show(baseFor(state));
	if (model !== old || before.q !== state.q || before.text !== state.text || !found)
		search();
	showTable(before.table !== state.table);
	showBar();
	showPath();
	showDetails();
	draw();
}

/* Move the picture to where the state says it is. */
function aim(atOnce) {
	const box = zoomed(), whole = model.w[model.root];
	const to = state.x ? [state.x[0] * whole, state.x[1] * whole] : [model.x[box], model.x[box] + model.w[box]];
	const from = picture.view, side = state.x ? state.x[2] : Math.sign(model.row[box] - model.row[model.root]);
	const same = from[0] === to[0] && from[1] === to[1];

	cancelAnimationFrame(moving);
	if (!same && box !== model.root)
		picture.reveal(model.row[box]);
	if (side !== 0 || to[1] - to[0] < whole)
		picture.side = side;
	if (atOnce || same || matchMedia("(prefers-reduced-motion: reduce)").matches) {
		picture.view = to;
		picture.side = side;
		return;
	}
	let start = 0;
	const step = (now) => {
		start = start || now;
		const t = Math.min((now - start) / 140, 1), part = 1 - (1 - t) ** 3;
		picture.view = t < 1 ? from.map((v, i) => v + (to[i] - v) * part) : to;
		if (t < 1)
			moving = requestAnimationFrame(step);
		else
			picture.side = side;
		drawNow();
	};
	moving = requestAnimationFrame(step);
}

function search() {
	test = searchTest(state.q, state.text);
	const error = typeof test === "string" ? test : "";
	test = error ? null : test;
	found = { match: test && model.match(test), order: null, at: -1 };
	if (document.activeElement !== $("q"))
		$("q").value = state.q;
	$("rx").checked = !state.text;
	$("only").checked = state.only;
	$("q").setAttribute("aria-invalid", String(error !== ""));
	$("found").className = error ? "error" : "";
	$("found").textContent = error || (test ? foundText(top_ === model ? found.match : top_.match(test)) : "");
	$("prev").disabled = $("next").disabled = !found.match || !found.match.count;
	table.filter(baseFor(state) === top_ ? test : null);
	markBoxes();
}

/* Sums of matches; they are of the whole profile, whatever is seen of it. */
function foundText(f) {
	const sum = (v) => (SIDES === 1 ? writeShare(v[AFTER], AFTER) : `${writeShare(v[BEFORE], BEFORE)} \u2192 ` +
		`${writeShare(v[AFTER], AFTER)}, change ${changeText(write, v[BEFORE], v[AFTER])}`);
	const late = test.isLate() ? "given up, this takes too long; until then " : "";
	if (!f.count)
		return late + "no match";
	/* What functions have themselves is known of all stacks. */
	const own = zeros().map((_, side) => (frames.flat ? frames.flat[side].reduce((n, v, i) => n + (test(i) ? v : 0), 0) :
		f.self[side]));
	const more = Math.min(top_.cutWidth, Math.max(...f.total.map((v, side) => top_.total[side][top_.root] - v)));
	return late + `${f.count.toLocaleString("en")} ${f.count === 1 ? "box matches" : "boxes match"}: ` +
		`cum ${sum(f.total)}, flat ${sum(own)}` +
		(more > 0 ? `; up to ${write(more)} more in what is left out` : "");
}

/* Does an entry of the legend stand for a box? Of a sign the legend names some steps; the least is for the rest. */
function isOf(box, index) {
	const [color, sign] = data.legend[index], c = model.color[box];
	if (!sign)
		return c === color;
	if (model.sign[box] !== sign)
		return false;
	const named = data.legend.filter((entry) => entry[1] === sign).map((entry) => entry[0]);
	return c === color || (!named.includes(c) && color === Math.min(...named));
}

/* Which boxes stand out: what was searched, and of one colour when one was chosen in the legend. */
function markBoxes() {
	let mark = found.match ? found.match.mark : null;
	if (legendOnly) {
		const both = new Uint8Array(model.n);
		for (let i = 0; i < model.n; i++)
			both[i] = (!mark || mark[i]) && i !== model.root && isOf(i, legendOnly.index) ? 1 : 0;
		mark = both;
	}
	picture.mark = mark;
	draw();
}

/* To the next match, from left to right; zoom in when it is too narrow to be seen. */
function nextMatch(step) {
	if (!found.match || !found.match.count)
		return;
	if (!found.order) {
		found.order = [];
		found.match.mark.forEach((is, i) => is && found.order.push(i));
		found.order.sort((a, b) => model.x[a] - model.x[b] || model.row[a] - model.row[b]);
	}
	const n = found.order.length, was = found.order.indexOf(selected);
	found.at = ((was >= 0 ? was : step > 0 ? -1 : 0) + step + n) % n;
	const box = found.order[found.at], [left, width] = picture.place(box);
	if (width < 30 || left < 0 || left + width > picture.width + 1) {
		const room = model.path(box).find((a) => model.w[box] / model.w[a] * picture.width >= 60);
		go({ box: room === model.root ? -1 : room === undefined ? box : room, x: null });
	}
	select(box);
	$("status").textContent = `match ${found.at + 1} of ${n}: ` + spoken(model, box);
}

function select(box) {
	selected = box;
	if (box >= 0) {
		picture.reveal(model.row[box]);
		$("status").textContent = spoken(model, box);
	}
	showDetails();
	draw();
}

/* The box that all is zoomed to, or the root. */
function zoomed() {
	return state.box >= 0 ? state.box : model.root;
}

function showDetails() {
	const box = hover >= 0 ? hover : selected >= 0 ? selected : zoomed();
	const acting = selected >= 0 ? selected : state.box;
	showFacts($("facts"), model, box, zoomed());
	$("zoom").disabled = acting < 0;
	$("around").disabled = $("same").disabled = acting < 0 || model.frame[acting] < 0;
}

function showPath() {
	const list = state.box < 0 ? [] : model.path(state.box);
	$("path").replaceChildren(...list.map((box) => {
		const button = element("button", "", model.name(box));
		button.type = "button";
		button.title = model.name(box);
		if (box === state.box)
			button.setAttribute("aria-current", "true");
		button.addEventListener("click", () => go({ box: box === model.root ? -1 : box, x: null }));
		return button;
	}));
	$("path").scrollLeft = 1e6;
}

function showBar() {
	const around = `Around ${frames.name[state.frame]}`;
	const names = data.inverted ? { all: "Callers (bottom up)", other: "Callees (top down)" } :
		{ all: "Callees (top down)", other: "Callers (bottom up)" };
	const options = [["all", names.all], ["other", names.other]];
	if (state.view === "around")
		options.push(["around", around]);
	$("view").replaceChildren(...options.map(([value, text]) => {
		const option = element("option", "", text);
		option.value = value;
		option.selected = value === state.view;
		return option;
	}));
	$("flip").setAttribute("aria-pressed", String(state.turn));
	$("functions").setAttribute("aria-pressed", String(state.table));
	$("reset").disabled = addressOf({ ...state, turn: data.icicle, table: false }) === "#";
}

function showTable(changed) {
	if (!changed)
		return;
	$("list").hidden = !state.table;
	document.body.classList.toggle("two", state.table);
	if (state.table)
		table.draw();
	picture.resize();
}

function drawLegend() {
	const chip = ([color, sign, text], i) => {
		const button = element("button", "", element("span", "chip", { n: "new", g: "gone", "-": "\u2212" }[sign] || sign || ""), text);
		const shade = picture.colors[color];
		button.type = "button";
		button.firstChild.style.background = shade.fill;
		button.firstChild.style.color = shade.ink;
		button.setAttribute("aria-pressed", String(legendOnly !== null && legendOnly.index === i));
		button.addEventListener("click", () => {
			legendOnly = legendOnly && legendOnly.index === i ? null : { index: i };
			drawLegend();
			markBoxes();
		});
		return element("li", "", button);
	};
	$("legend").replaceChildren(...data.legend.map(chip));
	$("legend").hidden = !data.legend.length;
}

const table = new FunctionTable((frame) => {
	const exact = "^" + frames.name[frame].replace(/[.*+?^${}()|[\]\\/]/g, "\\$&") + "$";
	goSearch({ q: state.q === exact && !state.text ? "" : exact, text: false });
});
