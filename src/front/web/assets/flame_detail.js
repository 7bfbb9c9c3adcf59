/*
 * flame_detail.js - load the boxes that were too narrow, when zooming makes room for them
 *
 * SPDX-License-Identifier: Apache-2.0
 */

const WIDE_BOX = 40; /* pixels of a box with omitted callees for which more boxes are requested */
const MIN_PIXELS = 0.5, WAY_MAX = 2000;

/* The width in pixels for which the boxes below a box were requested, by key of the box. */
let requestedWidths = new Map();
let detailTimer = 0;

/* The visible wide boxes with omitted callees that a request would return. */
function gaps(m) {
	const out = [], [x0, x1] = picture.view, scale = picture.width / (x1 - x0), whole = m.w[m.root];

	for (let row = m.row[zoomed()]; row < m.rows; row++)
		for (let i = picture.firstAt(row, x0), end = m.rowStart[row + 1]; i < end && m.x[i] < x1; i++)
			if (m.w[i] * scale >= WIDE_BOX && m.fine[i] * whole * scale > 2 * MIN_PIXELS &&
			    m.omitted(i) * scale > 2 * MIN_PIXELS)
				out.push(i);
	return out;
}

/* The lowest box above all of these boxes. */
function commonBox(m, boxes) {
	let path = m.path(boxes[0]);
	for (const box of boxes) {
		const other = m.path(box);
		path = path.filter((b, i) => other[i] === b);
	}
	return path[path.length - 1];
}

/* Request more boxes soon, if the picture has room for them. */
function wantDetail() {
	clearTimeout(detailTimer);
	detailTimer = setTimeout(requestDetail, 80);
}

async function requestDetail() {
	const m = top_;
	if (model && model.isAround)
		showAround();
	if (model !== m || !m || requests.has("flame"))
		return;
	const boxes = gaps(m);
	if (!boxes.length) {
		cancelRequest("detail");
		return;
	}
	let box = commonBox(m, boxes);
	if (box === m.root && boxes.length > 1)
		box = boxes.reduce((best, b) => (m.w[b] > m.w[best] ? b : best));
	const key = m.keyOf(box), [x0, x1] = picture.view, way = m.path(box).slice(1).map((b) => frames.place[m.frame[b]]);
	const width = Math.round(m.w[box] * picture.width / (x1 - x0));
	if ((requestedWidths.get(key) || 0) * 1.5 > width || way.length > WAY_MAX)
		return;
	const address = dataAddress(state, { ...keepParams(state), width, way: way.join(".") });
	if (requests.has("detail") && requests.get("detail").address === address)
		return;
	const text = await requestData(address, "detail", true);
	if (text === null || top_ !== m)
		return;
	requestedWidths.set(key, width);
	if (addDetail(m, box, way, JSON.parse(text)))
		wantDetail();
}

/* Replace the boxes below a box by those of a response. Returns false if it is for another profile. */
function addDetail(m, box, way, more) {
	const part = readModel(more), target = partBox(part, more, way);
	if (target < 0 || more.sides.length !== SIDES)
		return false;
	const selectedKey = selected >= 0 && model === m ? m.keyOf(selected) : null;
	setDataModel(mergeModels(dataModel, box, part, target, more.step / data.step, addFrames(more), more.minShare));
	if (model === m)
		showMerged(selectedKey);
	return true;
}

/* The box of a response at the end of the way; -1 if there is none. */
function partBox(part, more, way) {
	let box = part.root;
	for (const place of way) {
		const [lo, hi] = part.children(box);
		box = -1;
		for (let c = lo; c < hi; c++)
			if (part.frame[c] >= 0 && more.frames.place[part.frame[c]] === place)
				box = c;
		if (box < 0)
			return -1;
	}
	return box;
}

/* Add the functions of a response to those of the page. Returns the frame of each frame of the response. */
function addFrames(more) {
	const known = new Map(frames.place.map((place, i) => [place, i])), files = new Map(data.files.map((f, i) => [f, i]));
	const groupColor = new Map(), ratio = more.step / data.step, from = more.frames, map = [];
	const file = (text) => {
		if (!files.has(text)) {
			files.set(text, data.files.length);
			data.files.push(text);
		}
		return files.get(text);
	};

	frames.group.forEach((group, i) => isColored[i] && !groupColor.has(group) && groupColor.set(group, frameColor[i]));
	from.name.forEach((name, i) => {
		if (!known.has(from.place[i])) {
			known.set(from.place[i], frames.name.length);
			frames.name.push(name);
			frames.place.push(from.place[i]);
			for (const key of ["file", "module", "group"])
				frames[key].push(file(more.files[from[key][i]]));
			for (const key of ["lo", "hi"])
				frames[key].push(from[key][i]);
			for (const key of ["flat", "cum"])
				if (frames[key])
					frames[key].forEach((v, side) => v.push(from[key] ? from[key][side][i] * ratio : 0));
		}
		map.push(known.get(from.place[i]));
	});
	const named = new Set(frames.function.map(([frame]) => frame));
	for (const [frame, text] of from.function)
		if (!named.has(map[frame]))
			frames.function.push([map[frame], text]);
	const colors = new Uint8Array(frames.name.length), firstColor = colorsOf(more, map);
	const hasColor = new Uint8Array(colors.length);
	colors.set(frameColor);
	hasColor.set(isColored);
	for (let i = 0; i < colors.length; i++) {
		if (hasColor[i])
			continue;
		hasColor[i] = firstColor.has(i) ? 1 : 0;
		colors[i] = data.legend.length && groupColor.has(frames.group[i]) ? groupColor.get(frames.group[i]) :
			data.othersColor !== undefined && data.legend.length ? data.othersColor : firstColor.get(i) || 0;
	}
	frameColor = colors;
	isColored = hasColor;
	return map;
}

