// SPDX-License-Identifier: GPL-2.0-or-later
// A figure by payload size: one line a series (board, variant, transport), published references as crosses that no line joins. The sizes measured are the only
// ticks. What was not measured (failed, skipped) stands in a strip below the axis, named; it is neither dropped nor drawn as zero.

import * as Plot from "/vendor/plot.js";
import { figures, number, tick } from "../lib/format.js";
import { column, placeAround } from "./labels.js";
import { font, palette, shapes, svgElement, textWidth, wrap } from "./theme.js";

const narrow_px = 620,
	names_px = 188,
	strip_px = 18;

/**
 * model: {figure, series[{name, note, slot, fit, points[{x, y or null, low, high, label, href}]}], published[{name, note, points[{x, y, same, label}]}], missing[{x, text}], sizes[],
 * ordinals, title}; y as in the API. options: {log, fit}. facts: the element that says what a mark is. Returns the drawing.
 */
export function throughput(model, options, width, facts) {
	const f = figures[model.figure],
		c = palette();
	const wide = width >= narrow_px;
	const names = wide ? [] : keyLines(model, width - 30);
	const box = {
		top: 34 + names.reduce((sum, n) => sum + n.lines.length * 15 + 3, 0),
		left: 58,
		right: wide ? names_px : 14,
		bottom: 46 + model.missing.length * strip_px + (model.missing.length ? 8 : 0),
	};
	const usual = Math.round(Math.min(460, Math.max(300, width * 0.5))) + model.missing.length * strip_px + box.top - 34;
	const height = wide ? Math.max(usual, box.top - 12 + marginHeight(model, box.right - 36) + box.bottom) : usual;
	const scaled = scaledModel(model, f.scale);
	const svg = Plot.plot({
		width,
		height,
		marginTop: box.top,
		marginLeft: box.left,
		marginRight: box.right,
		marginBottom: box.bottom,
		style: { background: c.paper, color: c.ink, fontSize: "12px", fontFamily: font, overflow: "visible" },
		x: xScale(model.sizes, options.log),
		y: yScale(scaled, f, options.log, width),
		marks: marks(scaled, model, options, c),
	});
	const at = { x: svg.scale("x").apply, y: svg.scale("y").apply };

	decorate(svg, scaled, model, { ...box, width, height, names }, at, c);
	svg.setAttribute("role", "group");
	svg.setAttribute("aria-roledescription", "chart");
	svg.setAttribute("aria-label", `${model.title}. The table below has the same numbers.`);
	connect(svg, model, facts);
	return svg;
}

/* --- scales --- */

function scaledModel(model, k) {
	const times = (v) => (v === null || v === undefined ? null : v * k);
	const points = (list) => list.map((p) => ({ ...p, y: times(p.y), low: times(p.low), high: times(p.high) }));
	const all = model.series.flatMap((s) => points(s.points).map((p) => ({ ...p, series: s })));
	return {
		all,
		measured: all.filter((p) => p.y !== null),
		published: model.published.flatMap((s) => points(s.points).map((p) => ({ ...p, series: s }))),
	};
}

function xScale(sizes, log) {
	const low = Math.min(...sizes),
		high = Math.max(...sizes);
	const label = `payload of a frame, byte${log ? " (log scale)" : ""}`;
	const domain = log ? [low / 1.25, high * 1.25] : [0, high * 1.06];
	return {
		type: log ? "log" : "linear",
		base: log ? 2 : undefined,
		domain,
		label,
		labelArrow: "none",
		labelAnchor: "center",
		labelOffset: 40,
		ticks: sizes,
		tickFormat: tick,
	};
}

function yScale({ measured, published }, f, log, width) {
	const values = [...measured, ...published].flatMap((p) => [p.y, p.low ?? p.y, p.high ?? p.y]).filter((v) => v > 0);
	const high = Math.max(...values, 0) || 1,
		low = Math.min(...values, high);
	const end = `${f.axis}${log ? " (log scale)" : ""}`,
		whole = `${f.name}, ${f.layer}, ${end}`;
	const label = textWidth(whole) < width - 20 ? whole : `${f.name}, ${end}`;
	const common = { label, labelArrow: "none", tickFormat: tick, grid: true };
	if (!log) return { ...common, type: "linear", domain: [0, high * 1.14], ticks: 5 };
	const domain = [low / 1.6, Math.max(high * 1.6, low * 3)];
	return { ...common, type: "log", domain, ticks: logTicks(domain) };
}

