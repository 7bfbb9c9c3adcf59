/*
 * keys.js - switch off keys that are a single character
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Speech input may type such keys by accident (WCAG 2.1.4). The page Help has the switch; the browser stores it.
 */
{
	const name = "cpa-single-keys", field = document.getElementById("single-keys");

	/* A browser may refuse to store anything. */
	const stored = (use) => {
		try {
			return use(localStorage);
		} catch (e) {
			return null;
		}
	};
	addEventListener("keydown", (e) => {
		const isTyping = e.target instanceof Element && e.target.matches("input, textarea, select");

		if ([...e.key].length === 1 && e.key !== " " && !isTyping && !e.ctrlKey && !e.metaKey && !e.altKey &&
		    stored((s) => s.getItem(name)) === "off")
			e.stopImmediatePropagation();
	}, true);
	if (field) {
		field.closest("p").hidden = false;
		field.checked = stored((s) => s.getItem(name)) !== "off";
		field.addEventListener("change", () => stored((s) => s.setItem(name, field.checked ? "on" : "off")));
	}
}
