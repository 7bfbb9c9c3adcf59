// expression.js - expressions that cannot keep a browser busy; for the scripts of SVG and page
// SPDX-License-Identifier: Apache-2.0
//
// An address comes from a stranger, and a browser tries one way after the other. So a search has two
// seconds, and a single name can take no longer: expressions that could are not used.

// How much of a name an expression may look at; 0 when it could take for ever. n repetitions may try
// as many ways as the name has characters to the power of n + 1, and each choice between alternatives multiplies
// them. Repetition of what repeats or chooses, and references to what was found are not allowed.
function reach(words) {
	const STEPS = 1e8, MANY = 3, LEAST = 50;
	const open = [];
	let many = 0, group = { all: 0, ways: 1, inner: false };
	for (let k = 0; k < words.length; k++) {
		const c = words[k];
		if (c === "\\") {
			if (/[1-9k]/.test(words[++k] || ""))
				return 0;
		} else if (c === "[") {
			while (++k < words.length && words[k] !== "]")
				if (words[k] === "\\")
					k++;
		} else if (c === "(") {
			open.push(group);
			group = { all: 0, ways: 1, inner: false };
			if (words[k + 1] === "?")
				k++;
		} else if (c === ")" && open.length) {
			if (group.inner && /[*+{]/.test(words[k + 1] || ""))
				return 0;
			const around = open.pop();
			around.ways *= group.all + group.ways;
			around.inner = around.inner || group.inner;
			group = around;
		} else if (c === "|") {
			group.all += group.ways;
			group.ways = 1;
			group.inner = true;
		} else if (/[*+{?]/.test(c)) {
			group.inner = true;
			group.ways *= c === "?" ? 2 : 1;
			many += c === "?" ? 0 : 1;
		}
	}
	const far = Math.floor((STEPS * [1, 2, 6, 24][many] / (group.all + group.ways)) ** (1 / (many + 1)));
	return many <= MANY && far >= LEAST ? far : 0;
}

// An expression as a test of names; null when it is none, or could take too long. Once test.late is set it
// tests no more.
function expression(words, flags) {
	const LIMIT = 2000;
	const far = reach(words), known = new Map();
	let re = null, spent = 0;
	for (const kind of far ? ["u", ""] : []) {
		try {
			re = re || new RegExp(words, flags + kind);
		} catch (e) {
			continue;
		}
	}
	const test = s => {
		if (test.late || known.has(s))
			return known.get(s) === true;
		const start = performance.now();
		const hit = s.length <= far ? re.test(s) : re.test(s.slice(0, far)) || re.test(s.slice(-far));
		known.set(s, hit);
		spent += performance.now() - start;
		test.late = spent > LIMIT;
		return hit;
	};
	test.late = false;
	return re && test;
}
