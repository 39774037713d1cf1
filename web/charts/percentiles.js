// SPDX-License-Identifier: GPL-2.0-or-later
// Figures over the frames of one result, without drawing anything. A frame is [n, begin_ns, sent_ns, end_ns, transmissions], as the API has it.

/** What a frame took, in ns: from the acknowledgement before to its own. */
export const took = (f) => f[3] - f[1];

/** Percentiles that the number of frames allows: none beyond 1 - 1/n. By rank: the smallest time that at least that share of the frames does not exceed. */
export function percentiles(frames) {
	const times = frames.map(took).sort((a, b) => a - b),
		n = times.length;
	const rank = (p) => times[Math.max(0, Math.ceil((p / 100) * n) - 1)];
	const rows = [50, 90, 99, 99.9, 99.99]
		.filter((p) => p / 100 <= 1 - 1 / n)
		.map((p) => ({ name: p === 50 ? "median" : `${p} % within`, ns: rank(p) }));
	return [{ name: "shortest", ns: times[0] }, ...rows, { name: "longest", ns: times[n - 1] }];
}

/** The frames as CSV, as the API has them. */
export function framesCsv(frames) {
	return ["frame,begin_ns,sent_ns,end_ns,transmissions", ...frames.map((f) => f.join(","))].join("\r\n") + "\r\n";
}
