/*
 * flame_shares.js - comparisons of shares: both sides scaled to the same total
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A scaled model has the boxes of the original, with the same numbers. Values of the side before are multiplied so that
 * its total is that of the side after.
 */

let inShares = false;

/* The factor for values of a side. */
function shareFactor(side) {
	return inShares && side === BEFORE && data.sides[BEFORE] ? data.sides[AFTER] / data.sides[BEFORE] : 1;
}

function shareModel(m) {
	const out = new Model(m.n), factors = zeros().map((_, side) => shareFactor(side)), order = [];
	const larger = (of) => Math.max(...of.map((v, side) => v * factors[side]));

	for (const key of ["parent", "frame", "row", "rowStart", "inlined", "rest", "fine", "root", "nCut", "leafFirst",
			   "isAround", "rootName", "cutSides"])
		out[key] = m[key];
	for (let side = 0; side < SIDES; side++)
		for (let i = 0; i < m.n; i++) {
			out.total[side][i] = m.total[side][i] * factors[side];
			out.self[side][i] = m.self[side][i] * factors[side];
		}
	m.fromRoot((i) => order.push(i));
	for (const i of order.reverse()) {
		const [lo, hi] = m.children(i), omitted = m.total.map((t, side) => t[i] - m.self[side][i]);
		for (let c = lo; c < hi; c++) {
			out.w[i] += out.w[c];
			omitted.forEach((_, side) => (omitted[side] -= m.total[side][c]));
		}
		let rest = m.rest.has(i) ? 0 : larger(omitted);
		if (rest < 1e-9 * larger(m.total.map((t) => t[i])))
			rest = 0; /* a rounding error */
		out.cutWidth += rest;
		out.w[i] += rest + (m.rest.has(i) ? larger(m.total.map((t) => t[i])) : larger(m.self.map((s) => s[i])));
	}
	const end = new Float64Array(m.n);
	let endOfCallers = 0; /* those of the root are above its callees */
	for (const i of order.reverse()) {
		const p = m.parent[i], isCaller = p === m.root && m.row[i] < m.row[p];
		out.x[i] = end[i] = isCaller ? endOfCallers : p >= 0 ? end[p] : 0;
		if (isCaller)
			endOfCallers += out.w[i];
		else if (p >= 0)
			end[p] += out.w[i];
		paintBox(out, i);
	}
	out.w[m.root] = Math.max(out.w[m.root], endOfCallers);
	return out;
}
