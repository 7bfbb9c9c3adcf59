/*
 * table.js - sort, select and search the rows of a table
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The links of the page do the same by requests. Rows that are marked with data-selected are the functions that the
 * Refine menu uses.
 */

const table = document.querySelector("table.report");
const rows = () => [...table.querySelectorAll("tbody tr")];

/* ---- order ---- */

/* The rows in the order of the report, the largest value first. Null if the page has only a part of the rows, or
   another order: then the server sorts. */
function reportOrder() {
	const query = new URLSearchParams(location.search);

	if (!table.dataset.whole || query.has("col"))
		return null;
	return query.get("desc") === "f" ? rows().reverse() : rows();
}

const inReportOrder = reportOrder();

/* Compare by code points, like the server. */
function compareNames(a, b) {
	const x = a.dataset.name, y = b.dataset.name;

	return x < y ? -1 : x > y ? 1 : 0;
}

/* Compare by the numbers of a column; rows without a number are last in both directions. */
function compareNumbers(a, b, col, sign) {
	const x = parseFloat(a.cells[col].dataset.value), y = parseFloat(b.cells[col].dataset.value);

	return isNaN(x) || isNaN(y) ? isNaN(x) - isNaN(y) : sign * (x - y);
}

/* The rows in another order; null if only the server knows it. */
function sorted(key, ascending) {
	const first = table.querySelector("th[data-report-order]"), sign = ascending ? 1 : -1;
	const heading = table.querySelector(`th[data-key="${key}"]`);

	if (!inReportOrder)
		return null;
	if (key === "name")
		return [...inReportOrder].sort((a, b) => sign * compareNames(a, b));
	if ("byValue" in heading.dataset)
		return [...inReportOrder].sort((a, b) => compareNumbers(a, b, heading.cellIndex, sign));
	if (first && first.dataset.key === key)
		return ascending ? [...inReportOrder].reverse() : inReportOrder;
	return null;
}

/* Make the link of each heading lead to the next order. */
function updateHeadings(key, ascending) {
	for (const th of table.querySelectorAll("th[data-key]")) {
		const link = th.querySelector("a"), isText = th.classList.contains("name");

		th.removeAttribute("aria-sort");
		if (!link)
			continue;
		const url = new URL(link.href);
		url.searchParams.delete("desc");
		if (th.dataset.key === key) {
			th.setAttribute("aria-sort", ascending ? "ascending" : "descending");
			if (ascending === isText)
				url.searchParams.set("desc", isText ? "t" : "f");
		}
		link.href = url.href;
	}
}

function onHeading(e) {
	const link = e.target.closest("th[data-key] a");

	if (!link || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey)
		return;
	const key = link.closest("th").dataset.key, desc = new URL(link.href).searchParams.get("desc");
	const ascending = desc ? desc === "f" : key === "name";
	const order = sorted(key, ascending);

	if (!order)
		return;
	e.preventDefault();
	history.replaceState(null, "", link.href);
	table.tBodies[0].append(...order);
	updateHeadings(key, ascending);
}

/* ---- the current row ---- */

function isTyping(e) {
	return e.ctrlKey || e.metaKey || e.altKey || e.isComposing || e.target.matches("input, textarea, select") ||
		document.querySelector("dialog[open]");
}

function currentRow() {
	const active = document.activeElement;

	return active && table.contains(active) ? active.closest("tbody tr") : null;
}

function goTo(row) {
	if (!row)
		return;
	row.tabIndex = -1;
	row.focus({ preventScroll: true });
	row.scrollIntoView({ block: "nearest" });
}

function move(step) {
	const all = rows(), at = all.indexOf(currentRow());

	goTo(all[Math.max(0, Math.min(all.length - 1, at < 0 ? 0 : at + step))]);
}

/* The match after the current row or, from the search field, after the match that it showed last; and its position. */
function matchAfter(step) {
	const found = rows().filter((row) => row.classList.contains("match"));
	const was = found.indexOf(currentRow() || table.querySelector("tr[aria-current]"));
	const at = was < 0 && step < 0 ? found.length - 1 : (was + step + found.length) % found.length;

	return { row: found[at], at, count: found.length };
}

function moveToMatch(step) {
	goTo(matchAfter(step).row);
}

