// SPDX-License-Identifier: GPL-2.0-or-later
// What is different between two runs of one matrix, cell by cell, from their reports. Says what changed, not why, and not whether it means something: that takes repeats.

export const notable = 0.01; // a share of the value; smaller differences are counted, not listed

const key = (c) => JSON.stringify([c.cell, c.board]);

/**
 * changes(now, before) -> {cells, equal, small, list[{cell, board, result, was, is, ratio}]}: cells that both have; those equal to the last digit; those that differ less
 * than notable; and the others, the largest first. was and is are byte/s, or verdicts where one of the two did not pass.
 */
export function changes(now, before) {
	const old = new Map(before.cells.map((c) => [key(c), c]));
	const pairs = now.cells.filter((c) => old.has(key(c))).map((c) => difference(c, old.get(key(c))));
	const list = pairs.filter((p) => p.size >= notable).sort((a, b) => b.size - a.size);
	return {
		cells: pairs.length,
		equal: pairs.filter((p) => p.size === 0).length,
		small: pairs.filter((p) => p.size > 0 && p.size < notable).length,
		list,
	};
}

function difference(c, o) {
	const common = { cell: c.cell, board: c.board, result: c.result };
	const is = c.figures?.goodput_byte_per_s,
		was = o.figures?.goodput_byte_per_s;
	if (is > 0 && was > 0) return { ...common, is, was, ratio: is / was, size: Math.abs(is / was - 1) };
	return { ...common, is: c.verdict, was: o.verdict, ratio: null, size: c.verdict === o.verdict ? 0 : Infinity };
}
