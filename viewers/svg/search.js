// search.js - the search, and the state of zoom and search in the address
// SPDX-License-Identifier: Apache-2.0
//
// Addresses are untrusted: a box id is only looked up, and search words are only searched for.

// Ids of boxes, hashes of all names on their path: they stay the same in another picture of the same stacks.
function number() {
	const a = [], b = [], count = new Map();
	ids = [];
	byId = new Map();
	for (let i = 0; i < el.length; i++) {
		const s = name(i), p = parent[i];
		let h = p < 0 ? 0xdeadbeef : a[p], g = p < 0 ? 0x41c6ce57 : b[p];
		for (let k = 0; k <= s.length; k++) {
			const c = k < s.length ? s.charCodeAt(k) : 0x1f;
			h = Math.imul(h ^ c, 2654435761);
			g = Math.imul(g ^ c, 1597334677);
			h ^= h >>> 15;
			g ^= g >>> 13;
		}
		a.push(h);
		b.push(g);
		let id = (4294967296 * (g & 0x1fffff) + (h >>> 0)).toString(36);
		const n = count.get(id) || 0;
		count.set(id, n + 1);
		if (n)
			id += "." + n;
		ids.push(id);
		byId.set(id, i);
	}
}

function idOf(i) {
	if (!ids)
		number();
	return ids[i];
}

// Mark boxes that match a text or an expression; case matters if it contains a capital.
function search(words) {
	const exact = words !== words.toLowerCase(), plain = words, known = new Map();
	const test = words ? expression(words, exact ? "" : "i") : null;
	const state = [];
	let sum = 0, here = 0, n = 0;
	found = words;
	for (let i = 0; i < el.length; i++) {
		let hit = false;
		if (words && i > 0) {
			const s = name(i);
			hit = known.get(s);
			if (hit === undefined) {
				hit = (exact ? s : s.toLowerCase()).includes(plain) ||
					(test !== null && test(s));
				known.set(s, hit);
			}
		}
		const above = parent[i] >= 0 ? state[parent[i]] : 0;
		const visible = i === zoomed || (parent[i] >= 0 && (above & 2));
		// Bit 0: this box or an ancestor matches; 1: the box is inside the zoomed one; 2: like bit 0, inside
		// the zoomed one.
		state[i] = (hit || (above & 1) ? 1 : 0) | (visible ? 2 : 0) |
			((visible && hit) || (above & 4) ? 4 : 0);
		if (hit) {
			n++;
			sum += above & 1 ? 0 : w0[i];
			here += visible && !(above & 4) ? w0[i] : 0;
		}
		if (!!matches[i] !== hit) {
			matches[i] = hit;
			el[i].classList.toggle("m", hit);
			if (text[i])
				text[i].classList.toggle("m", hit);
		}
	}
	rows.classList.toggle("found", n > 0);
	showResult(words, test, n, sum, here);
}

// A percentage, formatted as in C.
function percent(part, all) {
	const p = all > 0 ? 100 * part / all : 0;
	return (p >= 99.95 ? "100" : p > 0 && p < 1 ? p.toPrecision(2) : p > 0 ? p.toFixed(2) : "0") + "%";
}

function showResult(words, test, n, sum, here) {
	const late = test && test.late;
	let s = "";
	if (words && n === 0)
		s = late ? "search stopped: it takes too long" :
			"no match" + (!test && /[*+?{|]/.test(words) ? " as plain text" : "");
	else if (words)
		s = (late ? "search stopped early: at least " : "matched ") + percent(sum, w0[0]) + (compared ? " of the width: " : ": ") + grouped(n) + (n === 1 ? " box" : " boxes") +
			(zoomed ? ", " + percent(here, w0[zoomed]) + " of the zoomed box" : "");
	status.textContent = s;
	barFound.textContent = s;
	updateBar();
	if (input.value !== words && document.activeElement !== input)
		input.value = words;
}

// The address contains zoom and search, for links and for the back button.
function fragment() {
	const parts = [];
	if (zoomed)
		parts.push("zoom=" + idOf(zoomed));
	if (found)
		parts.push("search=" + encodeURIComponent(found));
	return "#" + parts.join("&");
}

function remember(isNew) {
	if (!alone || fragment() === (location.hash || "#"))
		return;
	try {
		history[isNew ? "pushState" : "replaceState"](null, "", fragment());
	} catch (e) {
		location.hash = fragment();
	}
}

function restore() {
	const wanted = { zoom: "", search: "" };
	for (const part of (alone ? location.hash : "").slice(1).split("&")) {
		const k = part.indexOf("="), key = part.slice(0, k);
		if (key === "zoom" || key === "search") {
			try {
				wanted[key] = decodeURIComponent(part.slice(k + 1)).slice(0, 500);
			} catch (e) {
				wanted[key] = "";
			}
		}
	}
	if (wanted.zoom && !byId && el.length)
		number();
	show(byId && byId.has(wanted.zoom) ? byId.get(wanted.zoom) : 0);
	input.value = wanted.search;
	search(wanted.search);
}