/* The colour that a response has for each function. */
function colorsOf(more, map) {
	const colors = new Map();
	more.frame.forEach((frame, i) => frame >= 0 && colors.set(map[frame], more.color.charCodeAt(i) - 48));
	return colors;
}

/* A model with the boxes of m, and below a box those of part below target. Widths of part are multiplied by ratio. */
function mergeModels(m, box, part, target, ratio, frameMap, minShare) {
	const inside = new Uint8Array(m.n), below = new Uint8Array(part.n);
	const oldRow = m.row[box], shift = oldRow - part.row[target];
	let n = 0;

	for (let i = 0; i < m.n; i++) {
		const p = m.parent[i];
		inside[i] = p >= 0 && (p === box || inside[p]) ? 1 : 0;
		n += 1 - inside[i];
	}
	for (let i = 0; i < part.n; i++) {
		const p = part.parent[i];
		below[i] = p >= 0 && (p === target || below[p]) ? 1 : 0;
		n += below[i];
	}
	const out = new Model(n), newOf = new Int32Array(m.n).fill(-1), newOfPart = new Int32Array(part.n).fill(-1);
	let at = 0;
	const add = (from, i, parent, x, factor, frame) => {
		copyBox(from, i, factor, out, at, frame, parent);
		out.x[at] = x;
		if (SIDES > 1)
			out.sign[at] = from.sign[i];
		out.color[at] = SIDES > 1 || frame < 0 ? from.color[i] : frameColor[frame];
		out.fine[at] = from === m ? m.fine[i] : minShare;
		return at++;
	};
	newOfPart[target] = -2;
	out.rowStart = [];
	for (let row = 0; ; row++) {
		const hasOld = row < m.rows, partRow = row - shift, hasPart = row > oldRow && partRow < part.rows;
		const start = at;
		out.rowStart.push(start);
		const end = hasOld ? m.rowStart[row + 1] : 0, partEnd = hasPart ? part.rowStart[partRow + 1] : 0;
		let i = hasOld ? m.rowStart[row] : 0;
		const addOld = (limit) => {
			for (; i < end && m.x[i] < limit; i++)
				if (!inside[i])
					newOf[i] = add(m, i, m.parent[i] < 0 ? -1 : newOf[m.parent[i]], m.x[i], 1, m.frame[i]);
		};
		addOld(row > oldRow ? m.x[box] : Infinity);
		for (let k = hasPart ? part.rowStart[partRow] : 0; k < partEnd; k++)
			if (below[k])
				newOfPart[k] = add(part, k, part.parent[k] === target ? newOf[box] : newOfPart[part.parent[k]],
					m.x[box] + (part.x[k] - part.x[target]) * ratio, ratio,
					part.frame[k] < 0 ? -1 : frameMap[part.frame[k]]);
		addOld(Infinity);
		for (let k = start; k < at; k++)
			out.row[k] = row;
		if (at === start)
			break;
	}
	out.fine[newOf[box]] = minShare;
	out.leafFirst = m.leafFirst;
	out.nCut = -1;
	out.cutWidth = out.omittedBelow(out.root);
	return out;
}

/* Show the merged boxes in place of the previous ones, with the same zoom and selection. */
function showMerged(selectedKey) {
	model = top_;
	zoomBox = model.find(state.z);
	zoomBox = zoomBox === model.root ? -1 : zoomBox;
	selected = selectedKey === null ? -1 : model.find(selectedKey);
	hover = -1;
	picture.replaceModel(model);
	table.show(model);
	search();
	showPath();
	showDetails();
	showDrawn();
	drawNow();
}

function omittedText(box, omitted) {
	const share = (width) => shareText(width, model.w[box]);

	if (model.isAround && box === model.root)
		return `${share(model.cutSides[0])} of the callers of ${model.name(box)}, ${share(model.cutSides[1])} of its callees, are`;
	return `${share(omitted)} of the width of ${model.name(box)} continues`;
}

/* The note about omitted boxes below the zoomed box. */
function showDrawn() {
	const box = zoomed(), isWhole = box === model.root, whole = model.w[box];
	const omitted = model.isAround && isWhole ? model.cutWidth : model.omittedBelow(box);
	const count = isWhole && model.nCut > 0 ? `${grouped(model.nCut)} ` : "";
	const all = SIDES > 1 ? `${writeValue(data.sides[BEFORE])} before and ${writeValue(data.sides[AFTER])} after` :
		writeValue(data.total100);
	$("drawn").textContent = !whole ? "" : `100 % is ${all}. ` + (omitted <= 0 ? "All boxes are drawn." :
		`${omittedText(box, omitted)} in ${count}boxes too narrow to draw. Zooming in shows them.`);
}
