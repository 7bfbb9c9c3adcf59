/*
 * flame_derive.js - other trees made of the boxes: the inverted tree, callers and callees of one function, only matches
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A tree is built level by level. An item is a box (at) with its share of the values; the items of a group have the
 * same frame. Boxes that the picture leaves out have no names: they end in a rest.
 */

/* The frame of boxes without a name. */
const REST = -2;

function newGroup(frame, parent) {
	return { frame, parent, items: [], total: zeros(), self: zeros(), w: 0, n: 0, inlined: true, index: -1 };
}

function addItem(group, item) {
	group.items.push(item);
	group.w += item.w;
	for (let side = 0; side < SIDES; side++)
		group.total[side] += item.v[side];
}

/* The child groups of a group. step(item, put, end) puts an item into the group of its next frame, or ends a stack. */
function splitGroup(group, step, min, cut) {
	const parts = new Map();
	let rest = null;
	const put = (frame, item, inlined) => {
		if (!parts.has(frame))
			parts.set(frame, newGroup(frame, group));
		const part = parts.get(frame);
		part.inlined = part.inlined && inlined;
		addItem(part, item);
		part.n++;
	};
	const end = (v) => {
		for (let side = 0; side < SIDES; side++)
			group.self[side] += v[side];
	};

	for (const item of group.items)
		step(item, put, end);
	group.items = [];
	const retained = [];
	for (const part of parts.values()) {
		if (part.w >= min && part.frame !== REST) {
			retained.push(part);
			continue;
		}
		rest = rest || newGroup(REST, group);
		rest.w += part.w;
		rest.n += part.frame === REST ? part.items.reduce((n, it) => n + it.n, 0) : 1;
		for (let side = 0; side < SIDES; side++)
			rest.total[side] += part.total[side];
		if (part.frame !== REST) {
			cut.n++;
			cut.w += part.w;
		}
	}
	const name = (g) => frames.name[g.frame];
	retained.sort((a, b) => (data.byWeight && b.w - a.w) || (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0));
	if (rest && rest.w >= min)
		retained.push(rest);
	return retained;
}

/* All rows of groups, starting with the root. */
function growRows(root, step, cut) {
	const rows = [[root]], min = root.w * data.minShare;

	for (;;) {
		const next = [];
		for (const group of rows[rows.length - 1])
			if (group.frame !== REST || group === root)
				next.push(...splitGroup(group, step, min, cut));
		if (!next.length)
			return rows;
		rows.push(next);
	}
}

/* A model of rows of groups; rows[rootRow] contains the root. */
function modelOf(rows, rootRow, cut, leafFirst) {
	const m = new Model(rows.reduce((n, row) => n + row.length, 0));
	let at = 0;

	m.leafFirst = leafFirst;
	m.rowStart = [0];
	for (const row of rows) {
		for (const g of row)
			g.index = at++;
		m.rowStart.push(at);
	}
	m.root = m.rowStart[rootRow];
	rows.forEach((row, r) => row.forEach((g) => (m.row[g.index] = r)));
	for (const towards of [1, -1])
		for (let r = towards < 0 ? rootRow - 1 : rootRow; r >= 0 && r < rows.length; r += towards) {
			let parent = null, end = 0;
			for (const g of rows[r]) {
				if (g.parent !== parent)
					end = g.parent ? m.x[g.parent.index] : 0;
				parent = g.parent;
				fillBox(m, g, end);
				end += g.w;
			}
		}
	m.nCut = cut.n;
	m.cutWidth = cut.w;
	return m;
}

function fillBox(m, g, x) {
	const i = g.index;

	m.x[i] = x;
	m.w[i] = g.w;
	m.parent[i] = g.parent ? g.parent.index : -1;
	m.frame[i] = g.frame === REST ? -1 : g.frame;
	m.inlined[i] = g.frame >= 0 && g.parent && g.inlined ? 1 : 0;
	if (g.frame === REST && g.parent)
		m.rest.set(i, g.n);
	for (let side = 0; side < SIDES; side++) {
		m.total[side][i] = g.total[side];
		m.self[side][i] = g.self[side];
	}
	paintBox(m, i);
}