/* 1, 3, 10 over more than two decades, 1, 2, 5 below that. */
function logTicks([low, high]) {
	const steps = high / low > 100 ? [1, 3] : [1, 2, 5];
	const ticks = [];
	for (let decade = Math.floor(Math.log10(low)); decade <= Math.ceil(Math.log10(high)); decade++)
		for (const step of steps) if (step * 10 ** decade >= low && step * 10 ** decade <= high) ticks.push(step * 10 ** decade);
	return ticks;
}

/* --- marks --- */

function marks({ all, measured, published }, model, { log, fit }, c) {
	const colour = (p) => c.series[p.series.slot % 5],
		same = published.filter((p) => p.same),
		other = published.filter((p) => !p.same);
	const whisker = measured.filter((p) => p.low !== null && p.high !== null && p.high > p.low);
	const cross = (symbol, list) => Plot.dot(list, { x: "x", y: "y", r: 6.5, symbol, stroke: c.ink, strokeWidth: 2, ariaLabel: "label" });
	return [
		log ? null : Plot.ruleY([0], { stroke: c.soft }),
		fit ? model.series.filter((s) => s.fit).map((s) => fitLine(s, model, log, c)) : null,
		Plot.line(all, {
			x: "x",
			y: "y",
			z: (p) => p.series.name,
			stroke: colour,
			strokeWidth: 2,
			strokeOpacity: fit && model.series.some((s) => s.fit) ? 0 : 1,
		}),
		Plot.ruleX(whisker, { x: "x", y1: "low", y2: "high", stroke: colour, strokeWidth: 1.5 }),
		cross("times", same),
		cross("plus", other),
		model.series.map((s, i) =>
			Plot.dot(
				measured.filter((p) => p.series === s),
				{
					x: "x",
					y: "y",
					r: 5.5,
					fill: c.series[s.slot % 5],
					symbol: shapes[s.slot % 5],
					stroke: c.paper,
					strokeWidth: 1,
					href: "href",
					ariaLabel: "label",
					className: `series-${i}`,
				},
			),
		),
	];
}

/* The straight line through the times of a frame, as this figure shows it. */
function fitLine(s, model, log, c) {
	const f = figures[model.figure],
		low = Math.min(...model.sizes),
		high = Math.max(...model.sizes);
	const curve = Array.from({ length: 81 }, (_, i) => (log ? low * (high / low) ** (i / 80) : 1 + (high - 1) * (i / 80))).map((n) => ({
		n,
		v: f.ofTime(n, s.fit.a + s.fit.b * n) * f.scale,
	}));
	return Plot.line(curve, { x: "n", y: "v", stroke: c.series[s.slot % 5], strokeWidth: 1.75, strokeDasharray: "6 4" });
}

/* --- texts --- */

function decorate(svg, scaled, model, box, at, c) {
	const frame = [box.left, box.top - 14, box.width - box.left - box.right + 8, box.height - box.top - box.bottom + 12];
	thinTicks(svg);
	svg.append(svgElement("path", { d: `M${box.left},${box.height - box.bottom + 0.5}H${box.width - box.right}`, stroke: c.soft }));
	const leaders = box.names.length ? namesAbove(svg, box.names, c) : namesInMargin(svg, scaled, model, box, at, c);
	values(svg, scaled, frame, leaders, at, c);
	strip(svg, model.missing, box, at, c);
}

function texts(group, lines, x, y, attributes, anchor = "start") {
	lines.forEach((line, i) =>
		group.append(
			svgElement(
				"text",
				{ x, y: y + i * 15, dy: "0.32em", "text-anchor": anchor, "font-size": 12, "font-family": font, ...attributes },
				line,
			),
		),
	);
}

