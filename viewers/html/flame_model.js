/*
 * flame_model.js - the boxes of a picture as columns
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Boxes lie in rows, a row from left to right; the boxes that a box leads to are neighbours in the next
 * row (callers: in the row before). Positions and values are in steps of data.step.
 */

const data = JSON.parse(document.getElementById("data").textContent);
const SIDES = data.sides.length;
const AFTER = 0, BEFORE = 1;
const writeValue = valueWriter(data.scale);
const frames = data.frames;

/* A value or width in steps as text. */
function write(steps) {
	return writeValue(steps * data.step);
}

/* The same with its share of what is 100 % on a side; without a comparison of what the report says is. */
function writeShare(steps, side) {
	return `${write(steps)} (${shareText(steps * data.step, SIDES > 1 ? data.sides[side] : data.total100)})`;
}

/* Boxes that are to be placed; a row is what is as far from the root. */
class Model {
	constructor(n) {
		this.n = n;
		this.parent = new Int32Array(n).fill(-1);
		this.frame = new Int32Array(n).fill(-1);
		this.row = new Int32Array(n);
		this.x = new Float64Array(n);
		this.w = new Float64Array(n);
		this.total = [];
		this.self = [];
		for (let side = 0; side < SIDES; side++) {
			this.total.push(new Float64Array(n));
			this.self.push(new Float64Array(n));
		}
		this.color = new Uint8Array(n);
		this.sign = new Array(SIDES > 1 ? n : 0).fill("");
		this.inlined = new Uint8Array(n);
		this.rest = new Map();
		this.root = 0;
		this.rowStart = [];
		this.nCut = 0;
		this.cutWidth = 0;
		this.kids = null;
		this.leafFirst = false;
	}

	get rows() {
		return this.rowStart.length - 1;
	}

	/* First and last + 1 of the boxes next to a box, away from the root; of the root on the side of callers. */
	children(box, back = this.row[box] < this.row[this.root]) {
		if (!this.kids) {
			this.kids = [0, 1].map(() => [new Int32Array(this.n), new Int32Array(this.n)]);
			for (let i = 0; i < this.n; i++) {
				const p = this.parent[i];
				if (p < 0)
					continue;
				const [first, end] = this.kids[this.row[i] < this.row[p] ? 1 : 0];
				if (!end[p])
					first[p] = i;
				end[p] = i + 1;
			}
		}
		const [first, end] = this.kids[back ? 1 : 0];
		return [first[box], end[box]];
	}

	/* What a box has itself; null where a tree cannot tell, since its stacks do not end there. */
	flat(box, side) {
		if (this.row[box] < this.row[this.root])
			return null;
		if (!this.leafFirst)
			return this.self[side][box];
		return this.parent[box] === this.root ? this.total[side][box] : null;
	}

	name(box) {
		if (this.rest.has(box))
			return (this.rest.get(box) ? this.rest.get(box).toLocaleString("en") : "some") + " narrower";
		return this.frame[box] < 0 ? data.root : frames.name[this.frame[box]];
	}

	/* From the root to a box. */
	path(box) {
		const list = [];
		for (let i = box; i >= 0; i = this.parent[i])
			list.unshift(i);
		return list;
	}

	/*
	 * The boxes for which test(frame) holds: a mark each, how many, their sum with what they call (what
	 * is in each other counts once), and their own sum.
	 */
	match(test) {
		const hit = frames.name.map((_, i) => (test(i) ? 1 : 0));
		const found = { mark: new Uint8Array(this.n), count: 0, total: zeros(), self: zeros() };
		const inside = new Uint8Array(this.n);

		this.fromRoot((i) => {
			const p = this.parent[i], is = this.frame[i] >= 0 && hit[this.frame[i]];
			inside[i] = is || (p >= 0 && inside[p]);
			if (!is)
				return;
			found.mark[i] = 1;
			found.count++;
			for (let side = 0; side < SIDES; side++) {
				found.self[side] += this.flat(i, side) || 0;
				if (!(p >= 0 && inside[p]))
					found.total[side] += this.total[side][i];
			}
		});
		return found;
	}

