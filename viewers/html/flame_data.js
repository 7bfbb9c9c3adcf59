/*
 * flame_data.js - the data of a picture, and texts of its values
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Positions and values are in steps of data.step.
 */

const AFTER = 0, BEFORE = 1;
let data = null, frames = null, SIDES = 1, writeValue = null;

/* Colours of functions, without a comparison. */
let frameColor = null, isColored = null;

/* Colours of changes, from the legend, and where their steps start. Like viewers/flame/change.c. */
let CHANGES = null;

/* Show this data from now on. */
function useData(next) {
	data = next;
	frames = data.frames;
	frames.hash = null;
	SIDES = data.sides.length;
	writeValue = valueWriter(data.scale);
	frameColor = new Uint8Array(frames.name.length);
	isColored = new Uint8Array(frames.name.length);
	CHANGES = { min: 0.005, from: [0, 0.05, 0.2, 0.5] };
	for (const [color, sign] of data.legend)
		if (sign)
			CHANGES[sign] = Math.max(color, CHANGES[sign] || 0);
}

function zeros() {
	return new Array(SIDES).fill(0);
}

/* The text of a value or width in steps. */
function write(steps) {
	return inShares ? shareText(steps * data.step, data.sides[AFTER]) : writeValue(steps * data.step);
}

/* The text of the size of a change. */
function writeDifference(steps) {
	return inShares ? `${fixed(steps * data.step / data.sides[AFTER] * 100, 2)} points` : write(steps);
}

/*
 * The text of a value or width with its share of the total: the total of its side in a comparison, else of the report.
 */
function writeShare(steps, side) {
	if (inShares)
		return write(steps);
	return `${write(steps)} (${shareText(steps * data.step, SIDES > 1 ? data.sides[side] : data.total100)})`;
}

/*
 * Hashes of names and of paths of names, two numbers of 32 bits each. A path of names identifies a box in any picture
 * of the profile; its number does not. Like viewers/flame/way.c.
 */
const ROOT_HASH = [0x811c9dc5, 0x2f0b4f27], BACK_HASH = [0x3c6ef372, 0x5be0cd19];
const HASH_FACTOR = [0x01000193, 0x85ebca6b];

function mixHash(hash, a, b) {
	a = Math.imul(hash[0] ^ a, HASH_FACTOR[0]);
	b = Math.imul(hash[1] ^ b, HASH_FACTOR[1]);
	return [a ^ a >>> 15, b ^ b >>> 13];
}

function nameHash(name) {
	let hash = ROOT_HASH;
	for (const byte of new TextEncoder().encode(name))
		hash = mixHash(hash, byte, byte);
	return hash;
}

/* The hash of the name of a frame; that of "" for -1. */
function frameHash(frame) {
	frames.hash = frames.hash || new Map();
	if (!frames.hash.has(frame))
		frames.hash.set(frame, nameHash(frame < 0 ? "" : frames.name[frame]));
	return frames.hash.get(frame);
}

function hashText(hash) {
	return hash.map((v) => (v >>> 0).toString(16).padStart(8, "0")).join("");
}
