// SPDX-License-Identifier: GPL-2.0-or-later
// A chart as a file: SVG or PNG, with its title and source above and below, in the colours that are on the screen.

import { h } from "../lib/dom.js";
import { font, palette, svgElement, wrap } from "./theme.js";

const head_px = 22,
	line_px = 17,
	pad_px = 16,
	indent_px = 12;

/** The drawing as a document of its own. Colours and fonts are written into it, since a file has no style sheet beside it. */
export function serialise(svg, { title, subtitle, source }) {
	const colours = palette();
	const width = Number(svg.getAttribute("width")) + 2 * indent_px,
		height = Number(svg.getAttribute("height"));
	const titles = wrap(title, width - 2 * pad_px, 17, 700),
		notes = wrap(subtitle, width - 2 * pad_px);
	const top = pad_px + titles.length * head_px + notes.length * line_px + 8;
	const text = (line, y, size, fill, weight) =>
		svgElement("text", { x: pad_px, y, fill, "font-size": size, "font-weight": weight }, line);
	const whole = svgElement("svg", {
		xmlns: "http://www.w3.org/2000/svg",
		width,
		height: top + height + 28,
		viewBox: `0 0 ${width} ${top + height + 28}`,
		"font-family": font,
	});
	const drawing = svg.cloneNode(true);

	whole.append(svgElement("title", {}, title), svgElement("desc", {}, `${subtitle}. ${source}`));
	whole.append(svgElement("rect", { width: "100%", height: "100%", fill: colours.paper }));
	titles.forEach((line, i) => whole.append(text(line, pad_px + head_px * (i + 1) - 6, 17, colours.ink, 700)));
	notes.forEach((line, i) => whole.append(text(line, pad_px + titles.length * head_px + line_px * (i + 1) - 4, 12, colours.soft, 400)));
	whole.append(text(source, top + height + 14, 11, colours.soft, 400));
	drawing.setAttribute("x", indent_px);
	drawing.setAttribute("y", top);
	drawing.setAttribute("color", colours.ink);
	whole.append(drawing);
	return new XMLSerializer().serializeToString(whole);
}

export function save(blob, name) {
	const address = URL.createObjectURL(blob);
	const link = h("a", { href: address, download: name });
	document.body.append(link);
	link.click();
	link.remove();
	setTimeout(() => URL.revokeObjectURL(address), 10000);
}

export function saveSvg(svg, words, name) {
	save(new Blob([serialise(svg, words)], { type: "image/svg+xml" }), `${name}.svg`);
}

function saveCanvas(canvas, name) {
	canvas.toBlob((blob) => save(blob, `${name}.png`), "image/png");
}

/** Twice as large as on the screen. */
export async function savePng(svg, words, name, scale = 2) {
	const text = serialise(svg, words);
	const image = new Image();
	image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
	await image.decode();
	const canvas = h("canvas", { width: image.naturalWidth * scale, height: image.naturalHeight * scale });
	canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
	saveCanvas(canvas, name);
}

/** A canvas chart: its title goes above it. */
export function savePainted(painted, { title, subtitle }, name) {
	const colours = palette(),
		ratio = painted.width / painted.getBoundingClientRect().width;
	const canvas = h("canvas", { width: painted.width, height: painted.height + 56 * ratio });
	const to = canvas.getContext("2d");
	const write = (text, y, size, fill, weight) => {
		to.font = `${weight} ${size * ratio}px ${font}`;
		to.fillStyle = fill;
		to.fillText(text, pad_px * ratio, y * ratio);
	};

	to.fillStyle = colours.paper;
	to.fillRect(0, 0, canvas.width, canvas.height);
	write(title, 24, 17, colours.ink, 700);
	write(subtitle, 44, 12, colours.soft, 400);
	to.drawImage(painted, 0, 56 * ratio);
	saveCanvas(canvas, name);
}

export function saveText(text, type, name) {
	save(new Blob([text], { type }), name);
}
