/*
 * flame_start.js - the first picture of the page, and actions of this page only
 *
 * SPDX-License-Identifier: Apache-2.0
 */

const PIXEL_CLASS = 64; /* widths are rounded up to multiples, so that the server can reuse responses */
const CACHED_DATA = 3;

/* The data that is shown: its address, without the width, and the width that it was requested for. */
let shown = { address: "", width: 0 };
const cachedData = new Map();

/* Ctrl+Enter in the search field: callers and callees of the matching functions, as Enter in pprof. */
async function pivotSearch() {
	const p = pivotText();
	if (!p)
		return;
	if (await requestAround({ ...state, p }))
		go({ p, z: "", x: null });
	else
		say(noPivotText(p), true);
}

/* The width of the window in pixels. Boxes are requested for this width, also when the table takes a part of it. */
function windowWidth() {
	return Math.max(Math.ceil(innerWidth / PIXEL_CLASS) * PIXEL_CLASS, PIXEL_CLASS);
}

/* Show the data of the state, requesting it first if necessary. Afterwards, request details. */
async function showData() {
	const address = dataAddress(state), width = windowWidth(), keep = keepParams(state), keptKey = keep.keep ? keptSearch : "";
	const request = dataAddress(state, { ...keep, width }), fits = (d) => d.width >= width && (!keptKey || d.kept === keptKey);

	if (address === shown.address && fits(shown)) {
		cancelRequest("flame");
		showAround();
		wantDetail();
		return;
	}
	if (requests.has("flame") && requests.get("flame").address === request)
		return;
	const known = cachedData.get(address), next = known && fits(known) ? known :
		{ address, width, kept: keptKey, text: await requestData(request, "flame") };
	if (next.text === null || dataAddress(state) !== address)
		return;
	cachedData.delete(address);
	cachedData.set(address, next);
	for (const old of [...cachedData.keys()].slice(0, -CACHED_DATA))
		cachedData.delete(old);
	openPage(next);
}

/* Show new data in the current state. */
function openPage(next) {
	const isFirst = !model, selectedKey = !isFirst && selected >= 0 ? model.keyOf(selected) : null;

	shown = next;
	requestedWidths = new Map();
	openData(JSON.parse(next.text));
	show(state);
	if (selectedKey !== null)
		select(model.find(selectedKey));
	$("note").textContent = data.note;
	showDrawn();
	drawNow();
	if (SIDES > 1 && gateText)
		showVerdicts();
	else if ($("flame").dataset.base === "t")
		loadVerdicts();
	if (isFirst) {
		addChoices();
		watchWindow();
		addEventListener("resize", wantWider);
	}
}

let resizing = 0;

/* Request boxes for a wider window soon. */
function wantWider() {
	clearTimeout(resizing);
	resizing = setTimeout(showData, 200);
}

/* Called after each change of the selection. */
function onSelect() {
	markSelected();
}

/* Called after each change of the state. */
function onShow() {
	showDrawn();
	markSelected();
	showData();
	requestSearch();
}

/* The search is in the header, as on other pages. A narrow page hides the other tools. */
function placeSearch() {
	const tools = element("button", "", "Tools");

	tools.id = "tools";
	tools.type = "button";
	tools.setAttribute("aria-expanded", "false");
	tools.setAttribute("aria-controls", "bar");
	tools.addEventListener("click", () => tools.setAttribute("aria-expanded", String(document.body.classList.toggle("tools"))));
	$("find").append(tools);
	document.querySelector("header").append($("find"));
}

placeSearch();
addActionButton();
$("flame").hidden = false;
document.body.classList.add("full");
state = readAddress();
showData();
