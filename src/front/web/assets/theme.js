/*
 * theme.js - the theme that the reader chose, for all pages of this server
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The flame graph has a button for it; L works on every page. Without a choice, pages follow the browser.
 */
{
	const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");

	/* A browser may refuse to store anything. */
	const stored = (use) => {
		try {
			return use(localStorage);
		} catch (e) {
			return null;
		}
	};
	const theme = stored((s) => s.getItem("cpa-theme"));

	if (theme === "light" || theme === "dark")
		root.dataset.theme = theme;
	new MutationObserver(() => {
		if (!matchMedia("print").matches)
			stored((s) => s.setItem("cpa-theme", root.dataset.theme || ""));
	}).observe(root, { attributeFilter: ["data-theme"] });
	document.addEventListener("keydown", (e) => {
		const isTyping = e.target.matches("input, textarea, select");
		if (e.key !== "L" || isTyping || e.ctrlKey || e.metaKey || e.altKey || document.getElementById("flame"))
			return;
		const isDark = root.dataset.theme ? root.dataset.theme === "dark" : dark.matches;
		root.dataset.theme = isDark ? "light" : "dark";
	});
}
