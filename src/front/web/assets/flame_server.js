/*
 * flame_server.js - values that the server computes from all stacks: sums of a search, callers and callees
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The boxes that are drawn depend on the width of the window, so no number is a sum of them.
 */

const ANSWERS_MAX = 20, WIDTH_MAX = 1 << 24;

/* Sums of searches, or their errors, by address. */
const answers = new Map();

/* The callers and callees that were requested last: address, width and the data of both. */
let aroundData = null;

/* The search whose matches the requested boxes include, however narrow; "" for none. */
let keptSearch = "";

function searchAddress(s) {
	return dataAddress({ ...s, only: false, inv: false }, searchParams(s)).replace("data/flame", "data/search");
}

/* The parameters of a search. Like searchTest, an expression without capitals ignores case. */
function searchParams(s) {
	return { q: s.q, ...(s.text ? { text: "t" } : {}), ...(s.q === s.q.toLowerCase() ? { fold: "t" } : {}) };
}

function aroundAddress(s) {
	return dataAddress(s, { p: s.p }).replace("data/flame", "data/pivot");
}

server = {
	/* The answer for the search of a state; undefined until it has arrived. */
	answer: (s) => (s.q ? answers.get(searchAddress(s)) : undefined),

	/* A test of frames for the search of a state, an error message, or null until the answer has arrived. */
	test(s) {
		const answer = server.answer(s);
		if (!answer || answer.error)
			return answer ? answer.error : null;
		return Object.assign((frame) => answer.places.has(frames.place[frame]), { isLate: () => false });
	},

	/* If matches may be left out, request them all, then go to the next one. Returns whether it does. */
	loadsMatches(step) {
		const key = `${state.text} ${state.q}`;
		if (model !== top_ || top_.nCut === 0 || shown.kept === key)
			return false;
		keptSearch = key;
		showData().then(() => shown.kept === key && nextMatch(step));
		return true;
	},

	/* The callers and callees of the pivot of a state; null until they have arrived, or if there are none. */
	around(s) {
		const a = aroundData;
		if (!a || a.address !== aroundAddress(s) || !a.callees.nPivot)
			return null;
		return cachedModel(`around ${a.address} ${a.width}`, () => {
			const m = joinAround(a);
			return inShares ? shareModel(m) : m;
		});
	},
};

/* Request the sums of the search of the state, if they are unknown. */
async function requestSearch() {
	const own = searchTest(state.q, state.text), isInvalid = typeof own === "string" && !own.endsWith(TAKES_LONG);
	const address = own && !isInvalid ? searchAddress(state) : "";

	if (!address || answers.has(address)) {
		cancelRequest("search");
		keepMatches();
		return;
	}
	if (requests.has("search") && requests.get("search").address === address)
		return;
	let error = "";
	const text = await requestData(address, "search", true, (message) => (error = message));
	if (text === null && !error)
		return;
	const answer = error ? { error } : JSON.parse(text);
	for (const old of [...answers.keys()].slice(0, -ANSWERS_MAX))
		answers.delete(old);
	answers.set(address, error ? answer : { ...answer, places: new Set(answer.places) });
	if (!model || !state.q || searchAddress(state) !== address)
		return;
	search();
	keepMatches();
}

/* Request the boxes of all matches, if some are left out. */
function keepMatches() {
	const answer = server.answer(state), key = `${state.text} ${state.q}`;

	if (!answer || answer.error || keptSearch === key || !found || !found.match)
		return;
	const drawn = top_.match(test).total;
	if (!drawn.some((v, side) => answer.cum[side] * (1 - 1e-9) > v / shareFactor(side) * data.step))
		return;
	keptSearch = key;
	showData();
}

/* The parameters of a request whose boxes include the matches of the search. */
function keepParams(s) {
	return keptSearch && keptSearch === `${s.text} ${s.q}` ? { ...searchParams(s), keep: "t" } : {};
}

/* The width for which the callers and callees of the state are needed: larger if a part of them fills the window. */
function aroundWidth() {
	if (!model || !model.isAround)
		return windowWidth();
	const [x0, x1] = picture.view, width = windowWidth() * model.w[model.root] / (x1 - x0);
	return Math.min(2 ** Math.ceil(Math.log2(width)), WIDTH_MAX);
}