/* The value beside each mark, where there is room. */
function values(svg, { all: line, measured, published }, frame, leaders, at, c) {
	const all = [...measured, ...published].map((p) => ({ p, x: at.x(p.x), y: at.y(p.y), text: number(p.y) }));
	const points = linePoints(line, at);
	const highest = (a) => (all.some((b) => b !== a && b.x === a.x && b.y < a.y) ? 1 : -1);
	const labels = all.map((a) => ({ x: a.x, y: a.y, width: textWidth(a.text) + 4, height: 14, prefer: highest(a) }));
	const boxes = placeAround(labels, [...all.map((a) => [a.x - 6, a.y - 6, 12, 12]), ...leaders], points, frame);
	const group = svgElement("g", {
		"aria-hidden": "true",
		"paint-order": "stroke",
		stroke: c.paper,
		"stroke-width": 3,
		"stroke-linejoin": "round",
		"pointer-events": "none",
	});
	boxes.forEach(
		(b, i) =>
			b &&
			texts(
				group,
				[all[i].text],
				b[0] + b[2] / 2,
				b[1] + b[3] / 2,
				{ fill: all[i].p.series.slot === undefined ? c.soft : c.ink },
				"middle",
			),
	);
	svg.append(group);
}

/* Dots along the lines between neighbours, for labels to keep away from. */
function linePoints(measured, at) {
	const dots = [];
	measured.forEach((p, i) => {
		const next = measured[i + 1];
		for (let t = 0; p.y !== null && next && next.y !== null && next.series === p.series && t <= 1; t += 0.04)
			dots.push([at.x(p.x) + t * (at.x(next.x) - at.x(p.x)), at.y(p.y) + t * (at.y(next.y) - at.y(p.y))]);
	});
	return dots;
}

