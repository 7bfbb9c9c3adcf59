/*
 * flame_words.js - elements of the page, and what it says of boxes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Texts of a profile get into the page as textContent alone.
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

/* Where a frame is from: "file:3-9". */
function placeOf(frame) {
	const file = data.files[frames.file[frame]], lo = frames.lo[frame], hi = frames.hi[frame];
	if (!file || !lo)
		return file;
	return `${file}:${lo}${hi > lo ? "-" + hi : ""}`;
}

/* How a box that was not made by its own stack came to its value. */
function wayText(m, box) {
	let leaf = box;
	if (m.row[box] < m.row[m.root])
		return `of ${m.name(m.root)} ${m.leafFirst ? "went" : "came"} this way`;
	while (m.parent[m.parent[leaf]] >= 0)
		leaf = m.parent[leaf];
	return leaf === box ? "" : `of the flat value of ${m.name(leaf)} came this way`;
}

function valuesOf(m, box) {
	const total = writeShare(m.total[AFTER][box], AFTER), flat = m.flat(box, AFTER);
	if (m.parent[box] < 0 && m.frame[box] < 0)
		return [["total", total]];
	if (m.rest.has(box))
		return [["together", total]];
	if (flat !== null)
		return m.leafFirst ? [["flat", total]] : [["flat", writeShare(flat, AFTER)], ["cum", total]];
	return [["", `${total} ${wayText(m, box)}`]];
}

function changesOf(m, box) {
	const before = m.total[BEFORE][box], after = m.total[AFTER][box];
	const own = [m.flat(box, BEFORE), m.flat(box, AFTER)];
	const facts = [["before", writeShare(before, BEFORE)], ["after", writeShare(after, AFTER)],
		       ["change", changeText(write, before, after)]];
	if (m.frame[box] >= 0 && !m.leafFirst && (own[0] || own[1]))
		facts.push(["self", `${write(own[0])} \u2192 ${write(own[1])}, change ${changeText(write, ...own, before > 0 && after > 0)}`]);
	return facts;
}

/* What is to be told of a box: pairs of a word, which may be "", and a text. As viewers/flame/details.c. */
function factsOf(m, box) {
	const facts = SIDES > 1 ? changesOf(m, box) : valuesOf(m, box), frame = m.frame[box];
	if (frame < 0)
		return facts;
	for (const text of [placeOf(frame), data.files[frames.module[frame]], m.inlined[box] ? "(inlined)" : ""])
		if (text)
			facts.push(["", text]);
	return facts;
}

/* The name of a box in full. */
function titleOf(m, box) {
	const n = m.rest.get(box);
	if (n === undefined)
		return m.name(box);
	return `${n ? n.toLocaleString("en") : "some"} ${n === 1 ? "box that is" : "boxes that are"} too narrow to be drawn`;
}

/* The same in one line, for those who listen. */
function spoken(m, box) {
	return [titleOf(m, box), ...factsOf(m, box).map(([word, text]) => (word ? word + " " + text : text))].join(", ");
}

/* Fill the bar of details or the tooltip. Of a zoomed box, base, the share is told too. */
function showFacts(place, m, box, base) {
	const sign = m.sign[box];
	place.replaceChildren(element("strong", "name", (SIGNS[sign] || "") + titleOf(m, box)));
	for (const [word, text] of factsOf(m, box))
		place.append(element("span", "fact", word ? element("i", "", word + " ") : "", text));
	if (SIDES === 1 && box !== base && m.total[AFTER][base] !== top_.total[AFTER][top_.root] && m.path(box).includes(base))
		place.append(element("span", "fact", `${shareText(m.total[AFTER][box], m.total[AFTER][base])} of `,
			element("i", "", m.name(base))));
}
