/*
 * flame_verdict.js - the gate's verdicts on functions of a comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* Verdicts that do not exclude chance: the page hatches these boxes. */
const CHANCE = new Set(["unresolved", "ok", "skipped"]);

/* Verdicts in the order of the table, first the least important. */
const VERDICTS = ["", "skipped", "ok", "unresolved", "gone", "improved", "moved", "new", "suspect", "fail"];

/* Rows of the gate by name of the function; those of cum replace those of flat, as boxes show cum. */
let verdicts = new Map(), gateText = "";

async function loadVerdicts() {
	const text = await requestData(dataAddress({ ...state, inv: false }).replace("data/flame", "data/verdicts"), "verdicts", true);
	if (text === null)
		return;
	const gate = JSON.parse(text);
	verdicts = new Map();
	const why = gate.error || gate.missing;
	gateText = `Gate: ${gate.verdict.toUpperCase()}${why ? `, ${why}` : ""}. `;
	for (const row of gate.rows || [])
		if (row.kind === "flat" || row.kind === "cum")
			for (const name of [row.name, row.name_before, ...row.aliases || []])
				if (name && (row.kind === "cum" || !verdicts.has(name)))
					verdicts.set(name, row);
	showVerdicts();
}

/* A verdict as cpa gate prints it. */
function verdictWord(row) {
	return row ? row.verdict.toUpperCase() : "not tested";
}

function verdictOf(frame) {
	return frame >= 0 ? verdicts.get(functionOf(frame)) : undefined;
}

function showVerdicts() {
	if (SIDES === 1 || !gateText)
		return;
	const link = element("a", "", "Why?");
	link.href = linkTo("gate", {});
	$("gate").replaceChildren(gateText, link);
	picture.mayBeChance = (frame) => CHANCE.has((verdictOf(frame) || {}).verdict);
	table.addColumn(["verdict", "verdict", (f) => VERDICTS.indexOf((verdictOf(f.frame) || { verdict: "" }).verdict),
		(f) => verdictWord(verdictOf(f.frame))]);
	moreFacts = (box) => {
		const row = verdictOf(model.frame[box]);
		return row ? [["verdict", verdictWord(row) + (row.reason ? `: ${row.reason}` : "")]] : [];
	};
	showDetails();
	drawLegend();
	drawNow();
}
