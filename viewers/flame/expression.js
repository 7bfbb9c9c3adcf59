// expression.js - regular expressions that cannot block a browser; shared by the scripts of SVG and page
// SPDX-License-Identifier: Apache-2.0
//
// A link can contain any expression, and browsers match by backtracking. So a search stops after two seconds, and
// expressions that could take longer for a single name are refused.

// The number of characters that an expression may read; 0 if it could take too long. n repetitions can cost the length
// of the name to the power of n + 1, and each choice between alternatives multiplies that. Nested repetitions, repeated
// alternatives and back references are refused.
function safeLength(pattern) {
	const STEPS = 1e8, MAX_REPEATS = 3, MIN_LENGTH = 50;
	const open = [];
	let repeats = 0, group = { all: 0, ways: 1, inner: false };
	for (let k = 0; k < pattern.length; k++) {
		const c = pattern[k];
		if (c === "\\") {
			if (/[1-9k]/.test(pattern[++k] || ""))
				return 0;
		} else if (c === "[") {
			while (++k < pattern.length && pattern[k] !== "]")
				if (pattern[k] === "\\")
					k++;
		} else if (c === "(") {
			open.push(group);
			group = { all: 0, ways: 1, inner: false };
			if (pattern[k + 1] === "?")
				k++;
		} else if (c === ")" && open.length) {
			if (group.inner && /[*+{]/.test(pattern[k + 1] || ""))
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
			repeats += c === "?" ? 0 : 1;
		}
	}
	const maxLength = Math.floor((STEPS * [1, 2, 6, 24][repeats] / (group.all + group.ways)) ** (1 / (repeats + 1)));
	return repeats <= MAX_REPEATS && maxLength >= MIN_LENGTH ? maxLength : 0;
}

// A test of names by an expression; null if it is invalid or could take too long. Once test.late is set, names
// that it has not seen do not match.
function expression(pattern, flags) {
	const LIMIT = 2000;
	const maxLength = safeLength(pattern), known = new Map();
	let re = null, spent = 0;
	for (const kind of maxLength ? ["u", ""] : []) {
		try {
			re = re || new RegExp(pattern, flags + kind);
		} catch (e) {
			continue;
		}
	}
	const test = s => {
		if (test.late || known.has(s))
			return known.get(s) === true;
		const start = performance.now();
		const hit = s.length <= maxLength ? re.test(s) : re.test(s.slice(0, maxLength)) || re.test(s.slice(-maxLength));
		known.set(s, hit);
		spent += performance.now() - start;
		test.late = spent > LIMIT;
		return hit;
	};
	test.late = false;
	return re && test;
}
