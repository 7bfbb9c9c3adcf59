/*
 * flame_state.js - the state of the page: view, zoom and search, stored in the address
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The address is the only state: every step writes the address and then shows it, like back, forward and links.
 * Functions and boxes are identified by names, so an address also works for another picture of the profile.
 */

/* The boxes of the data; as in the data, and as shown. */
let dataModel = null, top_ = null;

/* Values that a server computes from all stacks: see src/front/web/assets/flame_server.js. null for a standalone page. */
let server = null;

const CACHE_MAX = 6; /* models to cache */
const models = new Map();

/* Read the current data. */
function resetModels() {
	const m = readModel();
	for (let i = 0; i < m.n; i++)
		if (m.frame[i] >= 0) {
			frameColor[m.frame[i]] = m.color[i];
			isColored[m.frame[i]] = 1;
		}
	setDataModel(m);
}

/* Show the boxes of the data, or their shares. */
function setDataModel(m) {
	models.clear();
	dataModel = m;
	top_ = inShares ? shareModel(m) : m;
	models.set("all", top_);
}

/* The cached model of a key, made on first use. */
function cachedModel(key, make) {
	if (!models.has(key)) {
		for (const old of [...models.keys()].slice(1, Math.max(1, models.size - CACHE_MAX)))
			models.delete(old);
		models.set(key, make());
	}
	return models.get(key);
}

/*
 * The stacks that a state shows: only those that match its search, if it wants only these and some do; else all. The
 * data of a server has only these stacks.
 */
function baseFor(s) {
	if (server)
		return top_;
	const test = s.only ? searchTest(s.q, s.text) : null;
	if (typeof test !== "function" || !top_.match(test).count)
		return top_;
	return cachedModel(`only ${s.text} ${s.q}`, () => matchingModel(top_, test));
}

/* A test for the functions of p: an expression for names or files, as in pprof. null if it is invalid or none match. */
function pivotTest(p) {
	const test = searchTest(p, false, true);
	return typeof test === "function" && frames.name.some((_, frame) => test(frame)) ? test : null;
}

/* The text of the search as an expression for the functions in the centre of callers and callees. */
function pivotText() {
	return state.text ? exactly(state.q).slice(1, -1) : state.q;
}

function noPivotText(p) {
	return `No function or file matches ${p}; upper and lower case differ here.`;
}

/* The model of the view of a state. */
function modelFor(s) {
	if (server && s.p)
		return server.around(s) || top_;
	const base = baseFor(s), of = base === top_ ? "" : ` only ${s.text} ${s.q}`, pivot = pivotTest(s.p);
	const other = () => cachedModel(`other${of}`, () => invertedModel(base));
	if (pivot) {
		const around = cachedModel(`around ${s.p}${of}`, () => aroundModel(data.inverted ? other() : base, pivot));
		if (around.w[around.root] > 0)
			return around;
	}
	return s.inv !== data.inverted ? other() : base;
}

/* An expression that matches exactly this name. Like shell_quote in src/front/shell. */
function exactly(name) {
	return "^" + name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&") + "$";
}

/*
 * p      callers and callees of the functions that match this expression; "" for none
 * z      key of the box that fills the width; "" for the root
 * x      visible range [from, to, side] as shares of the root; null for all of the box z
 * q      search; text: is it plain text? only: show only stacks with a match?
 * shares compare shares of the totals?
 * inv    do stacks start at the leaf?
 * turn   are the roots at the top?
 */
function firstState() {
	return { p: "", z: "", x: null, q: "", text: false, only: false, shares: false, ...firstOfPage() };
}

/* The state in the parameters of an address. Invalid parts have the value of the first state. */
function readState(get) {
	const s = firstState(), x = (get.get("x") || "").split("_").map(Number);
	const flag = (key) => (get.has(key) ? /^(t|true|y|yes|1)$/i.test(get.get(key)) : s[key]);

	s.p = (get.get("p") || "").slice(0, EXPRESSION_MAX);
	s.z = /^[0-9a-f]{16}$/.test(get.get("z") || "") ? get.get("z") : "";
	if (x.length === 3 && x[0] >= 0 && x[1] <= 1 && x[1] - x[0] > 1e-9 && Math.abs(x[2]) <= 1)
		s.x = x;
	s.q = (get.get("q") || "").slice(0, EXPRESSION_MAX);
	for (const key of FLAGS)
		s[key] = flag(key);
	return s;
}

const EXPRESSION_MAX = 4000, FLAGS = ["text", "only", "inv", "shares", "turn", "table"];

/* Write a state to the parameters of an address. */
function writeState(s, out) {
	const first = firstState();

	for (const key of ["p", "z", "q"])
		if (s[key])
			out.set(key, s[key]);
		else
			out.delete(key);
	if (s.x)
		out.set("x", s.x.map((v) => Number(v.toFixed(9))).join("_"));
	else
		out.delete("x");
	for (const key of FLAGS)
		if (s[key] !== first[key])
			out.set(key, s[key] ? "t" : "f");
		else
			out.delete(key);
}

const TAKES_LONG = "could take too long";

/* Cached tests, by search text and mode. */
const tests = new Map();

/*
 * A test of frames for a search text; null without a text, an error message for an invalid expression. isLate() of the
 * test reports whether it stopped early. withFile: match files too, and upper and lower case only as written.
 */
function searchTest(q, plain, withFile = false) {
	const key = `${plain} ${withFile} ${q}`;
	if (!q)
		return null;
	if (!tests.has(key)) {
		if (tests.size > CACHE_MAX)
			tests.clear();
		tests.set(key, withFile ? testOfFile(q) : newTest(q, plain));
	}
	return tests.get(key);
}

function testOfFile(q) {
	const test = expression(q, "");
	return test && ((frame) => test(frames.name[frame]) || test(data.files[frames.file[frame]]));
}

function newTest(q, plain) {
	const ignoresCase = q === q.toLowerCase();
	const name = plain && ignoresCase ? (frame) => frames.name[frame].toLowerCase() : (frame) => frames.name[frame];
	const test = plain ? (s) => s.includes(q) : expression(q, ignoresCase ? "i" : "");
	if (test)
		return Object.assign((frame) => test(name(frame)), { isLate: () => test.late === true });
	try {
		return `${new RegExp(q)} ${TAKES_LONG}`;
	} catch (e) {
		return e.message;
	}
}
