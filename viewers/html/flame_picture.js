/*
 * flame_picture.js - boxes on a canvas: places, visible range, drawing
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Only visible boxes are drawn. Boxes narrower than a pixel share one, so the work depends on the size of the canvas,
 * not on the number of boxes.
 */

const FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif";
const ROW = 19, GAP = 1, MIN_TEXT = 24, PAD = 4, SMALL_PAD = 1, SMALL = 10 / 12;
const MAX_PIXELS = 6e7; /* pixels of a canvas; browsers refuse more, which a print on a high-density screen would need */

class Picture {
	constructor(scroller, sheet, ink, over) {
		Object.assign(this, { scroller, sheet, ink, over });
		this.pen = ink.getContext("2d");
		this.top = over.getContext("2d");
		this.widths = new Map();
		this.labels = new Map();
		this.model = null;
		this.view = [0, 1];
		this.side = 0; /* side of the root that view applies to: 1 callees, -1 callers, 0 both */
		this.flip = false;
		this.mark = null;
		this.colors = [];
		this.page = {};
		this.full = this.height = 0;
		this.mayBeChance = null; /* in a comparison: hatch the boxes of frames for which this holds, if they changed */
	}

	setModel(model) {
		this.model = model;
		this.labels.clear();
		this.view = [0, model.w[model.root]];
		this.side = 0;
		this.resize();
	}

	/* Show a model with more boxes, in the same place. */
	replaceModel(model) {
		this.model = model;
		this.labels.clear();
		this.resize();
	}

	/* Adopt the size of the container. The visible part of a flame keeps its distance from the bottom. */
	resize() {
		const width = this.scroller.clientWidth, height = this.scroller.clientHeight, top = this.scroller.scrollTop;
		const ratio = Math.min(window.devicePixelRatio || 1, Math.sqrt(MAX_PIXELS / Math.max(width * height, 1)));
		/* At the bottom, the browser has already adjusted scrollTop to a larger window. */
		const bottom = top >= this.full - height - 1 ? 0 : this.full - top - this.height;
		this.width = width;
		this.height = height;
		for (const canvas of [this.ink, this.over]) {
			const w = Math.round(width * ratio), h = Math.round(height * ratio);
			if (canvas.width !== w || canvas.height !== h) {
				canvas.width = w;
				canvas.height = h;
			}
			canvas.style.width = width + "px";
			canvas.style.height = height + "px";
		}
		this.ratio = ratio;
		this.full = Math.max(height, this.model.rows * ROW + GAP);
		this.sheet.style.height = this.full + "px";
		if (!this.flip)
			this.scroller.scrollTop = this.full - bottom - height;
	}

	/* The top of a row on the sheet. The roots of a flame are at the bottom. */
	rowTop(row) {
		return this.flip ? row * ROW : this.full - (row + 1) * ROW;
	}

	/* The visible range of a row. */
	range(row) {
		const rootRow = this.model.row[this.model.root];
		const other = this.side && Math.sign(row - rootRow) === -this.side;
		return other ? [0, this.model.w[this.model.root]] : this.view;
	}

	/* The left edge and the width of a box on the screen. */
	place(box) {
		const [x0, x1] = this.range(this.model.row[box]), scale = this.width / (x1 - x0);
		return [(this.model.x[box] - x0) * scale, this.model.w[box] * scale];
	}

	/* The first box of a row that ends after x; the end of the row if there is none. */
	firstAt(row, x) {
		const m = this.model;
		let lo = m.rowStart[row], hi = m.rowStart[row + 1];
		while (lo < hi) {
			const mid = (lo + hi) >> 1;
			if (m.x[mid] + m.w[mid] <= x)
				lo = mid + 1;
			else
				hi = mid;
		}
		return lo;
	}

