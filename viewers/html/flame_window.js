/*
 * flame_window.js - events of the window: address, print, size, theme
 *
 * SPDX-License-Identifier: Apache-2.0
 */

function fromAddress() {
	const next = readAddress();
	if (model && addressOf(next) === addressOf(state))
		return;
	clearTimeout(typing);
	show(next);
	$("q").value = state.q;
}

/* Print all rows up to a limit, including the root, in light colours. */
function setPrinting(on) {
	const root = document.documentElement, style = $("scroll").style;
	if (on) {
		root.dataset.screen = root.dataset.theme || "auto";
		root.dataset.theme = "light";
		style.flex = "none";
		style.width = "1500px";
		style.height = Math.min(model.rows * ROW + 2, 8000) + "px";
	} else {
		root.dataset.theme = root.dataset.screen;
		style.flex = style.width = style.height = "";
	}
	readTheme();
	picture.resize();
	drawNow();
}

function watchWindow() {
	addEventListener("popstate", fromAddress);
	addEventListener("hashchange", fromAddress);
	addEventListener("beforeprint", () => setPrinting(true));
	addEventListener("afterprint", () => setPrinting(false));
	new ResizeObserver(() => {
		picture.resize();
		drawNow();
	}).observe($("scroll"));
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
		readTheme();
		draw();
	});
}
