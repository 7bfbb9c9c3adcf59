/*
 * flame_number.js - numbers formatted as in base/unit.c
 *
 * SPDX-License-Identifier: Apache-2.0
 */
"use strict";

/* Families of units: name, and factor to the smallest unit; base is used for values below every unit. */
const FAMILIES = [
	{ base: ["B", 1],
	  units: [["B", 1], ["kB", 2 ** 10], ["MB", 2 ** 20], ["GB", 2 ** 30], ["TB", 2 ** 40], ["PB", 2 ** 50]] },
	{ base: ["s", 1e9], units: [["ns", 1], ["us", 1e3], ["ms", 1e6], ["s", 1e9], ["hrs", 3.6e12]] },
	{ base: ["GCU", 1],
	  units: [["n*GCU", 1e-9], ["u*GCU", 1e-6], ["m*GCU", 1e-3], ["GCU", 1], ["k*GCU", 1e3],
		  ["M*GCU", 1e6], ["G*GCU", 1e9], ["T*GCU", 1e12], ["P*GCU", 1e15]] },
];

/* A number that is not negative with at most 2 decimals, halves rounded to even like printf. */
function fixed(v, decimals) {
	const part = v * 2 ** (decimals + 1), scale = 10 ** decimals;
	if (Number.isInteger(part) && part % 2) {
		const low = Math.floor(v * scale);
		return ((low + low % 2) / scale).toFixed(decimals);
	}
	return v.toFixed(decimals);
}

/* 0 <= v < 1 with two significant digits, like %.2g. */
function general2(v) {
	if (v === 0)
		return "0";
	let text = v.toExponential(1);
	const three = v.toExponential(2);
	if (Number.isInteger(v * 16) && Number(three) === v && three[3] === "5") {
		const low = Number(three[0] + three[2]);
		text = (low + low % 2) / 10 + three.slice(4);
	}
	const [digits, power] = text.split("e");
	if (Number(power) >= -4)
		return String(Number(text));
	return Number(digits) + "e-" + String(-Number(power)).padStart(2, "0");
}

/* The text of a percentage that is not negative. */
function percentText(p) {
	if (p >= 99.95 && p <= 100.05)
		return "100%";
	return (p >= 1 ? fixed(p, 2) : general2(p)) + "%";
}

function shareText(value, total) {
	return percentText(total ? Math.abs(value / total) * 100 : 0);
}

/*
 * Make a function that formats values of a profile. scale is { from, to, ratio }; from is null if the unit cannot be
 * converted.
 */
function valueWriter(scale) {
	const family = FAMILIES.find((f) => f.units.some((u) => u[0] === scale.from));
	const factor = family ? family.units.find((u) => u[0] === scale.from)[1] : 1;

	function convert(value) {
		if (!family)
			return [value, scale.to];
		const v = value * factor;
		let unit = family.base;
		if (scale.to !== "auto")
			unit = family.units.find((u) => u[0] === scale.to);
		else
			for (const u of family.units)
				if (v / u[1] >= 1)
					unit = u;
		return [v / unit[1], unit[0]];
	}

	return function (value) {
		const shown = scale.ratio > 0 && scale.ratio !== 1 ? Math.trunc(value * scale.ratio) : value;
		const [v, unit] = convert(Math.abs(shown));
		const text = fixed(v, 2).replace(/\.00$/, "");
		return text === "0" ? "0" : (shown < 0 ? "-" : "") + grouped(text) + unit;
	};
}

/* The change of a value: "+1.20s (+12.5%)". Like caption_add_change in viewers/flame/caption.c. */
function changeText(write, before, after, stays = false) {
	const share = Math.abs(after - before) / before * 100, sign = after > before ? "+" : "\u2212";
	if (before === after)
		return "none";
	if (share < 0.005)
		return sign + write(Math.abs(after - before));
	return sign + write(Math.abs(after - before)) + " " + (before === 0 ? (stays ? "(from 0)" : "(new)") :
		after === 0 && !stays ? "(gone)" :
		`(${sign}${grouped(fixed(share, share < 9.995 ? 2 : share < 99.95 ? 1 : 0))}%)`);
}
