// parts.js - the parts of a qualified name, as package_scope.c and short.c know them; for the scripts of SVG and page
// SPDX-License-Identifier: Apache-2.0

function isWord(c) {
	return c !== undefined && /\w/.test(c);
}

const FILE = /\.(go|java|kt|scala|clj|groovy|[cm]?js|jsx|tsx?|pyx?|rb|php|lua|rs|c|h|cc|cpp|cxx|hpp|hh|S|tcc|inl)(:\d[^./]*)?$/;

// Where the last parts of a qualified name begin; brackets and what is in them belong to their part.
function partsOf(name) {
	const parts = [], scope = Math.max(name.lastIndexOf("::"), 0);
	let depth = 0, isPath = name[0] === "/" || FILE.test(name);
	for (let s = 0, n; s < name.length; s += n) {
		const c = name[s];
		if (c === "o" && name.startsWith("operator", s) && !isWord(name[s + 8]) && !isWord(name[s - 1])) {
			n = 8 + /^[<>()[\]\-=*&!+]*/.exec(name.slice(s + 8, s + 24))[0].length;
			continue;
		}
		n = 1;
		if (c === "<" || c === "(" || c === "[" || c === "{") {
			depth++;
		} else if ((c === ">" && s > 0 && name[s - 1] !== "-") || c === ")" || c === "]" || c === "}") {
			depth -= depth > 0 ? 1 : 0;
		} else if (depth === 0 && c === " " && s >= scope) {
			isPath = true;
		} else if (depth === 0 && (c === "/" || (!isPath && (c === ":" || c === ".")))) {
			const next = name[s + 1];
			n = c === "/" ? 1 : c === ":" ? (next === ":" ? 2 : 0) : next && next !== "." ? 1 : 0;
			if (n && s + n < name.length && !/^(func\d|gowrap\d|[{<\d]|operator(?!\w))/.test(name.slice(s + n, s + n + 9)))
				parts.push(s + n);
			n = n || 1;
		}
	}
	return parts.slice(-8).map(at => name.slice(at));
}
