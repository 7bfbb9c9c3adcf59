/*
 * flame_details.js - elements of the page, and texts about boxes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Texts of a profile enter the page only as textContent.
 */

const $ = (id) => document.getElementById(id);

/* An element with a class, texts and elements in it. */
function element(tag, name, ...inside) {
	const e = document.createElement(tag);
	if (name)
		e.className = name;
	e.append(...inside);
	return e;
}

/* The source of a frame: "file:3-9". */
function placeOf(frame) {
	const file = data.files[frames.file[frame]], lo = frames.lo[frame], hi = frames.hi[frame];
	if (!file || !lo)
		return file;
	return `${file}:${lo}${hi > lo ? "-" + hi : ""}`;
}

/* The meaning of a value that is neither flat nor cum: "of the flat value of read on this path". */
function pathText(m, box) {
	let leaf = box;
	if (m.row[box] < m.row[m.root])
		return `of ${m.name(m.root)} on this path`;
	while (m.parent[m.parent[leaf]] >= 0)
		leaf = m.parent[leaf];
	return leaf === box ? "" : `of the flat value of ${m.name(leaf)} on this path`;
}

/* The flat value of a box; null if it has none. That of the function between its callers and callees is over all stacks. */
function flatOf(m, box, side) {
	const f = m.isAround && box === m.root && table.list.find((row) => row.frame === m.frame[box]);
	return f ? f.flat[side] : m.flat(box, side);
}

function valuesOf(m, box) {
	const total = writeShare(m.total[AFTER][box], AFTER), flat = flatOf(m, box, AFTER);
	if (m.parent[box] < 0 && m.frame[box] < 0)
		return [["total", total]];
	if (m.rest.has(box))
		return [["sum", total]];
	if (flat !== null)
		return m.leafFirst ? [["flat", total]] : [["flat", writeShare(flat, AFTER)], ["cum", total]];
	return [["", `${total} ${pathText(m, box)}`]];
}

function changesOf(m, box) {
	const before = m.total[BEFORE][box], after = m.total[AFTER][box];
	const own = [flatOf(m, box, BEFORE), flatOf(m, box, AFTER)];
	const facts = [["before", writeShare(before, BEFORE)], ["after", writeShare(after, AFTER)],
		       ["change", changeText(writeDifference, before, after)]];
	if (m.frame[box] >= 0 && !m.leafFirst && (own[0] || own[1]))
		facts.push(["flat", `${write(own[0])} \u2192 ${write(own[1])}, change ${changeText(writeDifference, ...own, before > 0 && after > 0)}`]);
	return facts;
}

/* The details that a tooltip shows: only values. */
function tipFacts(m, box) {
	return SIDES > 1 ? changesOf(m, box) : valuesOf(m, box);
}

/* Further details of a box that only some pages have: pairs as below. */
let moreFacts = () => [];

/* The details of a box: pairs of a word, which may be "", and a text. Like viewers/flame/details.c. */
function factsOf(m, box) {
	const facts = tipFacts(m, box), frame = m.frame[box];
	if (frame < 0)
		return facts;
	for (const text of [placeOf(frame), data.files[frames.module[frame]], m.inlined[box] ? "(inlined)" : ""])
		if (text)
			facts.push(["", text]);
	return facts;
}

/* The full name of a box. */
function titleOf(m, box) {
	const n = m.rest.get(box);
	if (n === undefined)
		return m.name(box);
	return `${n ? grouped(n) : "some"} ${n === 1 ? "box" : "boxes"} too narrow to draw`;
}

/* The details in one line, for screen readers. */
function detailsLine(m, box) {
	return [titleOf(m, box), ...factsOf(m, box).map(([word, text]) => (word ? word + " " + text : text))].join(", ");
}

/* Elements with the name of a box and some of its details. */
function nameAndFacts(m, box, facts) {
	return [element("strong", "name", (SIGNS[m.sign[box]] || "") + titleOf(m, box)),
		...facts.map(([word, text]) => element("span", "fact", word ? element("i", "", word + " ") : "", text))];
}

/* Fill the details bar. The share of the zoomed box, base, is shown too. */
function showFacts(place, m, box, base) {
	place.replaceChildren(...nameAndFacts(m, box, [...factsOf(m, box), ...moreFacts(box)]));
	if (SIDES === 1 && box !== base && m.total[AFTER][base] !== top_.total[AFTER][top_.root] && m.path(box).includes(base))
		place.append(element("span", "fact", `${shareText(m.total[AFTER][box], m.total[AFTER][base])} of `,
			element("i", "", m.name(base))));
}
