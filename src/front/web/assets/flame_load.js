/*
 * flame_load.js - request data from the server, with progress and messages
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The server knows a tab by a random name and cancels an older request for the same slot of the same tab. Here only the
 * response to the newest request of a slot is used.
 */

const TAB = [...crypto.getRandomValues(new Uint32Array(2))].map((v) => v.toString(16)).join("");
const PROGRESS_MS = 300, POLL_MS = 250, RETRY_MS = 1000, TRIES_MAX = 3;

/* The newest request of each slot. */
const requests = new Map();

class ServerError extends Error {}

/* Show a message above the graph; "" for none. */
function say(text, isError = false) {
	$("wait").textContent = text;
	$("wait").className = isError ? "error" : "";
}

async function fetchData(address, slot, signal) {
	let response;

	/* An older request of the slot may reach the server later, and then replaces this one. */
	for (let tries = 0; tries < TRIES_MAX; tries++) {
		response = await fetch(address, { headers: { "X-Cpa-Tab": TAB, "X-Cpa-Slot": slot }, signal });
		if (response.status !== 503)
			break;
	}
	if (!response.ok)
		throw new ServerError((await response.text()).trim());
	return response.text();
}

/* Show the progress of a request until it ends. */
async function showProgress(own) {
	const signal = own.abort.signal;
	await new Promise((done) => setTimeout(done, PROGRESS_MS));
	while (!signal.aborted && !own.isDone) {
		let text = "Computing";
		try {
			const response = await fetch(`progress?tab=${TAB}`, { signal });
			const progress = response.ok ? await response.json() : {};
			if (progress.activity)
				text = progress.activity + (progress.percent >= 0 ? `, ${progress.percent} %` : "");
		} catch (e) {
			if (e.name === "AbortError")
				return;
		}
		if (!own.isDone && !signal.aborted && !own.isLost)
			say(text + " \u2026");
		await new Promise((done) => setTimeout(done, POLL_MS));
	}
}

/*
 * Request data. Older requests of the slot are cancelled. While the server is unreachable, the request is repeated.
 * isQuiet: show neither progress nor errors; refused is called with an error of the server. Returns the text of the
 * response; null if a newer request replaced this one, or it failed.
 */
async function requestData(address, slot, isQuiet = false, refused = null) {
	const own = { address, abort: new AbortController(), isDone: false, isLost: false };

	cancelRequest(slot);
	requests.set(slot, own);
	if (!isQuiet)
		showProgress(own);
	for (;;) {
		try {
			const got = await fetchData(address, slot, own.abort.signal);
			own.isDone = true;
			if (requests.get(slot) !== own)
				return null;
			requests.delete(slot);
			if (!isQuiet || own.isLost)
				say("");
			return got;
		} catch (e) {
			if (own.abort.signal.aborted)
				return null;
			if (e instanceof ServerError || isQuiet) {
				own.isDone = true;
				requests.delete(slot);
				if (!isQuiet)
					say(e.message, true);
				else if (refused && e instanceof ServerError)
					refused(e.message);
				return null;
			}
			own.isLost = true;
			say("The server is unreachable. It may have ended; this page continues when it runs again.", true);
			await new Promise((done) => setTimeout(done, RETRY_MS));
		}
	}
}

function cancelRequest(slot) {
	const old = requests.get(slot);
	if (old) {
		old.isDone = true;
		old.abort.abort();
		requests.delete(slot);
	}
}
