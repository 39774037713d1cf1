// SPDX-License-Identifier: GPL-2.0-or-later
// What charts are drawn with: the theme's colours as they are now (written into the drawing, so that a saved picture keeps them), shapes, one font.

export const font = "'Liberation Sans', Arial, Helvetica, sans-serif";
export const shapes = ["circle", "square", "triangle", "diamond", "star"];

export function palette() {
	const style = getComputedStyle(document.documentElement);
	const read = (name) => style.getPropertyValue(name).trim();
	return {
		ink: read("--ink"),
		soft: read("--soft"),
		grid: read("--grid"),
		paper: read("--paper"),
		bad: read("--bad"),
		series: ["--s1", "--s2", "--s3", "--s4", "--s5"].map(read),
	};
}

const ruler = document.createElement("canvas").getContext("2d");

/** Width of a text in pixels, in the charts' font. */
export function textWidth(text, size = 12, weight = 400) {
	ruler.font = `${weight} ${size}px ${font}`;
	return ruler.measureText(text).width;
}

/** Words in lines of at most that many pixels. */
export function wrap(text, width, size = 12, weight = 400) {
	const lines = [];
	for (const word of text.split(/ +/)) {
		const longer = lines.length ? `${lines[lines.length - 1]} ${word}` : word;
		if (lines.length && textWidth(longer, size, weight) <= width) lines[lines.length - 1] = longer;
		else lines.push(word);
	}
	return lines;
}

const space = "http://www.w3.org/2000/svg";

/** An SVG element; text content last. */
export function svgElement(name, attributes, ...children) {
	const element = document.createElementNS(space, name);
	for (const [key, value] of Object.entries(attributes)) if (value !== null && value !== undefined) element.setAttribute(key, value);
	element.append(...children);
	return element;
}