/* Tick labels of sizes that lie close together: the first stays, those that would touch it go; their tick lines stay. */
function thinTicks(svg) {
	let free = -Infinity;
	for (const text of svg.querySelectorAll("[aria-label='x-axis tick label'] text")) {
		const x = Number(/translate\(([-\d.]+)/.exec(text.getAttribute("transform") ?? "")?.[1] ?? 0),
			half = textWidth(text.textContent) / 2;
		if (x - half < free) text.textContent = "";
		else free = x + half + 6;
	}
}

/* Names of the series at the ends of their lines, in the order of the ends, each with a thin line to its mark. Returns boxes along those lines. */
function namesInMargin(svg, { measured, published }, model, box, at, c) {
	const end = (points) => points.reduce((a, b) => (b.x > a.x ? b : a));
	const entries = [...model.series.map((s) => [s, measured]), ...model.published.map((s) => [s, published])]
		.map(([s, list]) => ({ s, points: list.filter((p) => p.series === s) }))
		.filter((e) => e.points.length);
	const left = box.width - box.right + 30,
		room = box.right - 36;
	const lines = entries.map((e) => marginLines(e.s, room));
	const heights = lines.map((l) => (l.name.length + l.note.length) * 15);
	const wanted = entries.map((e) => at.y(end(e.points).y));
	const centres = column(
			wanted.map((y, i) => y + heights[i] / 2 - 7.5),
			heights,
			box.top - 12,
			box.height - box.bottom,
		),
		leaders = [];
	const group = svgElement("g", { "aria-hidden": "true" });

	entries.forEach((e, i) => {
		const y = centres[i] - heights[i] / 2 + 7.5,
			mark = at.x(end(e.points).x);
		group.append(
			svgElement("path", { d: `M${mark + 9},${wanted[i]}L${left - 20},${y}`, stroke: c.soft, "stroke-width": 0.75, fill: "none" }),
		);
		for (let t = 0; t <= 1; t += 0.1) leaders.push([mark + 7 + t * (left - mark - 29), wanted[i] - 2 + t * (y - wanted[i]), 4, 4]);
		group.append(markOf(e.s, left - 11, y, c));
		texts(group, lines[i].name, left, y, { fill: c.ink, "font-weight": 600 });
		texts(group, lines[i].note, left, y + lines[i].name.length * 15, { fill: c.soft });
	});
	svg.append(group);
	return leaders;
}

const marginLines = (s, room) => ({ name: wrap(s.name, room, 12, 600), note: s.note ? wrap(s.note, room) : [] });

/* What the names of all series take beside the chart: many of them make it higher, rather than stand above one another or outside of it. */
function marginHeight(model, room) {
	const all = [...model.series, ...model.published].map((s) => marginLines(s, room));
	return all.reduce((sum, l) => sum + (l.name.length + l.note.length) * 15 + 6, 0);
}

/* Where the margin is too narrow for names they stand above, each behind its mark. */
function keyLines(model, room) {
	return [...model.series, ...model.published].map((s) => ({ s, lines: wrap(`${s.name}${s.note ? `, ${s.note}` : ""}`, room) }));
}

/* A series' mark beside its name: the name itself is written in the colour of text, which is easier to read. */
function markOf(s, x, y, c) {
	const mine = s.slot !== undefined,
		symbol = mine ? shapes[s.slot % 5] : s.points[0]?.same ? "times" : "plus";
	const mark = Plot.plot({ width: 16, height: 16, margin: 8, axis: null, marks: [Plot.dot([[0, 0]], { r: 5, symbol })] }).querySelector(
		"g path, g circle",
	);
	const looks = mine ? { fill: c.series[s.slot % 5], stroke: "none" } : { fill: "none", stroke: c.ink, "stroke-width": 2 };
	for (const [key, value] of Object.entries({ cx: 0, cy: 0, ...looks, transform: `translate(${x},${y})` })) mark.setAttribute(key, value);
	return mark;
}

function namesAbove(svg, names, c) {
	const group = svgElement("g", { "aria-hidden": "true" });
	let y = 28;
	for (const { s, lines } of names) {
		group.append(markOf(s, 12, y, c));
		texts(group, lines, 26, y, { fill: c.ink });
		y += lines.length * 15 + 3;
	}
	svg.append(group);
	return [];
}

/* What has no number, below the axis. */
function strip(svg, missing, box, at, c) {
	const group = svgElement("g", {});
	missing.forEach((m, i) => {
		const y = box.height - missing.length * strip_px + i * strip_px + 4,
			text = `✗ ${m.text}`;
		const x = Math.min(Math.max(at.x(m.x), box.left + textWidth(text) / 2), box.width - textWidth(text) / 2 - 4);
		texts(group, [text], x, y, { fill: c.bad }, "middle");
	});
	svg.append(group);
}

/* --- pointer and keyboard --- */

function connect(svg, model, facts) {
	const texts_ = new Map([...model.series, ...model.published].flatMap((s) => s.points.map((p) => [p.label, { ...p, series: s.name }])));
	const targets = [];
	for (const mark of svg.querySelectorAll("[aria-label]")) {
		const point = texts_.get(mark.getAttribute("aria-label"));
		if (point) targets.push(target(mark, point, facts));
	}
	for (const group of svg.querySelectorAll("g[aria-label]:not([role]):not(.mark)")) {
		// Plot names its groups, which no reader may do
		group.removeAttribute("aria-label");
		if (!group.querySelector(".mark")) group.setAttribute("aria-hidden", "true");
	}
	svg.addEventListener("keydown", (e) => {
		const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key],
			now = targets.indexOf(document.activeElement);
		if (!step || now < 0) return;
		e.preventDefault();
		targets[(now + step + targets.length) % targets.length].focus();
	});
}

/* A measured mark is a link to its result; a published one only says what it is. */
function target(mark, point, facts) {
	const element = mark.closest("a") ?? mark;
	const tell = () => {
		facts.textContent = point.label;
	};
	element.setAttribute("aria-label", point.label);
	element.setAttribute("tabindex", "0");
	if (element === mark) element.setAttribute("role", "img");
	element.classList.add("mark");
	for (const [key, value] of Object.entries({ value: point.y, payload: point.x, series: point.series }))
		element.setAttribute(`data-${key}`, value);
	element.addEventListener("pointerenter", tell);
	element.addEventListener("focus", tell);
	return element;
}