/* A step for growRows that moves an item to its parent, with the same values. */
function toParent(m) {
	return (item, put, end) => {
		const at = item.at;

		if (item.lost) {
			put(REST, item, false);
		} else if (m.frame[at] < 0) {
			end(item.v);
		} else {
			item.at = m.parent[at];
			put(m.frame[at], item, m.inlined[at] === 1);
		}
	};
}

/* The tree of the reversed stacks. Stacks whose ends were left out start with a rest box. */
function invertedModel(m) {
	const root = newGroup(-1, null), cut = { n: m.nCut, w: m.cutWidth };

	for (let i = 0; i < m.n; i++) {
		const own = m.self.map((s) => s[i]), [lo, hi] = m.children(i);
		const missing = { v: m.total.map((t, side) => t[i] - own[side]), w: m.w[i] - Math.max(...own) };
		for (let c = lo; c < hi; c++) {
			missing.w -= m.w[c];
			missing.v.forEach((_, side) => (missing.v[side] -= m.total[side][c]));
		}
		if (own.some((v) => v))
			addItem(root, { at: i, v: own, w: Math.max(...own), n: 0 });
		if (missing.w > 0)
			addItem(root, { at: i, v: missing.v, w: missing.w, n: m.rest.get(i) || 0, lost: true });
	}
	return modelOf(growRows(root, toParent(m), cut), 0, cut, !m.leafFirst);
}

/*
 * The callees of functions on one side and their callers on the other: of all functions for which test(frame) holds.
 * Of several functions, the first row of callees has the functions themselves. Recursive calls count once. The stacks
 * of m start at the root.
 */
function aroundModel(m, test) {
	const hit = frames.name.map((_, frame) => test(frame)), first = hit.indexOf(true), isOne = first === hit.lastIndexOf(true);
	const frame = isOne ? first : -1, cut = { n: m.nCut, w: m.cutWidth };
	const away = newGroup(frame, null), back = newGroup(frame, null), inside = new Uint8Array(m.n);
	const is = (box) => m.frame[box] >= 0 && hit[m.frame[box]];
	const item = (at, box) => ({ at, v: m.total.map((t) => t[box]), w: m.w[box], n: m.rest.get(box) || 0 });

	m.fromRoot((i) => {
		const p = m.parent[i];
		inside[i] = p >= 0 && (inside[p] || is(p)) ? 1 : 0;
		if (!is(i) || inside[i])
			return;
		addItem(away, { ...item(i, i), isFirst: !isOne });
		addItem(back, item(p, i));
	});
	addLeftOut(m, frame, away, back);
	const step = (it, put, end) => {
		if (it.lost) {
			put(REST, it, false);
			return;
		}
		if (it.isFirst) {
			put(m.frame[it.at], { ...it, isFirst: false }, m.inlined[it.at] === 1);
			return;
		}
		const [lo, hi] = m.children(it.at);
		for (let c = lo; c < hi; c++)
			put(m.frame[c] < 0 ? REST : m.frame[c], item(c, c), m.inlined[c] === 1);
		end(m.self.map((s) => s[it.at]));
	};
	const callees = growRows(away, step, cut), callers = growRows(back, toParent(m), cut);
	for (const g of callers[1] || [])
		g.parent = away;
	const out = modelOf([...callers.slice(1).reverse(), ...callees], callers.length - 1, cut, false);
	out.isAround = true;
	out.rootName = isOne ? "" : `${grouped(hit.filter((h) => h).length)} functions`;
	return out;
}

