// SPDX-License-Identifier: GPL-2.0-or-later
// Making elements. Text is always text: nothing here parses HTML, so what a board printed cannot become markup.

const properties = new Set(["value", "checked", "disabled", "selected", "hidden", "open"]);

/** h("a.button", {href: "/"}, "text", child, [children]): attributes that are functions become listeners, false and null leave an attribute out. */
export function h(name, attributes = {}, ...children) {
	const [tag, ...classes] = name.split(".");
	const element = document.createElement(tag || "div");
	if (classes.length) element.className = classes.join(" ");
	for (const [key, value] of Object.entries(attributes ?? {})) set(element, key, value);
	add(element, children);
	return element;
}

function set(element, key, value) {
	if (typeof value === "function") element.addEventListener(key, value);
	else if (properties.has(key) && value !== null && value !== undefined) element[key] = value;
	else if (value !== false && value !== null && value !== undefined) element.setAttribute(key, value === true ? "" : String(value));
}

function add(element, children) {
	for (const child of children.flat(Infinity))
		if (child !== null && child !== undefined && child !== false) element.append(child instanceof Node ? child : String(child));
}

export function replace(element, ...children) {
	element.replaceChildren();
	element.shows = undefined;
	add(element, children);
	return element;
}

/** replace(), but the focus stays on the element with the same id. */
export function mount(element, ...children) {
	const focused = element.contains(document.activeElement) ? document.activeElement.id : "";
	replace(element, children);
	if (focused && focused !== element.id) document.getElementById(focused)?.focus({ preventScroll: true });
}

/** Fill element with make(data) unless data is what it shows already: news that change nothing disturb nothing. */
export function refresh(element, data, make) {
	const text = JSON.stringify(data);
	if (element.shows === text) return;
	mount(element, make(data));
	element.shows = text;
}

/**
 * A table from rows; columns: [{head, cell(row), number, title, wide}]. A caption is required: it is the table's name for those who cannot see it. more(row): what
 * stands across the whole width below a row, or nothing.
 */
export function table(caption, columns, rows, { empty = "Nothing here yet.", more = () => null, quiet = false } = {}) {
	if (rows.length === 0) return h("p.empty", {}, empty);
	const head = h(
		"tr",
		{},
		columns.map((c) => h("th", { scope: "col", class: c.number ? "number" : null, title: c.title ?? null }, c.head)),
	);
	const body = rows.map((row) => {
		const below = more(row);
		return [
			h(
				"tr",
				{ class: below ? "has-more" : null },
				columns.map((c, i) => cellOf(c, row, i === 0)),
			),
			below && h("tr.more", {}, h("td", { colspan: columns.length }, below)),
		];
	});
	return h(
		"div.scroll",
		{ tabindex: "0", role: "region", "aria-label": caption },
		h("table", {}, h("caption", { class: quiet ? "unseen" : null }, caption), h("thead", {}, head), h("tbody", {}, body)),
	);
}

function cellOf(column, row, first) {
	return h(
		first ? "th" : "td",
		{ scope: first ? "row" : null, class: column.number ? "number" : column.wide ? "wide" : null },
		column.cell(row),
	);
}

/** A list of names and values [name, value, "wide" for a line of its own]; entries without a value are left out. */
export function facts(entries) {
	return h(
		"dl",
		{},
		entries
			.filter((e) => e && e[1] !== null && e[1] !== undefined && e[1] !== "" && e[1] !== false)
			.map(([name, value, width]) => h("div", { class: width }, h("dt", {}, name), h("dd", {}, value))),
	);
}

/** Say something to those who listen instead of look. */
export function announce(text) {
	document.getElementById("live").textContent = text;
}
