/*
 * flame_table.js - the table of functions
 *
 * SPDX-License-Identifier: Apache-2.0
 */

const ROWS_FIRST = 100;

/* Columns: key, title, sort value, text. */
const VALUE_COLUMNS = [
	["flat", "flat", (f) => f.flat[AFTER], (f) => write(f.flat[AFTER])],
	["flat%", "flat %", (f) => f.flat[AFTER], (f) => shareText(f.flat[AFTER] * data.step, data.total100)],
	["cum", "cum", (f) => f.cum[AFTER], (f) => write(f.cum[AFTER])],
	["cum%", "cum %", (f) => f.cum[AFTER], (f) => shareText(f.cum[AFTER] * data.step, data.total100)],
];
const CHANGE_COLUMNS = [
	["before", "cum before", (f) => f.cum[BEFORE], (f) => write(f.cum[BEFORE])],
	["after", "cum after", (f) => f.cum[AFTER], (f) => write(f.cum[AFTER])],
	["change", "cum change", (f) => f.cum[AFTER] - f.cum[BEFORE],
	 (f) => changeText(writeDifference, f.cum[BEFORE], f.cum[AFTER])],
	["state", "state", (f) => STATES.indexOf(stateText(f.cum)), (f) => stateText(f.cum)],
	["flat", "flat change", (f) => f.flat[AFTER] - f.flat[BEFORE],
	 (f) => (f.flat[AFTER] || f.flat[BEFORE] ? changeText(writeDifference, f.flat[BEFORE], f.flat[AFTER],
		f.cum[BEFORE] > 0 && f.cum[AFTER] > 0) : "0")],
];

/* The states of a function in a comparison. */
const STATES = ["=", "gone", "shrank", "grew", "new"];

function stateText([after, before]) {
	const share = Math.abs(after - before) / Math.max(after, before);
	return share < CHANGES.min ? "=" : before === 0 ? "new" : after === 0 ? "gone" : after > before ? "grew" : "shrank";
}

/* Columns that a narrow page hides. */
const SIDE_VALUES = new Set(["flat%", "cum%"]), SIDE_CHANGES = new Set(["before", "after"]);

class FunctionTable {
	/* A table in the order of an older one, if it has the same columns. */
	constructor(choose, old) {
		const isLike = old && old.sides === SIDES;

		this.sides = SIDES;
		this.list = [];
		this.model = null;
		this.sort = isLike ? old.sort : SIDES === 1 ? "flat" : "change";
		this.down = isLike ? old.down : true;
		this.limit = isLike ? old.limit : ROWS_FIRST;
		this.test = null;
		this.marked = -1;
		this.choose = choose;
		this.columns = SIDES === 1 ? VALUE_COLUMNS : CHANGE_COLUMNS;
		this.side = SIDES === 1 ? SIDE_VALUES : SIDE_CHANGES;
		this.drawHead();
		$("more").onclick = () => {
			this.limit = Infinity;
			this.draw();
		};
		$("rows").onclick = (e) => {
			const tr = e.target.closest("tr");
			if (tr)
				this.choose(Number(tr.dataset.frame));
		};
	}

	/* Add a column, before the name. */
	addColumn(column) {
		this.columns = [...this.columns.filter((c) => c[0] !== column[0]), column];
		this.drawHead();
		if (!$("list").hidden)
			this.draw();
	}

	drawHead() {
		const row = element("tr");
		for (const [key, title] of [...this.columns, ["name", "function"]]) {
			const button = element("button", "", title), th = element("th", this.classOf(key), button);
			button.type = "button";
			button.addEventListener("click", () => this.sortBy(key));
			th.scope = "col";
			th.dataset.key = key;
			row.append(th);
		}
		$("head").replaceChildren(row);
	}

	classOf(key) {
		return key === "name" ? "name" : this.side.has(key) ? "side" : SIDES > 1 && key === "flat" ? "extra" : "";
	}

	sortBy(key) {
		this.down = this.sort === key ? !this.down : key !== "name";
		this.sort = key;
		this.draw();
		$("list").scrollTop = 0;
	}

	/* Show the functions of a model. */
	show(model) {
		if (this.model === model)
			return;
		this.model = model;
		this.list = functionsOf(model);
		if (!$("list").hidden)
			this.draw();
	}

	/* Show only functions for which test(frame) holds; null shows all. */
	filter(test) {
		if (!test && !this.test)
			return;
		this.test = test;
		if (!$("list").hidden)
			this.draw();
	}

	/* Highlight the row of a function; -1 for none. */
	mark(frame) {
		this.marked = frame;
		for (const row of $("rows").children)
			row.classList.toggle("match", Number(row.dataset.frame) === frame);
	}

	draw() {
		const column = this.columns.find((c) => c[0] === this.sort), turn = this.down ? -1 : 1;
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
		this.mark(this.marked);
		$("more").hidden = list.length <= this.limit;
		$("missing").textContent = leftOutText(this.model);
		$("more").textContent = `Show all ${grouped(list.length)}`;
		$("count").textContent = `${grouped(list.length)} ${list.length === 1 ? "function" : "functions"}` +
			(this.test ? (list.length === 1 ? " that matches" : " that match") : this.model === top_ ? " in all" : " in stacks that match");
	}

	row(f) {
		const name = element("button", "", f.name), row = element("tr");
		name.type = "button";
		name.title = placeOf(f.frame);
		row.dataset.frame = f.frame;
		for (const [key, , value, text] of this.columns) {
			const changes = SIDES > 1 && (key === "change" || key === "flat");
			row.append(element("td", this.classOf(key) + (!changes || !value(f) ? "" : value(f) > 0 ? " more" : " less"),
				text(f)));
		}
		row.append(element("td", "name", name));
		return row;
	}
}
