/*
 * flame_address.js - the state of a standalone page, in the fragment of its address
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* Properties of the first state that depend on the page. */
function firstOfPage() {
	return { inv: data.inverted, turn: data.icicle, table: false };
}

function readAddress() {
	return readState(new URLSearchParams(location.hash.replace(/^#/, "")));
}

function addressOf(s) {
	const out = new URLSearchParams();

	writeState(s, out);
	return "#" + out.toString();
}