	/* The box under a point of the canvas; the nearest within a pixel and a half; -1 for none. */
	hit(px, py) {
		const y = py + this.scroller.scrollTop;
		const row = this.flip ? Math.floor(y / ROW) : Math.floor((this.full - y) / ROW);
		if (!this.model || row < 0 || row >= this.model.rows)
			return -1;
		const m = this.model, [x0, x1] = this.range(row), step = (x1 - x0) / this.width, x = x0 + px * step;
		const i = this.firstAt(row, x);
		if (i < m.rowStart[row + 1] && m.x[i] <= x)
			return i;
		if (i < m.rowStart[row + 1] && m.x[i] - x < step * 1.5)
			return i;
		if (i > m.rowStart[row] && x - m.x[i - 1] - m.w[i - 1] < step * 1.5)
			return i - 1;
		return -1;
	}

	draw() {
		const m = this.model, pen = this.pen;
		pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		pen.fillStyle = this.page.paper;
		pen.fillRect(0, 0, this.width, this.height);
		pen.font = FONT;
		pen.textBaseline = "middle";
		for (let row = 0; row < m.rows; row++) {
			const y = this.rowTop(row) - this.scroller.scrollTop;
			if (y < this.height && y + ROW > 0)
				this.drawRow(row, y);
		}
	}

	drawRow(row, y) {
		const m = this.model, end = m.rowStart[row + 1], [x0, x1] = this.range(row);
		const scale = this.width / (x1 - x0);
		let run = null;

		for (let i = this.firstAt(row, x0); i < end && m.x[i] < x1;) {
			const left = (m.x[i] - x0) * scale, width = m.w[i] * scale;
			if (width >= 1.5) {
				run = this.flush(run, y);
				this.drawBox(i, left, width, y);
				i++;
				continue;
			}
			/* Draw all boxes that start in this pixel as one, except for a wide one at the end. */
			const px = Math.floor(left);
			let next = this.firstFrom(row, i + 1, x0 + (px + 1) / scale);
			if (next - 1 > i && m.w[next - 1] * scale >= 1.5)
				next--;
			const fill = this.fillOf(i, next);
			if (run && run.fill === fill && run.end >= px - 1) {
				run.end = px;
			} else {
				run = this.flush(run, y);
				run = { fill, start: px, end: px };
			}
			i = next;
		}
		this.flush(run, y);
	}

	flush(run, y) {
		if (run) {
			this.pen.fillStyle = run.fill;
			this.pen.fillRect(run.start, y, Math.max(run.end - run.start + 1 - GAP / 2, 0.6), ROW - GAP);
		}
		return null;
	}

	/* The first box from i on that starts at or after x. */
	firstFrom(row, i, x) {
		const m = this.model;
		let lo = i, hi = m.rowStart[row + 1];
		while (lo < hi) {
			const mid = (lo + hi) >> 1;
			if (m.x[mid] < x)
				lo = mid + 1;
			else
				hi = mid;
		}
		return lo;
	}

	/* The colour of boxes that share a pixel: that of a marked box, else of the first. */
	fillOf(lo, hi) {
		for (let i = lo; this.mark && i < hi; i++)
			if (this.mark[i])
				return this.colors[this.model.color[i]].fill;
		const color = this.colors[this.model.color[lo]];
		return this.mark ? color.faint : color.fill;
	}

	drawBox(i, left, width, y) {
		const m = this.model, pen = this.pen, color = this.colors[m.color[i]];
		const faint = this.mark && !this.mark[i];
		const x = Math.max(left, 0), end = Math.min(left + width, this.width);
		const rest = m.rest.has(i);

		pen.fillStyle = rest ? this.page.rest : faint ? color.faint : color.fill;
		pen.fillRect(x, y, Math.max(end - x - GAP, 0.75), ROW - GAP);
		if (this.isHatched(i)) {
			pen.fillStyle = this.hatch();
			pen.fillRect(x, y, Math.max(end - x - GAP, 0.75), ROW - GAP);
		}
		if (this.mark && this.mark[i]) {
			pen.fillStyle = this.page.mark;
			pen.fillRect(x, y + ROW - GAP - 2, Math.max(end - x - GAP, 0.75), 2);
		}
		if (end - x < MIN_TEXT)
			return;
		const [text, isSmall] = this.label(i, end - x - GAP), pad = isSmall ? SMALL_PAD : PAD;
		pen.fillStyle = rest ? this.page.faint : faint ? this.page.faint : color.ink;
		if (isSmall)
			pen.font = FONT.replace("12px", "10px");
		if (text)
			pen.fillText(text, x + pad, y + (ROW - GAP) / 2 + 0.5);
		if (isSmall)
			pen.font = FONT;
	}