/* Add the stacks of a function that are only in boxes left out, if their sum is known: they have no known neighbours. */
function addLeftOut(m, frame, away, back) {
	if (m !== top_ || frame < 0 || !frames.cum)
		return;
	const v = zeros().map((_, side) => frames.cum[side][frame] * shareFactor(side) - away.total[side]);
	const w = Math.max(...v);
	if (w > 1e-9 * away.w)
		for (const group of [away, back])
			addItem(group, { at: m.root, v: [...v], w, n: 0, lost: true });
}

/* Only the stacks with a box for which test(frame) holds, without boxes that were left out. */
function matchingModel(m, test) {
	const inside = new Uint8Array(m.n), index = new Int32Array(m.n).fill(-1);
	const total = m.total.map((t) => Float64Array.from(t)), w = Float64Array.from(m.w);
	const outside = [], retained = [];

	m.fromRoot((i) => {
		const p = m.parent[i];
		inside[i] = (p >= 0 && inside[p]) || (m.frame[i] >= 0 && test(m.frame[i])) ? 1 : 0;
		if (!inside[i])
			outside.push(i);
	});
	/* Children first: a box outside of a match has the sum of its children. */
	for (const i of outside.reverse()) {
		const [lo, hi] = m.children(i);
		total.forEach((t) => (t[i] = 0));
		w[i] = 0;
		for (let c = lo; c < hi; c++) {
			total.forEach((t) => (t[i] += t[c]));
			w[i] += w[c];
		}
	}
	for (let i = 0; i < m.n; i++)
		if (i === m.root || w[i] > 0)
			index[i] = retained.push(i) - 1;
	const out = new Model(retained.length), end = new Float64Array(retained.length);
	out.rowStart = [0];
	out.leafFirst = m.leafFirst;
	out.nCut = m.nCut;
	out.cutWidth = m.cutWidth;
	retained.forEach((i, at) => {
		const parent = at ? index[m.parent[i]] : -1;
		if (at && m.row[i] !== out.row[at - 1])
			out.rowStart.push(at);
		out.row[at] = m.row[i];
		out.parent[at] = parent;
		out.frame[at] = m.frame[i];
		out.inlined[at] = m.inlined[i];
		out.w[at] = w[i];
		out.x[at] = end[at] = at ? end[parent] : 0;
		if (at)
			end[parent] += w[i];
		for (let side = 0; side < SIDES; side++) {
			out.total[side][at] = total[side][i];
			out.self[side][at] = inside[i] ? m.self[side][i] : 0;
		}
		if (m.rest.has(i))
			out.rest.set(at, m.rest.get(i));
		paintBox(out, at);
	});
	out.rowStart.push(retained.length);
	return out;
}

/* The sign and the colour of the change of a box. */
function changeOf(m, i) {
	/*
	 * The root of all stacks is not a function, and boxes of inverted trees have the flat values of other
	 * functions.
	 */
	const bySelf = data.bySelf && !m.leafFirst && (m.parent[i] >= 0 || m.frame[i] >= 0) && m.row[i] >= m.row[m.root];
	const side = (of) => (bySelf ? m.self : m.total)[of][i];
	const before = side(BEFORE), after = side(AFTER), larger = Math.max(before, after);
	const share = larger ? Math.abs(after - before) / larger : 0;
	const strong = CHANGES.from.length - 1, step = CHANGES.from.filter((from) => share >= from).length - 1;
	const sign = share < CHANGES.min ? "=" : m.total[BEFORE][i] === 0 ? "n" : m.total[AFTER][i] === 0 ? "g" :
		after > before ? "+" : "-";
	return [sign, CHANGES[sign] - (sign === "+" || sign === "-" ? strong - step : 0)];
}

function paintBox(m, i) {
	if (SIDES > 1) {
		const [sign, color] = changeOf(m, i);
		m.sign[i] = sign;
		m.color[i] = m.rest.has(i) ? 0 : color;
	} else {
		m.color[i] = m.frame[i] < 0 ? 0 : frameColor[m.frame[i]];
	}
}
