// SPDX-License-Identifier: GPL-2.0-or-later
// A figure by payload size: one line a series (board, variant, transport), published references as hollow crosses that no line joins. The sizes measured are the
// only ticks. What cannot be shown on a logarithmic axis (failed, skipped) stands in a strip below it, named.

import * as Plot from "/vendor/plot.js";
import { figures } from "../lib/format.js";
import { palette, shapes } from "./figure.js";

/**
 * points: [{series, x, y, low, high, label, published, differs[], source, verdict, href}] with y null where nothing was measured.
 * options: {figure, log, width}. facts: element that shows what a mark says.
 */
export function throughput(points, { figure, log = true, title }, facts) {
	const colours = palette();
	const names = [...new Set(points.filter((p) => !p.published).map((p) => p.series))];
	const colour = (name) => colours.series[names.indexOf(name) % colours.series.length];
	const shape = (name) => shapes[names.indexOf(name) % shapes.length];
	const measured = points.filter((p) => !p.published && p.y !== null);
	const published = points.filter((p) => p.published);
	const missing = points.filter((p) => !p.published && p.y === null);
	const drawn = [...measured, ...published];
	const f = figures[figure];
	const svg = Plot.plot({
		width: 860, height: 430, marginLeft: 74, marginRight: 170, marginBottom: 58, marginTop: 28,
		style: { background: colours.paper, color: colours.ink, fontSize: "12px" },
		x: { type: "log", base: 2, label: "payload of a frame, byte (log) →", ticks: [...new Set(points.map((p) => p.x))], tickFormat: String, inset: 24 },
		y: { type: log ? "log" : "linear", label: `↑ ${f.name}, ${f.unit}${log ? " (log)" : ""}`, grid: true, zero: !log, tickFormat: "~s", ticks: 5, nice: true },
		marks: [
			log ? null : Plot.ruleY([0], { stroke: colours.soft }),
			Plot.line(measured, { x: "x", y: "y", z: "series", stroke: (p) => colour(p.series), strokeWidth: 2 }),
			Plot.ruleX(measured.filter((p) => p.low !== p.high), { x: "x", y1: "low", y2: "high", stroke: (p) => colour(p.series) }),
			Plot.dot(measured, { x: "x", y: "y", r: 5, fill: (p) => colour(p.series), symbol: (p) => shape(p.series), stroke: colours.paper, href: "href", ariaLabel: aria }),
			Plot.dot(published, { x: "x", y: "y", r: 6, symbol: "times", stroke: colours.ink, strokeWidth: 2, strokeOpacity: (p) => (p.differs?.length ? 0.65 : 1), ariaLabel: aria }),
			Plot.text(lastOf(measured), { x: "x", y: "y", text: "series", dx: 12, textAnchor: "start", fill: (p) => colour(p.series), fontWeight: 600, lineWidth: 14 }),
			Plot.text(lastOf(published), { x: "x", y: "y", text: (p) => `✕ ${p.series}`, dx: 12, textAnchor: "start", fill: colours.ink, lineWidth: 14 }),
			missing.length ? Plot.text(missing, { x: "x", text: (p) => `${p.series}: ${p.verdict}`, frameAnchor: "bottom", dy: 44, fill: colours.soft }) : null,
		],
	});
	svg.setAttribute("role", "img");
	svg.setAttribute("aria-label", title);
	connect(svg, drawn, facts);
	return svg;
}

/** The words of a mark: what the table, the details line and a screen reader say. */
function aria(p) {
	return p.label;
}

function lastOf(points) {
	const last = new Map();
	for (const p of points)
		if (!last.has(p.series) || last.get(p.series).x < p.x)
			last.set(p.series, p);
	return [...last.values()];
}

/** Pointer and keyboard reach the same facts. */
function connect(svg, points, facts) {
	const texts = new Map(points.map((p) => [p.label, p]));
	for (const mark of svg.querySelectorAll("[aria-label]")) {
		const point = texts.get(mark.getAttribute("aria-label"));
		if (!point)
			continue;
		const target = mark.closest("a") ?? mark;
		target.setAttribute("tabindex", "0");
		target.setAttribute("data-value", point.y);
		target.setAttribute("data-payload", point.x);
		target.setAttribute("data-series", point.series);
		const tell = () => {
			facts.textContent = point.label;
		};
		target.addEventListener("pointerenter", tell);
		target.addEventListener("focus", tell);
	}
}