/* Show the next match without leaving the search field. */
function showMatch(step, output) {
	const { row, at, count } = matchAfter(step);

	unmarkMatch();
	if (!row)
		return;
	row.setAttribute("aria-current", "true");
	row.scrollIntoView({ block: "nearest" });
	output.textContent = `${at + 1} of ${count}`;
}

function unmarkMatch() {
	table.querySelector("tr[aria-current]")?.removeAttribute("aria-current");
}

function toggle(row) {
	if ("selected" in row.dataset)
		delete row.dataset.selected;
	else
		row.dataset.selected = row.dataset.name;
}

function openMenu(row) {
	const menu = row.querySelector("details.actions");

	if (menu) {
		menu.open = true;
		menu.querySelector("a").focus();
	}
}

/* Keys of a row. Those of its menu are in its links. */
const ROW_KEYS = {
	ArrowDown: () => move(1),
	ArrowUp: () => move(-1),
	Home: () => goTo(rows()[0]),
	End: () => goTo(rows().at(-1)),
	Enter: openMenu,
	" ": toggle,
};

const KEYS = { j: () => move(1), k: () => move(-1), n: () => moveToMatch(1), N: () => moveToMatch(-1) };

function onKey(e) {
	const row = currentRow();
	const action = KEYS[e.key] || (row && e.target === row ? ROW_KEYS[e.key] : null);
	const link = row && e.key.length === 1 ? row.querySelector(`[data-key="${CSS.escape(e.key)}"]`) : null;

	if (isTyping(e) || e.target.closest("header") || (!action && !link))
		return;
	e.preventDefault();
	if (action)
		action(row);
	else
		link.click();
}

/* Arrows move in an open menu of a row; Escape closes it. */
function onMenuKey(e) {
	const menu = e.target.closest("details.actions[open]");

	if (!menu)
		return;
	const links = [...menu.querySelectorAll("a")], at = links.indexOf(document.activeElement);
	if (e.key === "Escape") {
		menu.open = false;
		goTo(menu.closest("tr"));
	} else if (e.key === "ArrowDown") {
		links[(at + 1) % links.length].focus();
	} else if (e.key === "ArrowUp") {
		links.at(at <= 0 ? -1 : at - 1).focus();
	} else {
		return;
	}
	e.preventDefault();
	e.stopPropagation();
}

function closeMenus(except) {
	for (const menu of table.querySelectorAll("details.actions[open]"))
		if (menu !== except)
			menu.open = false;
}

/* ---- search ---- */

function search(field, output) {
	const test = field.value ? expression(field.value, "") : () => false;
	let n = 0, all = 0;

	for (const row of rows()) {
		const hit = Boolean(test && test(row.dataset.name || ""));

		row.classList.toggle("match", hit);
		n += hit;
		all++;
	}
	field.setAttribute("aria-invalid", String(!test));
	if (output)
		output.textContent = !test ? "invalid or slow expression" : field.value ? `${n} of ${all} match` : "";
}

/* Like pprof, search 0.3 s after the last change. */
function listenToSearch() {
	const field = document.getElementById("search"), output = document.getElementById("found");
	let timer = 0;

	if (!field)
		return;
	field.addEventListener("input", () => {
		clearTimeout(timer);
		unmarkMatch();
		timer = setTimeout(search, 300, field, output);
	});
	field.addEventListener("keydown", (e) => {
		if (e.key !== "Enter" || e.ctrlKey || e.metaKey || e.isComposing)
			return;
		e.preventDefault();
		clearTimeout(timer);
		search(field, output);
		showMatch(e.shiftKey ? -1 : 1, output);
	});
}

if (table) {
	table.addEventListener("click", onHeading);
	table.addEventListener("click", (e) => {
		const row = e.target.closest("tbody tr");

		if (row && row.dataset.name && !e.target.closest("a, details") && !String(getSelection()))
			toggle(row);
	});
	table.addEventListener("keydown", onMenuKey);
	table.addEventListener("toggle", (e) => e.target.open && closeMenus(e.target), true);
	document.addEventListener("pointerdown", (e) => closeMenus(e.target.closest("details.actions")));
	document.addEventListener("keydown", onKey);
	listenToSearch();
}