	/* Call visit for every box, parents first. */
	fromRoot(visit) {
		const rootRow = this.row[this.root];
		for (let r = rootRow; r < this.rows; r++)
			for (let i = this.rowStart[r]; i < this.rowStart[r + 1]; i++)
				visit(i);
		for (let r = rootRow - 1; r >= 0; r--)
			for (let i = this.rowStart[r]; i < this.rowStart[r + 1]; i++)
				visit(i);
	}
}

function zeros() {
	return new Array(SIDES).fill(0);
}

/* The boxes as they were sent. */
function readModel() {
	const m = new Model(data.frame.length);
	const after = [0];
	let parent = 0, end = 0;

	m.rowStart = data.rows;
	for (let r = 0; r < m.rows; r++)
		for (let i = m.rowStart[r]; i < m.rowStart[r + 1]; i++)
			m.row[i] = r;
	for (let i = 0; i < m.n; i++) {
		const first = i && data.parent[i];
		if (i) {
			parent += data.parent[i];
			m.parent[i] = parent;
		}
		m.frame[i] = data.frame[i];
		m.w[i] = data.width ? data.width[i] : data.total[AFTER][i];
		if (i && (first || m.row[i] !== m.row[i - 1]))
			end = m.x[parent];
		m.x[i] = end + (data.gap ? data.gap[i] : 0);
		end = m.x[i] + m.w[i];
		m.color[i] = data.color.charCodeAt(i) - 48;
		if (SIDES > 1)
			m.sign[i] = data.sign[i];
		for (let side = 0; side < SIDES; side++) {
			m.total[side][i] = data.total[side][i];
			m.self[side][i] = data.self[side][i];
		}
	}
	for (const i of data.inlined)
		m.inlined[i] = 1;
	for (let k = 0; k < data.rest.length; k += 2)
		m.rest.set(data.rest[k], data.rest[k + 1]);
	m.leafFirst = data.inverted;
	m.nCut = data.nCut;
	m.cutWidth = data.cutWidth;
	return m;
}

/* Functions with their own values and those with what they call, counted once where they call themselves. */
function functionsOf(m) {
	const list = frames.name.map((name, frame) => ({ frame, name, flat: zeros(), cum: zeros() }));
	const open = new Int32Array(frames.name.length), stack = [m.root];

	while (stack.length) {
		const i = stack.pop();
		if (i < 0) {
			open[m.frame[~i]]--;
			continue;
		}
		const [lo, hi] = m.children(i), f = list[m.frame[i]];
		if (f) {
			for (let side = 0; side < SIDES; side++) {
				f.flat[side] += m.flat(i, side) || 0;
				f.cum[side] += open[f.frame] ? 0 : m.total[side][i];
			}
			open[f.frame]++;
			stack.push(~i);
		}
		for (let c = lo; c < hi; c++)
			stack.push(c);
	}
	/* Where boxes are left out, the sums over all stacks were sent. */
	if (m === top_ && frames.cum)
		for (const f of list)
			for (let side = 0; side < SIDES; side++) {
				f.flat[side] = frames.flat[side][f.frame];
				f.cum[side] = frames.cum[side][f.frame];
			}
	return list.filter((f) => f.cum.some((v) => v));
}

/* What was left out is told wherever numbers are counted from boxes. */
function leftOutText(m) {
	if (!m.nCut)
		return "";
	if (m === top_ && frames.cum)
		return "; not those that only boxes left out have";
	return `; ${m.nCut.toLocaleString("en")} ${m.nCut === 1 ? "box" : "boxes"} left out, ` +
		`${write(m.cutWidth)} (${shareText(m.cutWidth, top_.w[top_.root])}) together`;
}
