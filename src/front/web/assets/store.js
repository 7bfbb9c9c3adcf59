/*
 * store.js - select windows of a store by dragging on the chart
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A window consists of whole steps. It is put into the fields of the form, whose page then shows it. Of two windows the
 * earlier one is "before", whichever was dragged first.
 */
{
	const chart = document.getElementById("store-chart");
	const form = document.getElementById("store-windows");
	const compare = document.getElementById("store-compare");
	const start = Number(chart.dataset.t0), step = Number(chart.dataset.step), steps = Number(chart.dataset.steps);
	const width = chart.viewBox.baseVal.width;
	let drag = null;

	/* The step at a position of the pointer. */
	const stepAt = (event) => {
		const box = chart.getBoundingClientRect();
		const at = Math.floor((event.clientX - box.left) / box.width * steps);

		return Math.max(0, Math.min(steps - 1, at));
	};
	const show = () => {
		const from = Math.min(drag.from, drag.to), to = Math.max(drag.from, drag.to) + 1;

		drag.rect.setAttribute("x", from / steps * width);
		drag.rect.setAttribute("width", (to - from) / steps * width);
		return [from, to];
	};
	const timeOf = (n) => new Date(start + n * step).toISOString().slice(0, 19).replace("T", " ");
	const fieldsOf = (name) => [form.elements[`${name}0`], form.elements[`${name}1`]];
	const windowOf = (name) => fieldsOf(name).map((field) => field.value);
	const setWindow = (name, times) => fieldsOf(name).forEach((field, i) => { field.value = times[i]; });
	/* Replace the window of the drag, or add it to a single one. */
	const select = (times, isBase) => {
		const other = windowOf(isBase ? "w" : "b");
		const both = other[0] ? [other, times].sort((a, b) => a[0] < b[0] ? -1 : 1) : [["", ""], times];

		setWindow("b", both[0]);
		setWindow("w", both[1]);
		form.requestSubmit();
	};
	const cancel = () => {
		if (!drag)
			return;
		drag.rect.setAttribute("x", drag.before[0]);
		drag.rect.setAttribute("width", drag.before[1]);
		drag = null;
	};

	document.getElementById("store-drag").hidden = false;
	chart.classList.add("draggable");
	chart.addEventListener("pointerdown", (event) => {
		if (event.button !== 0)
			return;
		const isBase = event.shiftKey || compare.checked;
		const rect = chart.querySelector(isBase ? "rect.base" : "rect.window");

		event.preventDefault();
		drag = { rect, isBase, from: stepAt(event), before: [rect.getAttribute("x"), rect.getAttribute("width")] };
		drag.to = drag.from;
		chart.setPointerCapture(event.pointerId);
		show();
	});
	chart.addEventListener("pointermove", (event) => {
		if (!drag)
			return;
		drag.to = stepAt(event);
		show();
	});
	chart.addEventListener("pointerup", () => {
		if (!drag)
			return;
		const [from, to] = show(), isBase = drag.isBase;

		drag = null;
		select([timeOf(from), timeOf(to)], isBase);
	});
	chart.addEventListener("pointercancel", cancel);
	addEventListener("keydown", (event) => {
		if (event.key === "Escape")
			cancel();
	});
}
