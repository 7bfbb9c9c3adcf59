/*
 * flame_menu.js - actions for the function of a box: source, filters, copy
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* The function of a frame, as expressions match it; "" if there is none. */
function functionOf(frame) {
	const other = frame >= 0 && frames.function.find(([f]) => f === frame);
	return other ? other[1] : frame >= 0 ? frames.name[frame] : "";
}

/* The address of this page with an expression added to a filter, or in place of it. */
function filterLink(key, name, isAdded) {
	const old = new URLSearchParams(location.search).get(key);
	return linkTo("flamegraph", { [key]: (isAdded && old ? old + "|" : "") + exactly(name) });
}

/* Actions for a function: link gives the address of another page, run does something here. */
const ACTIONS = [
	{ key: "Enter", title: "Zoom in", help: "zoom in to the selected box; so does a click", run: () => zoomTo(acting()) },
	{ key: "p", title: "Callers and callees", help: CENTRE_HELP, run: () => around(actingFrame()) },
	{ key: "e", title: "Source", help: "source of the function", link: (name) => linkTo("source", { f: exactly(name) }) },
	{ key: "a", title: "Instructions", help: "instructions of the function",
	  link: (name) => linkTo("disasm", { f: exactly(name) }) },
	{ key: "f", title: "Focus", help: "keep only stacks with the function", link: (name) => filterLink("f", name, false) },
	{ key: "x", title: "Ignore", help: "drop stacks with the function", link: (name) => filterLink("i", name, true) },
	{ key: "H", title: "Hide", help: "hide the function in all stacks", link: (name) => filterLink("h", name, true) },
	{ key: "F", title: "Show from", help: "start stacks at the function", link: (name) => filterLink("sf", name, false) },
	{ key: "C", title: "Copy name", help: "copy the name of the function", run: (name) => copyText(name) },
];

async function copyText(text) {
	let isCopied = true;
	try {
		await navigator.clipboard.writeText(text);
	} catch (e) {
		isCopied = false;
	}
	$("status").textContent = isCopied ? `copied ${text}` : "the browser does not allow copying";
}

function runAction(action) {
	const name = functionOf(actingFrame());
	closeMenu();
	if (action.link && name)
		location.assign(action.link(name));
	else if (action.run && (name || action.key === "Enter"))
		action.run(name);
}

let menu = null;

function closeMenu(returnFocus = false) {
	if (menu)
		menu.remove();
	menu = null;
	if (returnFocus)
		$("over").focus({ preventScroll: true });
}

function menuItem(action, name) {
	const item = element(action.link ? "a" : "button", "", element("kbd", "", action.key), action.title);
	item.setAttribute("role", "menuitem");
	item.tabIndex = -1;
	if (action.link) {
		item.href = action.link(name);
	} else {
		item.type = "button";
		item.addEventListener("click", () => runAction(action));
	}
	return element("li", "", item);
}

/* Open the menu for the selected box, or the function in the centre, at a point of the window. */
function openMenu(x, y) {
	const name = functionOf(actingFrame());

	closeMenu();
	if (acting() < 0 && !name)
		return;
	menu = element("ul", "actions", ...ACTIONS.filter((a) => name || a.key === "Enter").map((a) => menuItem(a, name)));
	menu.setAttribute("role", "menu");
	menu.setAttribute("aria-label", name || "Box");
	for (const li of menu.children)
		li.setAttribute("role", "none");
	$("flame").append(menu);
	menu.style.left = Math.max(4, Math.min(x, innerWidth - menu.offsetWidth - 4)) + "px";
	menu.style.top = Math.max(4, Math.min(y, innerHeight - menu.offsetHeight - 4)) + "px";
	menu.addEventListener("keydown", menuKey);
	menu.querySelector("[role=menuitem]").focus();
}

function menuKey(e) {
	const items = [...menu.querySelectorAll("[role=menuitem]")], at = items.indexOf(document.activeElement);
	const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 }[e.key];

	e.stopPropagation();
	if (to !== undefined)
		items.at(to % items.length).focus();
	else if (e.key === "Escape" || e.key === "Tab")
		closeMenu(true);
	else
		return;
	e.preventDefault();
}

/* Open the menu below the selected box, for keyboards. */
function openMenuAtBox() {
	const box = acting() >= 0 ? acting() : model.root, place = $("over").getBoundingClientRect();
	const [left, width] = picture.place(box), y = picture.rowTop(model.row[box]) - picture.scroller.scrollTop + ROW;
	openMenu(place.left + Math.max(left, 0) + Math.min(width / 2, 40), place.top + y);
}

$("over").addEventListener("contextmenu", (e) => {
	const box = e.button === 2 || e.pointerType === "touch" ? picture.hit(e.offsetX, e.offsetY) : -1;

	e.preventDefault();
	if (box >= 0) {
		select(box);
		openMenu(e.clientX, e.clientY);
	} else if (e.button !== 2) {
		openMenuAtBox();
	}
});
document.addEventListener("pointerdown", (e) => {
	if (menu && !menu.contains(e.target))
		closeMenu();
});
addEventListener("blur", () => closeMenu());

/* Options of the picture that the server applies: key, parameter, title, values, texts. */
const CHOICES = [
	["K", "color", "colours", ["package", "module", "file", "function", "heat"],
	 ["by package", "by module", "by file", "by function", "by flat share"]],
	["O", "order", "order of boxes", ["weight", "name"], ["widest first", "by name"]],
];

function choiceLink(param, value) {
	const params = new URLSearchParams(location.search);
	params.set(param, value);
	params.sort();
	return `flamegraph?${params}`;
}

/* The choice of the picture that is shown. */
function currentChoice(param) {
	return param === "order" ? (data.byWeight ? "weight" : "name") : data.colorBy;
}

function addChoices() {
	for (const [, param, title, values, texts] of SIDES > 1 ? CHOICES.slice(1) : CHOICES) {
		const options = values.map((value, i) => {
			const option = element("option", "", texts[i]);
			option.value = value;
			return option;
		});
		const select = element("select", "choice", ...options);
		select.setAttribute("aria-label", title);
		select.title = title;
		select.value = currentChoice(param);
		select.addEventListener("change", () => location.assign(choiceLink(param, select.value)));
		$("bar").insertBefore(select, $("flip"));
	}
}

function nextChoice([, param, , values]) {
	if (SIDES === 1 || param === "order")
		location.assign(choiceLink(param, values[(values.indexOf(currentChoice(param)) + 1) % values.length]));
}

/* The actions are also a button beside the details. */
function addActionButton() {
	const more = element("button", "", "Actions \u25be");
	more.type = "button";
	more.id = "actions";
	more.setAttribute("aria-haspopup", "menu");
	more.addEventListener("click", () => {
		const place = more.getBoundingClientRect();
		openMenu(place.left, place.bottom);
	});
	$("zoom").replaceWith(more);
	$("same").remove();
}

/* Show other scripts of the page which function is selected, and disable the actions without a box. */
function markSelected() {
	$("over").dataset.selected = functionOf(actingFrame());
	$("actions").disabled = acting() < 0 && actingFrame() < 0;
}

KEYS.splice(KEYS.findIndex((k) => k[0] === "p"), 1);
KEYS.splice(KEYS.findIndex((k) => k[0] === "Enter"), 1);
KEYS.unshift(...ACTIONS.map((action) => [action.key, action.help, () => runAction(action)]),
	["M", "menu of these actions; so does a right click", openMenuAtBox]);
KEYS.splice(-2, 0, ...CHOICES.map((choice) => [choice[0], `next ${choice[2]}`, () => nextChoice(choice)]));
