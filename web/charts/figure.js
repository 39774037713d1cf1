// SPDX-License-Identifier: GPL-2.0-or-later
// The frame every chart hangs in: title, subtitle, drawing, a line of facts for pointer and keyboard, and below it, in a fixed place, the same query as CSV, JSON,
// picture, permalink and table.

import { h, replace } from "../lib/dom.js";
import { savePainted, savePng, saveSvg } from "./picture.js";

const hint = "Point at a mark, or move to it with Tab, to read it here.";
const drawn = new Set();

/* Everything that is on the page again: another theme, another width. What has left the page is forgotten. */
function paintAll(when = () => true) {
	for (const chart of drawn)
		if (!chart.place.isConnected) drawn.delete(chart);
		else if (when(chart)) chart.paint();
}

document.addEventListener("themechange", () => paintAll());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => paintAll());
const sizes = new ResizeObserver(() => paintAll((chart) => Math.abs(chart.place.clientWidth - chart.width) > 4));

/**
 * figure({title, subtitle, name, source, draw(width, facts) -> Element, table, csv, json, rows, extra, permalink}) -> Element. draw may be a promise, and is called again
 * when theme or width change. name is the file name of the pictures; csv and json are addresses of the same query; rows is what csv has; hint replaces the first
 * words of the facts line.
 */
export function figure(options) {
	const place = h("div.plot"),
		facts = h("p.facts", { "aria-live": "polite" }, options.hint ?? hint);
	const chart = { place, width: 0, paint: () => paint(chart, options, facts) };

	drawn.add(chart);
	sizes.observe(place);
	requestAnimationFrame(() => place.isConnected && chart.width === 0 && chart.paint());
	return h(
		"figure",
		{},
		h("figcaption", {}, h("h2", {}, options.title), h("p", {}, options.subtitle)),
		place,
		facts,
		actions(options, place),
		options.table,
	);
}

async function paint(chart, options, facts) {
	chart.width = chart.place.clientWidth;
	try {
		const drawing = await options.draw(chart.width, facts);
		replace(chart.place, drawing);
	} catch (e) {
		console.error(e);
		replace(
			chart.place,
			h(
				"p.failure",
				{ role: "alert" },
				"The chart cannot be drawn (are its libraries built? see docs/dashboard.md); the table below has the numbers.",
			),
		);
	}
}

function actions({ title, subtitle, name, source = "", csv, json, rows, extra, permalink = () => location.href }, place) {
	const words = { title, subtitle, source };
	const svg = () => place.querySelector("svg"),
		canvas = () => place.querySelector("canvas");
	const said = h("span.note", { role: "status" });
	const button = (text, label, click) => h("button.small", { type: "button", "aria-label": label, click }, text);
	const picture = () => (svg() ? savePng(svg(), words, name) : canvas() && savePainted(canvas(), words, name));

	return h(
		"div.actions",
		{},
		csv && h("a.button", { href: csv, download: "" }, rows === undefined ? "CSV" : `CSV, ${rows} ${rows === 1 ? "row" : "rows"}`),
		extra,
		json && h("a.button", { href: json }, "JSON"),
		csv && button("SVG", "Save the chart as SVG", () => svg() && saveSvg(svg(), words, name)),
		button("PNG", "Save the chart as PNG", picture),
		button("Copy permalink", "Copy permalink", () => copy(permalink(), said)),
		said,
	);
}

async function copy(address, said) {
	try {
		await navigator.clipboard.writeText(address);
		said.textContent = "Copied.";
	} catch {
		said.textContent = address;
	}
}
