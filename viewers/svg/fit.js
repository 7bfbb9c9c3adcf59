// fit.js - names shortened and lines broken as viewers/flame does it, for any width
// SPDX-License-Identifier: Apache-2.0

// 2 for wide characters, 0 for marks on others.
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

// Characters with the marks on them.
function clusters(s) {
	const all = [];
	for (const c of s)
		if (all.length && columnsOf(c) === 0)
			all[all.length - 1] += c;
		else
			all.push(c);
	return all;
}

function startOf(s, room) {
	let text = "";
	for (const c of clusters(s)) {
		room -= columns(c);
		if (room < 0)
			break;
		text += c;
	}
	return text;
}

function endOf(s, room) {
	const all = clusters(s);
	let first = all.length;
	while (first > 0 && columns(all[first - 1]) <= room)
		room -= columns(all[--first]);
	return all.slice(first).join("");
}

// One part that is too wide: without its arguments when it has some.
function narrow(part, room) {
	const id = /^[^<([{]*/.exec(part)[0].replace(/[:.]+$/, ""), left = room < 8 ? room - 1 : Math.floor(room / 2);
	if (id.length >= 3 && id !== part && columns(id) < room)
		return id + "\u2026";
	const whole = id.length >= 3 ? id : part;
	return startOf(whole, left) + "\u2026" + endOf(whole, room - left - 1);
}

function shorten(name, room) {
	if (columns(name) <= room)
		return name;
	if (room < 3)
		return "";
	const parts = partsOf(name);
	let tail = parts.find(p => columns(p) * 3 <= (room - 1) * 2);
	if (tail === undefined)
		tail = parts[parts.length - 1];
	const wide = tail === undefined ? 0 : columns(tail);
	if (tail === undefined || wide > room)
		return narrow(tail === undefined ? name : tail, room);
	if (wide < room)
		return (room - 1 - wide >= 3 ? startOf(name, room - 1 - wide) : "") + "\u2026" + tail;
	return tail;
}

// On up to so many lines, broken at blanks, the last of them shortened.
function wrap(s, room, most) {
	const lines = [];
	while (columns(s) > room && lines.length < most - 1) {
		let end = -1, used = 0;
		for (let k = 0; k < s.length && used <= room; k++) {
			if (s[k] === " ")
				end = k;
			used += columnsOf(s[k]);
		}
		if (end <= 0)
			break;
		lines.push(s.slice(0, end));
		s = s.slice(end + 1);
	}
	lines.push(shorten(s, room));
	return lines;
}
