/*
 * flame_address.js - the state of the flame graph in the query of the page's address
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Other parameters are options that the server applies: the page is loaded again when they change, and its script
 * requests new data when inv changes.
 */

/* Below this width of the window, the graph and the table are shown one at a time. */
const WIDE_WINDOW = 1100;

/* Properties of the first state that depend on the page. */
function firstOfPage() {
	return { inv: $("flame").dataset.inv === "t", turn: true, table: innerWidth >= WIDE_WINDOW };
}

function readAddress() {
	return readState(new URLSearchParams(location.search));
}

function addressOf(s) {
	const params = new URLSearchParams(location.search);

	writeState(s, params);
	params.sort();
	return location.pathname + (params.size ? "?" + params : "");
}

/* The address of another view, or of this one with other options: with the parameters of this page, changed by set. */
function linkTo(view, set) {
	const params = new URLSearchParams(location.search);

	for (const key of ["p", "z", "x"])
		params.delete(key);
	for (const [key, value] of Object.entries(set))
		params.set(key, value);
	params.sort();
	return `${view}?${params}`;
}

/* The address of the data of a state, with further parameters. */
function dataAddress(s, more = {}) {
	const params = new URLSearchParams(location.search);

	for (const key of ["p", "z", "x", "q", ...FLAGS])
		params.delete(key);
	const inverted = s.inv && !s.p; /* callers and callees are made of stacks that start at the root */
	if (inverted !== firstOfPage().inv)
		params.set("inv", inverted ? "t" : "f");
	if (s.only && s.q)
		more = { ...searchParams(s), only: "t", ...more };
	if (!params.has("prof"))
		params.set("prof", $("flame").dataset.prof);
	for (const [key, value] of Object.entries(more))
		params.set(key, value);
	params.sort();
	return `data/flame?${params}`;
}
