/*
 * flame_model.js - the boxes of a picture as columns
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Boxes are in order of rows, each from left to right. The children of a box are adjacent in the next row (callers: in
 * the previous row).
 */

/* The boxes of a picture. A row contains the boxes at the same distance from the root. */
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
		this.fine = new Float64Array(n); /* share of the root below which callees were omitted */
		this.root = 0;
		this.rowStart = [];
		this.nCut = 0;
		this.cutWidth = 0;
		this.kids = this.below = null;
		this.boxOf = new Map(); /* by key */
		this.leafFirst = false;
		this.rootName = ""; /* of a root that is neither all stacks nor one function */
		this.isAround = false; /* callers and callees? */
	}

	get rows() {
		return this.rowStart.length - 1;
	}

	/* First and last + 1 of the children of a box; back selects the callers' side, which matters for the root. */
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

	/* The flat value of a box; null if the tree does not contain it, since its stacks do not end there. */
	flat(box, side) {
		if (this.row[box] < this.row[this.root])
			return null;
		if (!this.leafFirst)
			return this.self[side][box];
		return this.parent[box] === this.root ? this.total[side][box] : null;
	}

	name(box) {
		if (this.rest.has(box))
			return (this.rest.get(box) ? grouped(this.rest.get(box)) : "some") + " narrower";
		return this.frame[box] < 0 ? this.rootName || data.root : frames.name[this.frame[box]];
	}

	/* The boxes from the root to a box. */
	path(box) {
		const list = [];
		for (let i = box; i >= 0; i = this.parent[i])
			list.unshift(i);
		return list;
	}

	/* The hash of the names from the root to a box, without the root; "" for the root. */
	keyOf(box) {
		let hash = this.row[box] < this.row[this.root] ? BACK_HASH : ROOT_HASH;
		for (const i of this.path(box).slice(1))
			hash = mixHash(hash, ...frameHash(this.frame[i]));
		const key = box === this.root ? "" : hashText(hash);
		this.boxOf.set(key, box);
		return key;
	}

	/* The box with this key, or the root; -1 if there is none. */
	find(key) {
		if (!key)
			return this.root;
		if (!this.boxOf.has(key))
			this.boxOf.set(key, this.search(key));
		return this.boxOf.get(key);
	}

	search(key) {
		const a = new Int32Array(this.n), b = new Int32Array(this.n), rootRow = this.row[this.root];
		const wanted = [key.slice(0, 8), key.slice(8)].map((text) => parseInt(text, 16) | 0);
		const hashes = frames.name.map((_, frame) => frameHash(frame)), none = frameHash(-1);
		let found = -1;
		this.fromRoot((i) => {
			const p = this.parent[i], own = this.frame[i] < 0 ? none : hashes[this.frame[i]];
			if (p < 0)
				return;
			const start = this.row[i] < rootRow ? BACK_HASH : ROOT_HASH, isTop = p === this.root;
			const x = Math.imul((isTop ? start[0] : a[p]) ^ own[0], HASH_FACTOR[0]);
			const y = Math.imul((isTop ? start[1] : b[p]) ^ own[1], HASH_FACTOR[1]);
			a[i] = x ^ x >>> 15;
			b[i] = y ^ y >>> 13;
			if (a[i] === wanted[0] && b[i] === wanted[1] && found < 0)
				found = i;
		});
		return found;
	}

	/* The width of the omitted callees of a box itself, in steps. */
	omitted(box) {
		const [lo, hi] = this.children(box);
		let own = this.self[AFTER][box];
		if (this.rest.has(box))
			return 0;
		if (SIDES > 1)
			own = Math.max(own, this.self[BEFORE][box]);
		let width = this.w[box] - own;
		for (let c = lo; c < hi; c++)
			if (!this.rest.has(c))
				width -= this.w[c];
		return width < 1e-9 * this.w[box] ? 0 : width; /* less is a rounding error */
	}

	/* The width of all omitted callees of a box and of the boxes below it. */
	omittedBelow(box) {
		if (!this.below) {
			const order = [];
			this.below = new Float64Array(this.n);
			this.fromRoot((i) => order.push(i));
			for (const i of order.reverse()) {
				this.below[i] += this.omitted(i);
				if (this.parent[i] >= 0)
					this.below[this.parent[i]] += this.below[i];
			}
		}
		return this.below[box];
	}

	/*
	 * The boxes for which test(frame) holds: a mark for each, their count, the sum of their totals (nested boxes
	 * count once), and the sum of their flat values.
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

/* The boxes in data. */
function readModel(from = data) {
	const m = new Model(from.frame.length);
	const after = [0];
	let parent = 0, end = 0;

	m.rowStart = from.rows;
	for (let r = 0; r < m.rows; r++)
		for (let i = m.rowStart[r]; i < m.rowStart[r + 1]; i++)
			m.row[i] = r;
	for (let i = 0; i < m.n; i++) {
		const first = i && from.parent[i];
		if (i) {
			parent += from.parent[i];
			m.parent[i] = parent;
		}
		m.frame[i] = from.frame[i];
		m.w[i] = from.width ? from.width[i] : from.total[AFTER][i];
		if (i && (first || m.row[i] !== m.row[i - 1]))
			end = m.x[parent];
		m.x[i] = end + (from.gap ? from.gap[i] : 0);
		end = m.x[i] + m.w[i];
		m.color[i] = from.color.charCodeAt(i) - 48;
		if (SIDES > 1)
			m.sign[i] = from.sign[i];
		for (let side = 0; side < SIDES; side++) {
			m.total[side][i] = from.total[side][i];
			m.self[side][i] = from.self[side][i];
		}
	}
	for (const i of from.inlined)
		m.inlined[i] = 1;
	for (let k = 0; k < from.rest.length; k += 2)
		m.rest.set(from.rest[k], from.rest[k + 1]);
	m.fine.fill(from.minShare);
	m.leafFirst = from.inverted;
	m.nCut = from.nCut;
	m.cutWidth = from.cutWidth;
	return m;
}

/* Functions with flat and cum; recursive calls count once. */
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
	/* If boxes are left out, the data has sums over all stacks. */
	if (m === top_ && frames.cum)
		for (const f of list)
			for (let side = 0; side < SIDES; side++) {
				f.flat[side] = frames.flat[side][f.frame] * shareFactor(side);
				f.cum[side] = frames.cum[side][f.frame] * shareFactor(side);
			}
	return list.filter((f) => f.cum.some((v) => v));
}

/* The note about boxes left out, for numbers that are sums of boxes. */
function leftOutText(m) {
	if (!m.nCut || (m === top_ && frames.cum))
		return "";
	return `; ${m.nCut > 0 ? grouped(m.nCut) : "some"} ${m.nCut === 1 ? "box" : "boxes"} left out, ` +
		`${write(m.cutWidth)} (${shareText(m.cutWidth, top_.w[top_.root])}) in total`;
}
