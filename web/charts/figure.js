// SPDX-License-Identifier: GPL-2.0-or-later
// The frame every chart hangs in: title, subtitle, drawing, a line of facts for pointer and keyboard, the same query as table, CSV, JSON, picture and permalink.

import { h, replace } from "../lib/dom.js";

/**
 * figure({title, subtitle, name, draw() -> Element, table: Element, csv, json}) -> Element. draw is called again when the theme changes. name is the file name of
 * the pictures, csv and json are addresses of the same query.
 */
export function figure({ title, subtitle, name, draw, table, csv, json, rows }) {
	const place = h("div.plot");
	const facts = h("p.facts", { "aria-live": "polite" }, "Point at a mark, or move to it with Tab, to read it here.");
	const paint = () => replace(place, draw(facts));
	const svg = () => place.querySelector("svg[role=img], svg");
	const copied = h("span.note", { role: "status" });

	paint();
	document.addEventListener("themechange", paint);
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
	return h("figure", {},
		h("figcaption", {}, h("h2", {}, title), h("p", {}, subtitle)),
		place, facts,
		h("div.actions", {},
			csv && h("a", { href: csv, download: "" }, `CSV (${rows} ${rows === 1 ? "row" : "rows"})`),
			json && h("a", { href: json }, "JSON"),
			h("button.quiet", { type: "button", click: () => saveSvg(svg(), `${name}.svg`) }, "SVG"),
			h("button.quiet", { type: "button", click: () => savePng(svg(), `${name}.png`) }, "PNG"),
			h("button.quiet", { type: "button", click: () => copyLink(copied) }, "Copy permalink"), copied),
		h("details", { open: true }, h("summary", {}, "The same numbers as a table"), table));
}

async function copyLink(note) {
	try {
		await navigator.clipboard.writeText(location.href);
		note.textContent = "Copied.";
	} catch {
		note.textContent = location.href;
	}
}

/** The drawing as a file of its own: colours and font are written into it, since a file has no style sheet beside it. */
export function serialise(svg) {
	const copy = svg.cloneNode(true);
	const style = getComputedStyle(svg);
	copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
	copy.setAttribute("style", `background:${style.backgroundColor};color:${style.color};font:12px sans-serif`);
	return new XMLSerializer().serializeToString(copy);
}

function save(blob, name) {
	const address = URL.createObjectURL(blob);
	const link = h("a", { href: address, download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(address), 10000);
}

function saveSvg(svg, name) {
	save(new Blob([serialise(svg)], { type: "image/svg+xml" }), name);
}

async function savePng(svg, name) {
	const image = new Image(), scale = 2;
	const box = svg.getBoundingClientRect();
	image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(serialise(svg))}`;
	await image.decode();
	const canvas = h("canvas", { width: Math.round(box.width * scale), height: Math.round(box.height * scale) });
	canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
	canvas.toBlob((blob) => save(blob, name), "image/png");
}

/** The theme's colours as they are now; charts draw with these, so that a saved picture keeps them. */
export function palette() {
	const style = getComputedStyle(document.documentElement);
	const read = (name) => style.getPropertyValue(name).trim();
	return { ink: read("--ink"), soft: read("--soft"), grid: read("--grid"), paper: read("--paper"), series: ["--s2", "--s3", "--s4", "--s5", "--s1"].map(read) };
}

export const shapes = ["circle", "square", "triangle", "diamond", "star"];
