/*
 * flame_derive.js - other trees made of the boxes: from the leaf, and around one function
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A tree is folded level by level. An item is a box (at) with its share of the values; the items of a
 * group have the same frame. What a picture left out is not known by name: it ends in a rest.
 */

/* The frame of what has no name. */
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

/* The groups that the items of a group go on to. step(item, put, end) puts items under frames, or ends one. */
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
	const kept = [];
	for (const part of parts.values()) {
		if (part.w >= min && part.frame !== REST) {
			kept.push(part);
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
	kept.sort((a, b) => (data.byWeight && b.w - a.w) || (name(a) < name(b) ? -1 : name(a) > name(b) ? 1 : 0));
	if (rest && rest.w >= min)
		kept.push(rest);
	return kept;
}

/* All rows of groups from a root. */
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

/* A model of rows of groups, of which rows[rootRow] holds the root. */
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

/* From an item to its parent: the same values, one frame further out. */
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

/* The tree from the other end of each stack. What has no end, since it was left out, is a rest. */
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

/* A function with what it calls on one side and its callers on the other. */
function aroundModel(m, frame) {
	const away = newGroup(frame, null), back = newGroup(frame, null), cut = { n: m.nCut, w: m.cutWidth };
	const inside = new Uint8Array(m.n);
	const item = (at, box) => ({ at, v: m.total.map((t) => t[box]), w: m.w[box], n: m.rest.get(box) || 0 });

	m.fromRoot((i) => {
		const p = m.parent[i];
		inside[i] = p >= 0 && (inside[p] || m.frame[p] === frame) ? 1 : 0;
		if (m.frame[i] !== frame || inside[i])
			return;
		addItem(away, item(i, i));
		addItem(back, item(p, i));
	});
	const step = (it, put, end) => {
		const [lo, hi] = m.children(it.at);
		for (let c = lo; c < hi; c++)
			put(m.frame[c] < 0 ? REST : m.frame[c], item(c, c), m.inlined[c] === 1);
		end(m.self.map((s) => s[it.at]));
	};
	const there = growRows(away, step, cut), home = growRows(back, toParent(m), cut);
	const [callees, callers] = m.leafFirst ? [home, there] : [there, home];
	for (const g of callers[1] || [])
		g.parent = callees[0][0];
	return modelOf([...callers.slice(1).reverse(), ...callees], callers.length - 1, cut, false);
}

/* Only the stacks with a box for which test(frame) holds. What was left out is not among them. */
function matchingModel(m, test) {
	const inside = new Uint8Array(m.n), index = new Int32Array(m.n).fill(-1);
	const total = m.total.map((t) => Float64Array.from(t)), w = Float64Array.from(m.w);
	const outside = [], kept = [];

	m.fromRoot((i) => {
		const p = m.parent[i];
		inside[i] = (p >= 0 && inside[p]) || (m.frame[i] >= 0 && test(m.frame[i])) ? 1 : 0;
		if (!inside[i])
			outside.push(i);
	});
	/* Children first: what is not inside of a match has what its children have. */
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
			index[i] = kept.push(i) - 1;
	const out = new Model(kept.length), end = new Float64Array(kept.length);
	out.rowStart = [0];
	out.leafFirst = m.leafFirst;
	out.nCut = m.nCut;
	out.cutWidth = m.cutWidth;
	kept.forEach((i, at) => {
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
	out.rowStart.push(kept.length);
	return out;
}

/* Colours of functions in a picture that is no comparison. */
const frameColor = new Uint8Array(frames.name.length);

/* Colours of changes, as the legend has them, and from which change on; the rules of viewers/flame/change.c. */
const CHANGES = { least: 0.005, from: [0, 0.05, 0.2, 0.5] };
for (const [color, sign] of data.legend)
	if (sign)
		CHANGES[sign] = Math.max(color, CHANGES[sign] || 0);

/* How a box changed: its sign and its colour. */
function changeOf(m, i) {
	const bySelf = data.bySelf && !m.leafFirst && m.row[i] >= m.row[m.root]; /* all else has values of others */
	const side = (of) => (bySelf ? m.self : m.total)[of][i];
	const before = side(BEFORE), after = side(AFTER), larger = Math.max(before, after);
	const share = larger ? Math.abs(after - before) / larger : 0;
	const strong = CHANGES.from.length - 1, step = CHANGES.from.filter((from) => share >= from).length - 1;
	const sign = share < CHANGES.least ? "=" : m.total[BEFORE][i] === 0 ? "n" : m.total[AFTER][i] === 0 ? "g" :
		after > before ? "+" : "-";
	return [sign, CHANGES[sign] - (sign === "+" || sign === "-" ? strong - step : 0)];
}

function paintBox(m, i) {
	if (SIDES > 1) {
		const [sign, color] = changeOf(m, i);
		m.sign[i] = sign;
		m.color[i] = m.frame[i] < 0 ? 0 : color;
	} else {
		m.color[i] = m.frame[i] < 0 ? 0 : frameColor[m.frame[i]];
	}
}
