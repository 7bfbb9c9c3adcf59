/*
 * flame_state.js - what is seen: view, zoom and search, kept in the address
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The address is the only state: a step writes it and then shows what it says, as back, forward and
 * links do.
 */

const top_ = readModel();
for (let i = 0; i < top_.n; i++)
	if (top_.frame[i] >= 0)
		frameColor[top_.frame[i]] = top_.color[i];

/* What tells this picture from others: boxes and functions are numbers in it, which another one has for others. */
const pictureMark = (() => {
	let h = 0x811c9dc5; /* FNV-1a */
	for (let i = 0, s = document.getElementById("data").textContent; i < s.length; i++)
		h = Math.imul(h ^ s.charCodeAt(i), 0x01000193);
	return (h >>> 0).toString(36);
})();

const MANY = 6; /* models to keep */
const models = new Map([["all", top_]]);

/* A model under a key, made when it is first asked for. */
function keep(key, make) {
	if (!models.has(key)) {
		for (const old of [...models.keys()].slice(1, Math.max(1, models.size - MANY)))
			models.delete(old);
		models.set(key, make());
	}
	return models.get(key);
}

/* What a state looks at: all stacks, or those that match its search when it asks for no others and there are such. */
function baseFor(s) {
	const test = s.only ? searchTest(s.q, s.text) : null;
	if (typeof test !== "function" || !top_.match(test).count)
		return top_;
	return keep(`only ${s.text} ${s.q}`, () => matchingModel(top_, test));
}

/* The model of the view of a state. */
function modelFor(s) {
	const base = baseFor(s), of = base === top_ ? "" : ` only ${s.text} ${s.q}`;
	if (s.view === "around")
		return keep(`around ${s.frame}${of}`, () => aroundModel(base, s.frame));
	return s.view === "other" ? keep(`other${of}`, () => invertedModel(base)) : base;
}

function firstState() {
	return { view: "all", frame: 0, box: -1, x: null, q: "", text: false, only: false, turn: data.icicle, table: false };
}

/* The state that an address names; what makes no sense in it, or is a place in another picture, is as in the first. */
function readAddress(hash) {
	const s = firstState(), get = new URLSearchParams(hash.replace(/^#/, ""));
	const isOurs = get.get("of") === pictureMark;
	const number = (key) => (isOurs && /^\d{1,9}$/.test(get.get(key) || "") ? Number(get.get(key)) : -1);

	if (get.get("view") === "other")
		s.view = "other";
	if (get.get("view") === "around" && number("f") >= 0 && number("f") < frames.name.length) {
		s.view = "around";
		s.frame = number("f");
	}
	s.box = number("box");
	const x = (get.get("x") || "").split("_").map(Number);
	if (isOurs && x.length === 3 && x[0] >= 0 && x[1] <= 1 && x[1] - x[0] > 1e-9 && Math.abs(x[2]) <= 1)
		s.x = x;
	s.q = (get.get("q") || "").slice(0, 1000);
	s.text = get.get("text") === "1";
	s.only = get.get("only") === "1";
	if (get.has("turn"))
		s.turn = get.get("turn") === "1";
	s.table = get.get("table") === "1";
	return s;
}

function addressOf(s) {
	const first = firstState(), out = new URLSearchParams();

	if (s.view === "around" || s.box >= 0 || s.x)
		out.set("of", pictureMark);
	if (s.view !== "all")
		out.set("view", s.view);
	if (s.view === "around")
		out.set("f", s.frame);
	if (s.box >= 0)
		out.set("box", s.box);
	if (s.x)
		out.set("x", s.x.map((v) => Number(v.toFixed(9))).join("_"));
	if (s.q)
		out.set("q", s.q);
	if (s.text)
		out.set("text", "1");
	if (s.only)
		out.set("only", "1");
	if (s.turn !== first.turn)
		out.set("turn", s.turn ? "1" : "0");
	if (s.table)
		out.set("table", "1");
	return "#" + out.toString();
}

/* Tests that were made, by what is searched and how. */
const tests = new Map();

/*
 * A test of frames for what is searched; null when nothing is, a text when the expression has an error. Its
 * isLate() tells whether it gave up before it was through.
 */
function searchTest(q, plain) {
	const key = `${plain} ${q}`;
	if (!q)
		return null;
	if (!tests.has(key)) {
		if (tests.size > MANY)
			tests.clear();
		tests.set(key, newTest(q, plain));
	}
	return tests.get(key);
}

function newTest(q, plain) {
	const small = q === q.toLowerCase();
	const name = plain && small ? (frame) => frames.name[frame].toLowerCase() : (frame) => frames.name[frame];
	const test = plain ? (s) => s.includes(q) : expression(q, small ? "i" : "");
	if (test)
		return Object.assign((frame) => test(name(frame)), { isLate: () => test.late === true });
	try {
		return `${new RegExp(q)} could take too long`;
	} catch (e) {
		return e.message;
	}
}
