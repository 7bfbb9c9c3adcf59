// text.js - numbers and names formatted as in C (base/unit.c, short.c, name_syntax.c, columns.c), for SVG and page
// SPDX-License-Identifier: Apache-2.0

// A number with a comma before every three digits of its integer part.
function grouped(number) {
	return String(number).replace(/\d+/, digits => digits.replace(/\B(?=(\d{3})+$)/g, ","));
}

function isWord(c) {
	return c !== undefined && /[\w\u0080-\uffff]/.test(c);
}

const FILE = /\.(go|java|kt|scala|clj|groovy|[cm]?js|jsx|tsx?|pyx?|rb|php|lua|rs|c|h|cc|cpp|cxx|hpp|hh|S|tcc|inl)(:\d[^./]*)?$/;

// The tails of a qualified name that start with one of its last parts. Brackets belong to their part.
function partsOf(name) {
	const parts = [], scope = Math.max(name.lastIndexOf("::"), 0), path = /^[^ <([{]*/.exec(name)[0].lastIndexOf("/");
	let depth = 0, isPath = name[0] === "/" || FILE.test(name);
	for (let s = 0, n; s < name.length; s += n) {
		const c = name[s];
		if (c === "o" && name.startsWith("operator", s) && !isWord(name[s + 8]) && !isWord(name[s - 1])) {
			n = 8 + /^(\(\)|[<>[\]\-=*&!+|^%~/]*)/.exec(name.slice(s + 8, s + 24))[0].length;
			continue;
		}
		n = 1;
		if (c === "<" || c === "(" || c === "[" || c === "{") {
			depth++;
		} else if ((c === ">" && s > 0 && name[s - 1] !== "-") || c === ")" || c === "]" || c === "}") {
			depth -= depth > 0 ? 1 : 0;
		} else if (depth === 0 && c === " " && s >= scope) {
			isPath = true;
		} else if (depth === 0 && (c === "/" || (!isPath && s > path && (c === ":" || c === ".")))) {
			const next = name[s + 1];
			n = c === "/" ? 1 : c === ":" ? (next === ":" ? 2 : 0) : next && next !== "." ? 1 : 0;
			if (n && s + n < name.length && !/^(func\d|gowrap\d|[{<\d]|(operator|cold|constprop|isra|part|lto_priv|llvm)(?![\w\u0080-\uffff]))/
				.test(name.slice(s + n, s + n + 10)))
				parts.push(s + n);
			n = n || 1;
		}
	}
	return parts.slice(-8).map(at => name.slice(at));
}

// The width of a character: 2 for wide ones, 0 for combining marks.
function columnsOf(c) {
	const n = c.codePointAt(0);
	if (n < 0x300)
		return 1;
	if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(c) || (n >= 0x1160 && n <= 0x11ff))
		return 0;
	return (n >= 0x1100 && n <= 0x115f) || (n >= 0x2e80 && n <= 0xa4cf && n !== 0x303f) ||
		(n >= 0xa960 && n <= 0xa97c) || (n >= 0xac00 && n <= 0xd7a3) || (n >= 0xf900 && n <= 0xfaff) ||
		(n >= 0xfe10 && n <= 0xfe6f) || (n >= 0xff01 && n <= 0xff60) || (n >= 0xffe0 && n <= 0xffe6) ||
		/\p{Emoji_Presentation}/u.test(c) || (n >= 0x17000 && n <= 0x18d08) || (n >= 0x20000 && n <= 0x3fffd) ? 2 : 1;
}

function columns(s) {
	let n = 0;
	if (/^[ -~]*$/.test(s))
		return s.length;
	for (const c of s)
		n += columnsOf(c);
	return n;
}

// Split a text into characters with their combining marks.
function clusters(s) {
	const all = [];
	for (const c of s)
		if (all.length && columnsOf(c) === 0)
			all[all.length - 1] += c;
		else
			all.push(c);
	return all;
}

// As many characters of a text as fit, and dots; "" if fewer than least fit.
function cut(text, fits, least = 2) {
	if (fits(text))
		return text;
	const all = clusters(text), start = n => all.slice(0, n).join("") + "\u2026";
	let lo = 0, hi = all.length - 1;
	while (lo < hi) {
		const mid = (lo + hi + 1) >> 1;
		if (fits(start(mid)))
			lo = mid;
		else
			hi = mid - 1;
	}
	return lo >= least ? start(lo) : "";
}

// As many of the last parts of a name as fit, or the start of the last part.
function shorten(name, fits, least) {
	if (fits(name))
		return name;
	const parts = partsOf(name), part = parts.find(fits);
	return part === undefined ? cut(parts.length ? parts[parts.length - 1] : name, fits, least) : part;
}
