/*
 * flame_start.js - the first picture of a standalone page
 *
 * SPDX-License-Identifier: Apache-2.0
 */

/* Ctrl+Enter in the search field: callers and callees of the matching functions. */
function pivotSearch() {
	const p = pivotText();
	if (pivotTest(p))
		go({ p, z: "", x: null });
	else if (p)
		$("found").textContent = noPivotText(p);
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
