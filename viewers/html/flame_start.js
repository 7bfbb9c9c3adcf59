/*
 * flame_start.js - the first picture of a standalone page
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* Enter in the search field. */
function enterSearch(event) {
	nextMatch(event.shiftKey ? -1 : 1);
}

/* Called after each change of the selection, and of the state. */
function onSelect() {
}

function onShow() {
}

openData(JSON.parse($("data").textContent));
document.documentElement.dataset.theme = data.theme;
$("theme").hidden = data.theme !== "auto";
readTheme();
fromAddress();
drawNow();
watchWindow();
