/*
 * flame_table.js - the table of functions
 *
 * SPDX-License-Identifier: Apache-2.0
 */

const FEW = 100;

/* Columns: key, title, what is sorted by, what is shown. */
const COLUMNS = SIDES === 1 ? [
	["flat", "flat", (f) => f.flat[AFTER], (f) => write(f.flat[AFTER])],
	["flat%", "flat %", (f) => f.flat[AFTER], (f) => shareText(f.flat[AFTER] * data.step, data.total100)],
	["cum", "cum", (f) => f.cum[AFTER], (f) => write(f.cum[AFTER])],
	["cum%", "cum %", (f) => f.cum[AFTER], (f) => shareText(f.cum[AFTER] * data.step, data.total100)],
] : [
	["flat", "flat change", (f) => f.flat[AFTER] - f.flat[BEFORE],
	 (f) => (f.flat[AFTER] || f.flat[BEFORE] ?
		changeText(write, f.flat[BEFORE], f.flat[AFTER], f.cum[BEFORE] > 0 && f.cum[AFTER] > 0) : "0")],
	["before", "cum before", (f) => f.cum[BEFORE], (f) => write(f.cum[BEFORE])],
	["after", "cum after", (f) => f.cum[AFTER], (f) => write(f.cum[AFTER])],
	["change", "cum change", (f) => f.cum[AFTER] - f.cum[BEFORE],
	 (f) => changeText(write, f.cum[BEFORE], f.cum[AFTER])],
];

/* Columns that a narrow page does without. */
const SIDE_COLUMNS = new Set(SIDES === 1 ? ["flat%", "cum%"] : ["flat", "before"]);

class FunctionTable {
	constructor(choose) {
		this.list = [];
		this.model = null;
		this.sort = SIDES === 1 ? "flat" : "change";
		this.down = true;
		this.limit = FEW;
		this.test = null;
		this.choose = choose;
		const row = element("tr");
		for (const [key, title] of [...COLUMNS, ["name", "function"]]) {
			const button = element("button", "", title), th = element("th", key === "name" ? "name" : SIDE_COLUMNS.has(key) ? "side" : "", button);
			button.type = "button";
			button.addEventListener("click", () => this.sortBy(key));
			th.scope = "col";
			th.dataset.key = key;
			row.append(th);
		}
		$("head").replaceChildren(row);
		$("more").addEventListener("click", () => {
			this.limit = Infinity;
			this.draw();
		});
		$("rows").addEventListener("click", (e) => {
			const tr = e.target.closest("tr");
			if (tr)
				this.choose(Number(tr.dataset.frame));
		});
	}

	sortBy(key) {
		this.down = this.sort === key ? !this.down : key !== "name";
		this.sort = key;
		this.draw();
		$("list").scrollTop = 0;
	}

	/* The functions of a model. */
	show(model) {
		if (this.model === model)
			return;
		this.model = model;
		this.list = functionsOf(model);
		if (!$("list").hidden)
			this.draw();
	}

	/* Only functions for which test(frame) holds; null for all. */
	filter(test) {
		this.test = test;
		if (!$("list").hidden)
			this.draw();
	}

	draw() {
		const column = COLUMNS.find((c) => c[0] === this.sort), turn = this.down ? -1 : 1;
		const bySize = this.sort === "change" || (SIDES > 1 && this.sort === "flat");
		const size = (f) => (bySize ? Math.abs(column[2](f)) : column[2](f));
		const byName = (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);
		const list = this.list.filter((f) => !this.test || this.test(f.frame));

		list.sort(column ? (a, b) => turn * (size(a) - size(b) || 0) || byName(a, b) :
			(a, b) => -turn * byName(b, a));
		$("rows").replaceChildren(...list.slice(0, this.limit).map((f) => this.row(f)));
		for (const th of $("head").querySelectorAll("th"))
			if (th.dataset.key === this.sort)
				th.setAttribute("aria-sort", this.down ? "descending" : "ascending");
			else
				th.removeAttribute("aria-sort");
		$("more").hidden = list.length <= this.limit;
		$("missing").textContent = leftOutText(this.model);
		$("more").textContent = `Show all ${list.length}`;
		$("count").textContent = `${list.length} ${list.length === 1 ? "function" : "functions"}` +
			(this.test ? (list.length === 1 ? " that matches" : " that match") : this.model === top_ ? " in all" : " in stacks that match");
	}

	row(f) {
		const name = element("button", "", f.name), row = element("tr");
		name.type = "button";
		name.title = placeOf(f.frame);
		row.dataset.frame = f.frame;
		for (const [key, , value, text] of COLUMNS) {
			const changes = SIDES > 1 && (key === "change" || key === "flat");
			row.append(element("td", (SIDE_COLUMNS.has(key) ? "side " : "") +
				(!changes || !value(f) ? "" : value(f) > 0 ? "more" : "less"), text(f)));
		}
		row.append(element("td", "name", name));
		return row;
	}
}