	isHatched(i) {
		const m = this.model;
		return this.mayBeChance !== null && m.frame[i] >= 0 && m.sign[i] !== "=" && this.mayBeChance(m.frame[i]);
	}

	/* Diagonal lines in the colour of the page. */
	hatch() {
		if (!this.hatching) {
			const tile = document.createElement("canvas"), pen = tile.getContext("2d"), size = 7;
			tile.width = tile.height = size;
			pen.strokeStyle = this.page.paper;
			pen.globalAlpha = 0.55;
			pen.lineWidth = 1.6;
			for (const x of [-size, 0, size]) {
				pen.moveTo(x, size);
				pen.lineTo(x + size, 0);
			}
			pen.stroke();
			this.hatching = this.pen.createPattern(tile, "repeat");
		}
		return this.hatching;
	}

	textWidth(text) {
		let width = this.widths.get(text);
		if (width === undefined) {
			width = this.pen.measureText(text).width;
			if (this.widths.size > 50000)
				this.widths.clear();
			this.widths.set(text, width);
		}
		return width;
	}

	/* The label of a box, its sign and its name, shortened to the width of the box; and whether its text is small, because
	   no name of the usual size fits. */
	label(i, width) {
		const key = i * 8192 + Math.min(Math.floor(width / 2), 8191), known = this.labels.get(key);
		if (known !== undefined)
			return known;
		const sign = SIGNS[this.model.sign[i]] || "";
		const label = this.shortLabel(this.model.name(i), sign, width);
		if (this.labels.size > 50000)
			this.labels.clear();
		this.labels.set(key, label);
		return label;
	}

	shortLabel(full, sign, width) {
		const room = [width - 2 * PAD, (width - 2 * SMALL_PAD) / SMALL];
		const [usual, small] = room.map((w, i) => shorten(full, (s) => this.textWidth(sign + s) <= w, i ? 1 : 2));
		if (usual || !small)
			return [usual ? sign + usual : this.textWidth(sign) <= room[0] ? sign : "", false];
		return [sign + small, true];
	}

	/* Draw frames around the central box, the box under the pointer and the selected box. */
	drawOver(hover, selected, center) {
		const pen = this.top;
		pen.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
		pen.clearRect(0, 0, this.width, this.height);
		this.frameBox(center, this.page.ink, 2);
		this.frameBox(hover, this.page.ink, 1);
		this.frameBox(selected, this.page.focus, 2);
	}

	frameBox(box, color, thick) {
		if (box < 0 || box >= this.model.n)
			return;
		const [left, width] = this.place(box), y = this.rowTop(this.model.row[box]) - this.scroller.scrollTop;
		const x = Math.max(left, 0), end = Math.min(left + Math.max(width, 3), this.width);
		if (end <= x)
			return;
		this.top.strokeStyle = color;
		this.top.lineWidth = thick;
		this.top.strokeRect(x + thick / 2, y + thick / 2, Math.max(end - x - thick - 0.5, 1), ROW - GAP - thick);
	}

	/* Scroll a row to the middle, as far as there are rows around it. */
	centre(row) {
		this.scroller.scrollTop = this.rowTop(row) - (this.height - ROW) / 2;
	}

	/* Scroll until a row is visible. */
	reveal(row) {
		const y = this.rowTop(row), s = this.scroller;
		if (y < s.scrollTop)
			s.scrollTop = y - ROW;
		else if (y + ROW > s.scrollTop + this.height)
			s.scrollTop = y + 2 * ROW - this.height;
	}
}

const SIGNS = { "+": "+ ", "-": "\u2212 ", n: "new ", g: "gone " };
