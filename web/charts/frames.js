// SPDX-License-Identifier: GPL-2.0-or-later
// The time of each frame of one result, on a canvas (uPlot): a hundred frames or a million. The table beside it holds its percentiles.

import uPlot from "/vendor/uplot.js";
import { palette } from "./figure.js";

/** frames: [[n, begin_ns, sent_ns, end_ns, transmissions]] -> element. */
export function frameTimes(frames, width = 860) {
	const place = document.createElement("div");
	const colours = palette();
	const axis = { stroke: colours.ink, grid: { stroke: colours.grid, width: 1 }, ticks: { stroke: colours.grid }, font: "12px sans-serif", labelFont: "12px sans-serif" };
	const data = [
		frames.map((f) => f[0]),
		frames.map((f) => (f[3] - f[1]) / 1e6),
		frames.map((f) => (f[2] - f[1]) / 1e6),
	];
	const series = (label, stroke, dash) => ({ label, stroke, width: 2, dash, points: { show: frames.length <= 200, size: 5 }, value: (u, v) => (v === null ? "–" : `${v.toFixed(3)} ms`) });
	new uPlot({
		width, height: 300, legend: { live: true },
		scales: { x: { time: false }, y: { range: (u, low, high) => [0, high * 1.08 || 1] } },
		axes: [{ ...axis, label: "frame" }, { ...axis, label: "time since the acknowledgement before, ms", size: 64 }],
		series: [{ label: "frame" }, series("until acknowledged", colours.series[0]), series("until sent", colours.series[1], [6, 4])],
		cursor: { drag: { x: true, y: false } },
	}, data, place);
	place.querySelector("canvas").setAttribute("role", "img");
	place.querySelector("canvas").setAttribute("aria-label", `Time of each of ${frames.length} frames; the table below has the percentiles`);
	return place;
}

/** Percentiles that the number of frames allows: none beyond 1 - 1/n. */
export function percentiles(frames) {
	const times = frames.map((f) => f[3] - f[1]).sort((a, b) => a - b);
	const n = times.length;
	const rows = [["smallest", times[0]], ["median", times[Math.floor((n - 1) / 2)]]];
	for (const p of [90, 99, 99.9])
		if (p / 100 <= 1 - 1 / n)
			rows.push([`${p} %`, times[Math.ceil((p / 100) * n) - 1]]);
	rows.push(["largest", times[n - 1]]);
	return rows.map(([name, ns]) => ({ name, ns }));
}
