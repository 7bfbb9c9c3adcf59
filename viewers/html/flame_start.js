/*
 * flame_start.js - the first picture, and what changes around the page
 *
 * SPDX-License-Identifier: Apache-2.0
 */

function fromAddress() {
	const address = addressOf(readAddress(location.hash));
	if (model && address === addressOf(state))
		return;
	clearTimeout(typing);
	show(readAddress(location.hash));
	$("q").value = state.q;
}

/* On paper are all rows up to a limit, the root's among them, in light colours. */
function paper(on) {
	const root = document.documentElement;
	if (on) {
		root.dataset.screen = root.dataset.theme;
		root.dataset.theme = "light";
		$("scroll").style.flex = "none";
		$("scroll").style.width = "1500px";
		$("scroll").style.height = Math.min(model.rows * ROW + 2, 8000) + "px";
	} else {
		root.dataset.theme = root.dataset.screen;
		$("scroll").removeAttribute("style");
	}
	readTheme();
	picture.resize();
	drawNow();
}

document.documentElement.dataset.theme = data.theme;
document.body.classList.add("live");
document.body.classList.toggle("compared", SIDES > 1);
$("theme").hidden = data.theme !== "auto";
readTheme();
fromAddress();
drawNow();
addEventListener("popstate", fromAddress);
addEventListener("hashchange", fromAddress);
addEventListener("beforeprint", () => paper(true));
addEventListener("afterprint", () => paper(false));
new ResizeObserver(() => {
	picture.resize();
	drawNow();
}).observe($("scroll"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
	readTheme();
	draw();
});
