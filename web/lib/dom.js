// SPDX-License-Identifier: GPL-2.0-or-later
// Making elements. Text is always text: nothing here parses HTML, so what a board printed cannot become markup.

/** h("a.button", {href: "/"}, "text", child, [children]): attributes that are functions become listeners, false and null leave an attribute out. */
export function h(name, attributes = {}, ...children) {
	const [tag, ...classes] = name.split(".");
	const element = document.createElement(tag || "div");
	if (classes.length)
		element.className = classes.join(" ");
	for (const [key, value] of Object.entries(attributes ?? {})) {
		if (typeof value === "function")
			element.addEventListener(key, value);
		else if (key in { value: 1, checked: 1, disabled: 1, selected: 1, hidden: 1 })
			element[key] = value;
		else if (value !== false && value !== null && value !== undefined)
			element.setAttribute(key, value === true ? "" : String(value));
	}
	add(element, children);
	return element;
}

function add(element, children) {
	for (const child of children.flat(Infinity))
		if (child !== null && child !== undefined && child !== false)
			element.append(child instanceof Node ? child : String(child));
}

export function replace(element, ...children) {
	element.replaceChildren();
	add(element, children);
	return element;
}

/** A table from rows; columns: [{head, cell(row), number, title}]. A caption is required: it is the table's name for those who cannot see it. */
export function table(caption, columns, rows, { empty = "Nothing here yet.", sticky = false } = {}) {
	const head = h("tr", {}, columns.map((c) => h("th", { scope: "col", class: c.number ? "number" : null, title: c.title ?? null }, c.head)));
	const body = rows.map((row) => h("tr", {}, columns.map((c, i) => cellOf(c, row, i === 0))));
	return h("div.scroll", { tabindex: "0", role: "region", "aria-label": caption },
		h("table", { class: sticky ? "sticky" : null }, h("caption", {}, caption), h("thead", {}, head), h("tbody", {}, body)),
		rows.length === 0 && h("p.empty", {}, empty));
}

function cellOf(column, row, first) {
	return h(first ? "th" : "td", { scope: first ? "row" : null, class: column.number ? "number" : null }, column.cell(row));
}

/** Say something to those who listen instead of look. */
export function announce(text) {
	document.getElementById("live").textContent = text;
}
