// SPDX-License-Identifier: GPL-2.0-or-later
// The time of each frame of one result, on a canvas (uPlot): a hundred frames or a million. Left and Right walk through the frames; the table beside it holds the
// percentiles.

import uPlot from "/vendor/uplot.js";
import { h } from "../lib/dom.js";
import { seconds, tick } from "../lib/format.js";
import { took } from "./percentiles.js";
import { font, palette } from "./theme.js";

const height_px = 300,
	points_shown = 250;

function styles() {
	if (!document.querySelector("link[href='/vendor/uplot.css']"))
		document.head.append(h("link", { rel: "stylesheet", href: "/vendor/uplot.css" }));
}

/** frames: [[n, begin_ns, sent_ns, end_ns, transmissions]]; facts: the element that says what a frame is. Returns the drawing. */
export function frameTimes(frames, width, facts) {
	const c = palette(),
		place = h("div.frames", {
			tabindex: "0",
			role: "slider",
			"aria-label": "Frame",
			"aria-valuemin": 1,
			"aria-valuemax": frames.length,
			"aria-valuenow": 1,
			"aria-valuetext": "Left and Right walk through the frames",
		});
	const say = (i) => {
		const f = frames[i],
			text = `Frame ${f[0] + 1} of ${frames.length}: sent after ${seconds((f[2] - f[1]) / 1e9)}, acknowledged after ${seconds(took(f) / 1e9)}${f[4] > 1 ? `, sent ${f[4]} times` : ""}`;
		facts.textContent = text;
		place.setAttribute("aria-valuenow", i + 1);
		place.setAttribute("aria-valuetext", text);
	};

	styles();
	const plot = new uPlot(
		options(frames, width, c, say),
		[frames.map((f) => f[0] + 1), frames.map((f) => took(f) / 1e6), frames.map((f) => (f[2] - f[1]) / 1e6)],
		place,
	);
	plot.root.querySelector("canvas").setAttribute("aria-hidden", "true");
	walk(place, plot, frames, say);
	return place;
}

function options(frames, width, c, say) {
	const axis = {
		stroke: c.ink,
		grid: { stroke: c.grid, width: 1 },
		ticks: { stroke: c.grid },
		font: `12px ${font}`,
		labelFont: `12px ${font}`,
	};
	const range = timeRange(frames.map((f) => took(f) / 1e6));
	return {
		width,
		height: height_px,
		legend: { show: false },
		padding: [12, 12, 0, 0],
		scales: { x: { time: false, range: (u, low, high) => [low - 0.5, high + 0.5] }, y: { range: () => range } },
		axes: [
			{
				...axis,
				label: "frame",
				size: 30,
				labelSize: 20,
				incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 100000],
			},
			{
				...axis,
				label: `time of a frame, ms${range[0] > 0 ? ` (axis from ${tick(range[0])})` : ""}`,
				size: 58,
				labelSize: 22,
				values: (u, list) => list.map(tick),
			},
		],
		series: [
			{ label: "frame" },
			{
				label: "until acknowledged",
				stroke: c.series[1],
				width: 2,
				points: { show: frames.length <= points_shown, size: 5, space: 0 },
			},
			{ label: "until sent", stroke: c.series[2], width: 1.5, dash: [6, 4], show: apart(frames), points: { show: false } },
		],
		cursor: { drag: { x: true, y: false }, points: { size: 9 } },
		hooks: { setCursor: [(u) => u.cursor.idx !== null && u.cursor.idx !== undefined && u.cursor.left >= 0 && say(u.cursor.idx)] },
	};
}

/* The whole of it, with room around; not from 0, since a line shows differences, and the axis says so. */
function timeRange(times) {
	const low = Math.min(...times),
		high = Math.max(...times),
		room = Math.max((high - low) * 0.15, high * 0.005);
	return [Math.max(0, low - room), high + room];
}

/** Is the way from the board's last byte to its acknowledgement long enough to be a line of its own? */
export function apart(frames) {
	return frames.some((f) => f[3] - f[2] > 0.02 * took(f));
}

function walk(place, plot, frames, say) {
	let at = -1;
	place.addEventListener("keydown", (e) => {
		const last = frames.length - 1;
		const next = {
			ArrowRight: at + 1,
			ArrowUp: at + 1,
			ArrowLeft: at - 1,
			ArrowDown: at - 1,
			Home: 0,
			End: last,
			PageUp: at + 10,
			PageDown: at - 10,
		}[e.key];
		if (next === undefined) return;
		e.preventDefault();
		at = Math.min(Math.max(next, 0), last);
		plot.setCursor({ left: plot.valToPos(plot.data[0][at], "x"), top: plot.valToPos(plot.data[1][at], "y") });
		say(at);
	});
}

/** The key of the two lines, in their colours and dashes. */
export const keyOf = (frames) =>
	apart(frames)
		? [
				{ slot: 1, dash: false, name: "until acknowledged" },
				{ slot: 2, dash: true, name: "until sent" },
			]
		: [];
