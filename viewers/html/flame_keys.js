/*
 * flame_keys.js - keys of the flame graph: one table for their handlers and the help
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Keys are those of the full screen of cpa where it has the action.
 */

const CENTRE_HELP = "callers and callees of the function; in the search field Ctrl + Enter: of all that match";

/* Keys separated by spaces, their help, and one action for all keys or one for each. */
const KEYS = [
	["ArrowUp ArrowDown ArrowLeft ArrowRight", "move from box to box",
	 () => walk(0, 1), () => walk(0, -1), () => walk(-1, 0), () => walk(1, 0)],
	["k j h l", "the same", () => walk(0, 1), () => walk(0, -1), () => walk(-1, 0), () => walk(1, 0)],
	["Enter", "zoom in to the selected box; so does a click", () => zoomTo(selected)],
	["+ -", "zoom in and out; so do Ctrl + wheel and pinch",
	 () => scaleAt(picture.width / 2, 1 / 1.5, model.row[model.root]),
	 () => scaleAt(picture.width / 2, 1.5, model.row[model.root])],
	["Escape Backspace", "zoom out one step", zoomOut],
	["0 Home", "show everything", reset],
	["/", "search", () => $("q").select()],
	["n N", "next and previous match; in the search field Enter and Shift + Enter", () => nextMatch(1), () => nextMatch(-1)],
	["m", "show only stacks with a match", () => goSearch({ only: !state.only })],
	["*", "find all boxes of the function", () => findSame(actingFrame())],
	["p", CENTRE_HELP, () => around(actingFrame())],
	["i", "invert: functions first, then their callers", invert],
	["%", "in a comparison: shares of the totals, or values", turnShares],
	["I", "put the roots at the bottom or at the top", flip],
	["T", "table of functions", turnTable],
	["PageDown PageUp", "scroll", () => scrollPage(1), () => scrollPage(-1)],
	["g G", "select the root, or the end of the path of widest callees", () => select(model.root), selectEnd],
	["L", "light or dark", turnTheme],
	["?", "this help", showKeys],
];

/* Keys that buttons and lists handle themselves. */
const OWN = new Set(["Enter", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Home"]);

const SHOWN = { ArrowUp: "\u2191", ArrowDown: "\u2193", ArrowLeft: "\u2190", ArrowRight: "\u2192", "-": "\u2212" };

/* The action of each key of a table. */
function actionsOf(table) {
	const actions = new Map();
	for (const [keys, , ...acts] of table)
		keys.split(" ").forEach((key, i) => actions.set(key, acts[i] || acts[0]));
	return actions;
}

/* Help for actions without a key. */
const HABITS = [["drag", "pan sideways"], ["back, forward", "undo and redo; the address links to the current view"]];

function showKeys() {
	const term = (text, help) => element("div", "", element("dt", "", text), element("dd", "", help));
	$("key-list").replaceChildren(
		...KEYS.map(([keys, help]) => term(keys.split(" ").map((key) => SHOWN[key] || key).join(" "), help)),
		...HABITS.map(([text, help]) => term(text, help)));
	$("keys").showModal();
	$("keys-title").focus();
}

let actions = null;

document.addEventListener("keydown", (e) => {
	actions = actions || actionsOf(KEYS);
	const at = e.target, action = model && actions.get(e.key === "=" ? "+" : e.key);
	if (!action || e.ctrlKey || e.metaKey || e.altKey || e.isComposing || document.querySelector("dialog[open]"))
		return;
	if (at.matches("input, textarea") || (at.tagName === "SELECT" && e.key !== "Escape"))
		return;
	if (OWN.has(e.key) && at !== $("over") && at !== document.body)
		return;
	e.preventDefault();
	if (OWN.has(e.key))
		$("over").focus({ preventScroll: true });
	action();
});
