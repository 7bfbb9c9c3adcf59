/*
 * menu.js - menus by keyboard, filters for the selected functions, copy, save
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything here also works without scripts as links and forms. A script of a view marks selected functions with an
 * attribute: data-selected has a name, data-selected-expression an expression.
 */

const menus = [...document.querySelectorAll("header .menu")];
const parametersAtStart = new URLSearchParams(location.search);

function quoteName(name) {
	return "^" + name.replace(/[\\.+*?()|[\]{}^$]/g, "\\$&") + "$";
}

/* The typed expression or, if there is none, the selected functions as an expression. */
function refineValue() {
	const field = document.querySelector("#search, #q");
	const typed = field && field.value !== field.defaultValue ? field.value : "";
	const selected = [...document.querySelectorAll("[data-selected], [data-selected-expression]")]
		.map(({ dataset }) => dataset.selected ? quoteName(dataset.selected) : dataset.selectedExpression);

	return typed || [...new Set(selected.filter(Boolean))].join("|");
}

/* Point the entries of Refine to this page with the filter; without a value they lead to the field of the filter. */
function updateRefine(menu) {
	const value = refineValue();

	for (const link of menu.querySelectorAll("[data-refine]")) {
		const key = link.dataset.refine, url = new URL(location.href), old = url.searchParams.get(key);

		url.hash = "";
		url.searchParams.set(key, "add" in link.dataset && old ? old + "|" + value : value);
		link.dataset.form = link.dataset.form || link.getAttribute("href");
		link.href = value ? url.href : link.dataset.form;
	}
}

/* Scripts of a view change parameters of the address, such as p. Links to the same view keep them. */
function updateLinks(menu) {
	const now = new URLSearchParams(location.search);
	const changed = [...new Set([...now.keys(), ...parametersAtStart.keys()])]
		.filter((key) => now.get(key) !== parametersAtStart.get(key));

	for (const link of menu.querySelectorAll("li > a[href]:not([data-refine])")) {
		const url = new URL(link.href);

		if (url.pathname !== location.pathname || "reset" in link.dataset)
			continue;
		for (const key of changed)
			if (now.has(key))
				url.searchParams.set(key, now.get(key));
			else
				url.searchParams.delete(key);
		link.href = url.href;
	}
}

function closeMenus(except = null) {
	for (const menu of menus)
		if (menu !== except)
			menu.open = false;
}

function menuItems(menu) {
	return [...menu.querySelectorAll("li :is(a, button, input:not([type=hidden]))")];
}

function openAndFocus(menu, at) {
	menu.open = true;
	closeMenus(menu);
	const items = menuItems(menu);
	if (items.length)
		items.at(at).focus();
}

function onMenuKey(e) {
	const menu = e.currentTarget, summary = menu.querySelector("summary"), items = menuItems(menu);
	const at = items.indexOf(document.activeElement), isTyping = document.activeElement.matches("input");
	const next = menus[(menus.indexOf(menu) + { ArrowRight: 1, ArrowLeft: menus.length - 1 }[e.key]) % menus.length];

	if (e.ctrlKey || e.metaKey || e.altKey)
		return;
	if (e.key === "Escape" && menu.open) {
		menu.open = false;
		summary.focus();
	} else if (e.key === "ArrowDown") {
		openAndFocus(menu, menu.open ? (at + 1) % items.length : 0);
	} else if (e.key === "ArrowUp") {
		openAndFocus(menu, menu.open ? at - 1 : -1);
	} else if (next && !isTyping && menu.open) {
		openAndFocus(next, 0);
	} else if (next && !isTyping) {
		next.querySelector("summary").focus();
	} else {
		return;
	}
	e.preventDefault();
	e.stopPropagation();
}

for (const menu of menus) {
	menu.addEventListener("keydown", onMenuKey);
	menu.addEventListener("toggle", () => {
		if (!menu.open)
			return;
		closeMenus(menu);
		updateLinks(menu);
		updateRefine(menu);
	});
}
document.addEventListener("pointerdown", (e) => {
	if (!e.target.closest("header .menu"))
		closeMenus();
});
document.addEventListener("focusin", (e) => closeMenus(e.target.closest("header .menu")));

/* Open a menu by its title, and go to its first entry. */
function openMenu(title) {
	const menu = menus.find((m) => m.querySelector("summary").textContent.startsWith(title));

	if (menu) {
		menu.open = true;
		menuItems(menu)[0].focus();
	}
}

/* Keys of all pages, as in the full screen; help.c lists them. */
const pageKeys = {
	"/": () => document.getElementById("search")?.select(),
	c: () => document.querySelector(".chips a")?.focus(),
	s: () => openMenu("Export"),
	t: () => openMenu("Sample"),
	y: () => document.querySelector("[data-copy=command]")?.click(),
	R: () => document.querySelector("[data-fetch-again], header .menu a[href^=capture]")?.click(),
};

/* The keys that the View and Compare menus show open their views. Scripts of a view come first: they prevent the
   default. */
addEventListener("keydown", (e) => {
	if (e.defaultPrevented || e.ctrlKey || e.metaKey || e.altKey || e.isComposing ||
		e.target.matches("input, textarea, select") || document.querySelector("dialog[open]"))
		return;
	const hint = [...document.querySelectorAll("header .menu kbd")].find((kbd) => kbd.textContent === e.key);

	if (hint) {
		updateLinks(hint.closest(".menu"));
		hint.parentNode.querySelector("a").click();
	} else if (Object.hasOwn(pageKeys, e.key)) {
		pageKeys[e.key]();
	} else {
		return;
	}
	e.preventDefault();
});

/* An entry that leads to a field of the form opens the form. */
document.addEventListener("click", (e) => {
	const link = e.target.closest("a[href^='#option-']");
	const field = link && document.getElementById(link.getAttribute("href").slice(1));

	if (!field)
		return;
	e.preventDefault();
	closeMenus();
	field.closest("details").open = true;
	field.focus();
	field.scrollIntoView({ block: "nearest" });
});

/* Ctrl+Enter in the search field sets the filter. Enter does too, unless the script of the view goes to the next match. */
document.getElementById("search")?.addEventListener("keydown", (e) => {
	if (e.key !== "Enter" || !(e.ctrlKey || e.metaKey) || e.isComposing)
		return;
	e.preventDefault(); /* some browsers submit the form too */
	e.target.form.requestSubmit();
});

/* Empty fields mean "as started", so they are left out of the address. */
for (const form of document.querySelectorAll("form[data-skips-empty], form.search"))
	form.addEventListener("submit", () => {
		const empty = [...form.elements].filter((e) => e.name && !e.value && !e.disabled);

		for (const field of empty)
			field.disabled = true;
		setTimeout(() => empty.forEach((field) => { field.disabled = false; }));
	});

for (const button of document.querySelectorAll("[data-confirm]"))
	button.addEventListener("click", (e) => {
		if (!confirm(button.getAttribute("aria-label") + "?"))
			e.preventDefault();
	});

for (const button of document.querySelectorAll("[data-copy]")) {
	button.hidden = !navigator.clipboard;
	button.addEventListener("click", async () => {
		try {
			await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
			button.textContent = "copied";
		} catch (e) {
			button.textContent = "the browser does not allow copying";
		}
	});
}
