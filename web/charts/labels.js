// SPDX-License-Identifier: GPL-2.0-or-later
// Places for texts on a drawing so that none covers another text or a mark: values beside their marks, names of series in the margin. Boxes are [x, y, width, height].

const overlap = (a, b) =>
	Math.max(0, Math.min(a[0] + a[2], b[0] + b[2]) - Math.max(a[0], b[0])) *
	Math.max(0, Math.min(a[1] + a[3], b[1] + b[3]) - Math.max(a[1], b[1]));
const inside = (a, frame) =>
	a[0] >= frame[0] && a[1] >= frame[1] && a[0] + a[2] <= frame[0] + frame[2] && a[1] + a[3] <= frame[1] + frame[3];
const holds = (a, [x, y]) => x >= a[0] && x <= a[0] + a[2] && y >= a[1] && y <= a[1] + a[3];

// Where a label may stand around its mark, best first: shifts of the label's centre in half widths and half heights beyond the mark.
const around = [
	[0, -1],
	[0, 1],
	[1, 0],
	[-1, 0],
	[1, -1],
	[-1, -1],
	[1, 1],
	[-1, 1],
];

/**
 * labels: [{x, y, width, height, prefer}] with prefer +1 below, -1 above. marks: boxes to leave free. points: dots on lines, better not covered. Returns a box for
 * each label, or null where nothing is free; the facts line and the table hold those.
 */
export function placeAround(labels, marks, points, frame, gap = 8) {
	const taken = [...marks];
	return labels.map((label) => {
		const box = best(label, taken, points, frame, gap);
		if (box) taken.push(box);
		return box;
	});
}

function best(label, taken, points, frame, gap) {
	let chosen = null,
		least = Infinity;
	around.forEach(([sx, sy], i) => {
		const x = label.x + sx * (label.width / 2 + gap),
			y = label.y + sy * (label.height / 2 + gap);
		const box = [x - label.width / 2, y - label.height / 2, label.width, label.height];
		const cost = points.filter((p) => holds(box, p)).length * 4 + i + (sy !== 0 && sx === 0 && sy !== label.prefer ? 3 : 0);
		if (inside(box, frame) && cost < least && taken.every((t) => overlap(box, t) === 0)) [chosen, least] = [box, cost];
	});
	return chosen;
}

/** Centres for a column of texts: as near as can be to where they want to be, in that order, none over another, all between top and bottom. */
export function column(wanted, heights, top, bottom, gap = 6) {
	const order = wanted.map((_, i) => i).sort((a, b) => wanted[a] - wanted[b]);
	const at = [];
	let low = top;
	for (const i of order) {
		at[i] = Math.max(wanted[i], low + heights[i] / 2);
		low = at[i] + heights[i] / 2 + gap;
	}
	let high = bottom;
	for (const i of [...order].reverse()) {
		at[i] = Math.min(at[i], high - heights[i] / 2);
		high = at[i] - heights[i] / 2 - gap;
	}
	return at;
}