/* Request callers and callees of the pivot of a state, unless they have arrived. Returns whether a function matches. */
async function requestAround(s) {
	const address = aroundAddress(s), known = aroundData && aroundData.address === address ? aroundData : null;
	const isWhole = known && known.callees.nCut + known.callers.nCut === 0;
	const width = known ? aroundWidth() : windowWidth();

	if (known && (isWhole || known.width >= width || !known.callees.nPivot))
		return known.callees.nPivot > 0;
	const request = aroundAddress(s) + `&width=${width}`;
	if (requests.has("around") && requests.get("around").address === request)
		return true;
	const text = await requestData(request, "around", known !== null);
	if (text === null)
		return true;
	aroundData = { address, width, ...JSON.parse(text) };
	return aroundData.callees.nPivot > 0;
}

/* Show the callers and callees of the state, once they have arrived. */
async function showAround() {
	const wanted = state.p ? aroundAddress(state) : "", before = aroundData;

	if (!wanted) {
		cancelRequest("around");
		return;
	}
	const isFound = await requestAround(state);
	if (!model || !state.p || aroundAddress(state) !== wanted)
		return;
	if (!isFound)
		say(noPivotText(state.p), true);
	else if (aroundData && aroundData.address === wanted && (aroundData !== before || !model.isAround))
		showAgain();
}

/* Show the state with a new model, and the same selection if it has the same boxes. */
function showAgain() {
	const selectedKey = selected >= 0 && model.isAround ? model.keyOf(selected) : null;

	show(state);
	if (selectedKey !== null)
		select(Math.max(model.find(selectedKey), -1));
}

/* One model of the callers of a pivot, above it, and of its callees. */
function joinAround(a) {
	const isOne = a.callees.nPivot === 1, skip = isOne ? 1 : 0; /* of several, the first row has the functions themselves */
	const parts = [[readModel(a.callers), addFrames(a.callers), a.callers.step / data.step],
		       [readModel(a.callees), addFrames(a.callees), a.callees.step / data.step]];
	const [up] = parts[0], [down] = parts[1], m = new Model(up.n - 1 + down.n - skip);
	const newOf = [new Int32Array(up.n).fill(-1), new Int32Array(down.n).fill(-1)], rows = [];
	let at = 0;

	for (let r = up.rows - 1; r >= 1; r--)
		rows.push([0, r]);
	m.root = up.n - 1;
	newOf[0][0] = m.root;
	for (let r = skip; r < down.rows; r++)
		rows.push([1, r]);
	m.rowStart = [0];
	rows.forEach(([side, r], row) => {
		const part = parts[side][0];
		for (let i = part.rowStart[r]; i < part.rowStart[r + 1]; i++, at++) {
			newOf[side][i] = at;
			m.row[at] = row;
		}
		m.rowStart.push(at);
	});
	parts.forEach(([part, map, ratio], side) => {
		for (let i = 0; i < part.n; i++)
			if (newOf[side][i] >= 0 && !(side === 0 && i === 0))
				copyBox(part, i, ratio, m, newOf[side][i], part.frame[i] < 0 ? -1 : map[part.frame[i]],
					part.parent[i] < 0 ? -1 : newOf[side][part.parent[i]]);
	});
	m.w[m.root] = Math.max(m.w[m.root], up.w[0] * parts[0][2]);
	m.nCut = up.nCut + down.nCut;
	m.cutSides = parts.map(([part, , ratio]) => part.cutWidth * ratio);
	m.cutWidth = m.cutSides[0] + m.cutSides[1];
	m.isAround = true;
	m.rootName = isOne ? "" : `${grouped(a.callees.nPivot)} functions`;
	for (let i = 0; i < m.n; i++)
		paintBox(m, i);
	return m;
}

/* Copy a box to another model, with its values multiplied. */
function copyBox(from, i, factor, to, at, frame, parent) {
	to.parent[at] = parent;
	to.frame[at] = frame;
	to.x[at] = from.x[i] * factor;
	to.w[at] = from.w[i] * factor;
	for (let side = 0; side < SIDES; side++) {
		to.total[side][at] = from.total[side][i] * factor;
		to.self[side][at] = from.self[side][i] * factor;
	}
	to.inlined[at] = from.inlined[i];
	if (from.rest.has(i))
		to.rest.set(at, from.rest.get(i));
}
