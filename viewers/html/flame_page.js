/*
 * flame_page.js - the page: contents, and steps from one state to the next
 *
 * SPDX-License-Identifier: Apache-2.0
 */

const picture = new Picture($("scroll"), $("sheet"), $("ink"), $("over"));
let state = null, model = null, found = null, test = null, table = null;
let zoomBox = -1; /* box that fills the width; -1 for the root */
let hover = -1, selected = -1, legendOnly = null, drawing = 0, moving = 0;

/* Show data instead of the current data, if there is any, in the same state. */
function openData(next) {
	useData(next);
	resetModels();
	model = found = null;
	selected = hover = -1;
	legendOnly = null;
	document.body.classList.add("live");
	document.body.classList.toggle("compared", SIDES > 1);
	table = new FunctionTable(findFrame, table);
	state = state || firstState();
	readTheme();
}

/* Read the colours of the page and of boxes in the current theme. */
function readTheme() {
	const css = getComputedStyle(document.documentElement), get = (name) => css.getPropertyValue("--" + name).trim();
	const mix = (a, b, part) => [1, 3, 5].map((i) => Math.round(parseInt(a.slice(i, i + 2), 16) * part +
		parseInt(b.slice(i, i + 2), 16) * (1 - part))).reduce((s, v) => s + v.toString(16).padStart(2, "0"), "#");
	for (const name of ["paper", "ink", "faint", "focus", "mark", "rest"])
		picture.page[name] = get(name);
	picture.hatching = null;
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

/* Draw only the frames around boxes; the boxes did not change. */
function drawFrames() {
	if (!drawing)
		picture.drawOver(hover, selected, model.isAround ? model.root : -1);
}

/* Write an address if the browser permits it. In a sandboxed frame it does not; Back does not undo steps there. */
function remember(address, replace) {
	try {
		history[replace ? "replaceState" : "pushState"](null, "", address);
	} catch (e) {
		if (e.name !== "SecurityError")
			throw e;
	}
}

/* Change the state, and write it to the address. */
function go(change, replace) {
	const next = { ...state, ...change }, address = addressOf(next);
	if (address === addressOf(state))
		return;
	remember(address, replace);
	show(next);
}

/* Change the search. The numbers of boxes change if only matches are shown. */
function goSearch(change, replace) {
	const next = { ...state, ...change };
	go(state.only || next.only ? { ...change, z: "", x: null } : change, replace);
}

/* Show a state. */
function show(next) {
	const before = state, old = model;
	state = next;
	if (inShares !== (state.shares && SIDES > 1)) {
		inShares = !inShares;
		setDataModel(dataModel);
		found = null;
	}
	model = modelFor(state);
	zoomBox = model.find(state.z);
	if (zoomBox === model.root)
		zoomBox = -1;
	picture.flip = state.turn;
	if (model !== old || before.turn !== state.turn) {
		hover = -1;
		if (model !== old)
			selected = -1;
		picture.setModel(model);
		moveToState(true);
		if (state.p) {
			picture.centre(model.row[zoomed()]);
		} else {
			picture.scroller.scrollTop = picture.flip ? 0 : picture.full;
			picture.reveal(model.row[zoomed()]);
		}
	} else {
		moveToState(false);
	}
	table.show(baseFor(state));
	if (model !== old || before.q !== state.q || before.text !== state.text || !found)
		search();
	showTable();
	showBar();
	showPath();
	showDetails();
	draw();
	onShow();
}

/* Move the picture to the position in the state. */
function moveToState(atOnce) {
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
	test = (server && server.test(state)) || searchTest(state.q, state.text);
	const error = typeof test === "string" ? test : "";
	test = error ? null : test;
	found = { match: test && model.match(test), order: null, n: test ? frames.name.filter((_, frame) => test(frame)).length : 0 };
	found.sums = found.n ? sumsText() : "";
	if (document.activeElement !== $("q"))
		$("q").value = state.q;
	$("rx").checked = !state.text;
	$("only").checked = state.only;
	$("q").setAttribute("aria-invalid", String(error !== ""));
	$("found").className = error ? "error" : "";
	$("found").textContent = error || countText();
	$("prev").disabled = $("next").disabled = !found.match || !found.match.count;
	const chosen = frameOfSearch();
	if (chosen < 0 || !table.test)
		table.filter(chosen < 0 && baseFor(state) === top_ ? test : null);
	table.mark(chosen);
	markBoxes();
}

/* The function that an expression for exactly its name searches for; -1 for any other search. */
function frameOfSearch() {
	return test && !state.text && /^\^.*\$$/.test(state.q) ? frames.name.findIndex((name) => exactly(name) === state.q) : -1;
}

/* The boxes that match, from left to right. */
function matchOrder() {
	if (!found.order) {
		found.order = [];
		found.match.mark.forEach((is, i) => is && found.order.push(i));
		found.order.sort((a, b) => model.x[a] - model.x[b] || model.row[a] - model.row[b]);
	}
	return found.order;
}

/* The position among the matches, if one is selected, else the number of functions that match; and their sums. */
function countText() {
	if (!test)
		return "";
	const late = test.isLate() ? "search stopped, it takes too long; so far " : "";
	const at = selected >= 0 && found.match.mark[selected] ? matchOrder().indexOf(selected) + 1 : 0;
	const count = at ? `${grouped(at)} of ${grouped(found.order.length)}` : `${grouped(found.n)} of ${grouped(frames.name.length)} match`;
	return late + (found.n ? `${count}; ${found.sums}` : "no match");
}

/* Sums of the matches in the whole profile, even if only a part of it is shown. */
function sumsText() {
	const drawn = top_.match(test), sums = server ? serverSums() : boxSums(drawn);
	if (!sums)
		return "\u2026";
	const sumText = (v) => (SIDES === 1 ? writeShare(v[AFTER], AFTER) : `${writeShare(v[BEFORE], BEFORE)} \u2192 ` +
		`${writeShare(v[AFTER], AFTER)}, change ${changeText(writeDifference, v[BEFORE], v[AFTER])}`);
	const more = Math.max(...sums.cum.map((v, side) => v - drawn.total[side]));
	return `cum ${sumText(sums.cum)}${sums.more ? ` to ${sumText(sums.cum.map((v) => v + sums.more))}` : ""}, ` +
		`flat ${sumText(sums.flat)}` + (more > 1e-9 * sums.cum[AFTER] ? `; ${write(more)} of cum only in boxes left out` : "");
}

/* The sums of the search that the server computed, in steps; null until they have arrived. */
function serverSums() {
	const answer = server.answer(state);
	const steps = (list) => zeros().map((_, side) => list[side] / data.step * shareFactor(side));
	return answer ? { flat: steps(answer.flat), cum: steps(answer.cum), more: 0 } : null;
}

/*
 * The sums of the search over the boxes that match, drawn. If boxes are left out, the sums of each function are known, but
 * not which functions share stacks: cum is then at least the largest of them and the sum of the boxes, and at most more
 * than that.
 */
function boxSums(drawn) {
	if (!frames.cum)
		return { flat: drawn.self, cum: drawn.total, more: 0 };
	const known = (list, side) => list[side].map((v, i) => (test(i) ? v * shareFactor(side) : 0));
	const flat = zeros().map((_, side) => known(frames.flat, side).reduce((sum, v) => sum + v, 0));
	const each = zeros().map((_, side) => known(frames.cum, side));
	const cum = each.map((list, side) => list.reduce((most, v) => Math.max(most, v), drawn.total[side]));
	const most = each.map((list, side) => Math.min(list.reduce((sum, v) => sum + v, 0), drawn.total[side] + top_.cutWidth));
	const more = Math.max(...most.map((v, side) => v - cum[side]));
	return { flat, cum, more: more > 1e-9 * cum[AFTER] ? more : 0 };
}

/*
 * Does an entry of the legend apply to a box? The legend lists only some steps of a sign; the lowest includes the other
 * steps.
 */
function matchesEntry(box, index) {
	const [color, sign] = data.legend[index], c = model.color[box];
	if (!sign)
		return c === color;
	if (model.sign[box] !== sign)
		return false;
	const named = data.legend.filter((entry) => entry[1] === sign).map((entry) => entry[0]);
	return c === color || (!named.includes(c) && color === Math.min(...named));
}

/* Highlight the boxes that match the search and have the colour chosen in the legend. */
function markBoxes() {
	let mark = found.match ? found.match.mark : null;
	if (legendOnly) {
		const both = new Uint8Array(model.n);
		for (let i = 0; i < model.n; i++)
			both[i] = (!mark || mark[i]) && matchesEntry(i, legendOnly.index) ? 1 : 0;
		mark = both;
	}
	picture.mark = mark;
	draw();
}

/* Select the next match, from left to right; zoom if it is too narrow to see. */
function nextMatch(step) {
	if (!found.match || !found.match.count || (server && server.loadsMatches(step)))
		return;
	const order = matchOrder(), n = order.length, was = order.indexOf(selected);
	const at = ((was >= 0 ? was : step > 0 ? -1 : 0) + step + n) % n, box = order[at], [left, width] = picture.place(box);
	if (width < 30 || left < 0 || left + width > picture.width + 1) {
		const room = model.path(box).find((a) => model.w[box] / model.w[a] * picture.width >= 60);
		zoomTo(room === undefined ? box : room);
	}
	select(box);
	$("status").textContent = `match ${grouped(at + 1)} of ${grouped(n)}: ` + detailsLine(model, box);
}

function select(box) {
	selected = box;
	if (box >= 0) {
		picture.reveal(model.row[box]);
		$("status").textContent = detailsLine(model, box);
	}
	if (test)
		$("found").textContent = countText();
	showDetails();
	draw();
	onSelect();
}

/* The zoomed box, or the root. */
function zoomed() {
	return zoomBox >= 0 ? zoomBox : model.root;
}

function showDetails() {
	const box = hover >= 0 ? hover : selected >= 0 ? selected : zoomed();
	showFacts($("facts"), model, box, zoomed());
	for (const id of ["zoom", "same"])
		if ($(id))
			$(id).disabled = acting() < 0 || (id === "same" && actingFrame() < 0);
	$("around").disabled = actingFrame() < 0;
}

/* The box that actions apply to: the selected one, else the zoomed one; -1 for none. */
function acting() {
	return selected >= 0 ? selected : zoomBox;
}

/* The function that actions apply to; -1 for none. */
function actingFrame() {
	const box = acting();
	return box >= 0 ? model.frame[box] : model.isAround ? model.frame[model.root] : -1;
}

function showPath() {
	const list = zoomBox < 0 ? [] : model.path(zoomBox);
	$("path").replaceChildren(...list.map((box) => {
		const button = element("button", "", model.name(box));
		button.type = "button";
		button.title = model.name(box);
		if (box === zoomBox)
			button.setAttribute("aria-current", "true");
		button.addEventListener("click", () => zoomTo(box));
		return button;
	}));
	$("path").scrollLeft = 1e6;
}

function showBar() {
	const names = ["Callees (top down)", "Callers (bottom up)"].map((text, i) => [i ? "inv" : "all", text]);
	const now = model.isAround ? "around" : state.inv ? "inv" : "all";
	if (model.isAround)
		names.push(["around", `Around ${model.name(model.root)}`]);
	$("view").replaceChildren(...names.map(([value, text]) => {
		const option = element("option", "", text);
		option.value = value;
		option.selected = value === now;
		return option;
	}));
	$("shares").hidden = SIDES === 1;
	$("shares").setAttribute("aria-pressed", String(state.shares));
	$("flip").setAttribute("aria-pressed", String(state.turn));
	$("functions").setAttribute("aria-pressed", String(state.table));
	$("reset").disabled = addressOf({ ...state, turn: firstState().turn, table: firstState().table }) === addressOf(firstState());
}

function showTable() {
	if ($("list").hidden === !state.table)
		return;
	$("list").hidden = !state.table;
	document.body.classList.toggle("two", state.table);
	if (state.table)
		table.draw();
	picture.resize();
}

function drawLegend() {
	const chip = ([color, sign, text], i) => {
		const button = element("button", "", element("span", "swatch", { n: "new", g: "gone", "-": "\u2212" }[sign] || sign || ""), text);
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
	$("colors").replaceChildren(...data.legend.map(chip), ...(data.widthText ? [element("li", "width", data.widthText)] : []),
		...(picture.mayBeChance ? [element("li", "width", "hatched: the gate cannot exclude chance")] : []));
	$("colors").hidden = !data.legend.length;
}

/* Search for this function and select its widest box; a second time clears the search. */
function findFrame(frame) {
	const exact = exactly(frames.name[frame]), isAgain = state.q === exact && !state.text;
	goSearch({ q: isAgain ? "" : exact, text: false });
	if (isAgain)
		return;
	const box = found.match ? matchOrder().reduce((best, b) => (best < 0 || model.w[b] > model.w[best] ? b : best), -1) : -1;
	if (box >= 0)
		select(box);
	else
		nextMatch(1);
}
