// SPDX-License-Identifier: GPL-2.0-or-later
// What needs no browser: how numbers are written, where labels go, which percentiles a number of frames allows.

import { column, placeAround } from "../charts/labels.js";
import { framesCsv, percentiles } from "../charts/percentiles.js";
import { changes } from "../lib/changes.js";
import { bitRate, byteRate, inAxis, number, seconds, si, tick, visible, withUnit } from "../lib/format.js";
import { assert, test } from "./harness.mjs";

const written = [
	[number(63478.3), "63\u202f478"],
	[number(865.05), "865.1"],
	[number(27.0004), "27.00"],
	[number(3), "3"],
	[number(0), "0"],
	[number(100000), "100\u202f000"],
	[number(0.13903), "0.1390"],
	[number(3.8587, 3), "3.86"],
	[number(null), "–"],
	[number(-1234.56), "-1\u202f235"],
	[tick(0.5), "0.5"],
	[tick(20000), "20\u202f000"],
	[si(147712, "bit/s"), "147.7\u00a0kbit/s"],
	[si(0, "B"), "0\u00a0B"],
	[byteRate(18464.076), "18\u202f464\u00a0byte/s"],
	[bitRate(125000), "1\u00a0Mbit/s"],
	[seconds(0.0790725), "79.07\u00a0ms"],
	[seconds(0.00015512), "155.1\u00a0µs"],
	[seconds(7.907246), "7.907\u00a0s"],
	[seconds(185), "3\u00a0min 5\u00a0s"],
	[seconds(null), "–"],
	[inAxis("frame_time_s", 0.079), "79"],
	[withUnit("goodput_bit_per_s", 147712), "147.7\u00a0kbit/s"],
	[visible("a\u001b[2Jb\r\nc\u0007"), "a␛[2Jb\nc␇"],
];

export function wordsTests() {
	test("numbers have four digits or all of their whole part, thin spaces, and a dash for the unknown", () => {
		for (const [is, should] of written) assert.equal(is, should);
	});

	test("a column of names keeps order and distance, inside its bounds", () => {
		const at = column([100, 102, 101, 300], [30, 30, 15, 30], 0, 310, 6);
		assert.ok(at[2] - at[0] >= 28 && at[1] - at[2] >= 28, `in the order of the line ends: ${at}`);
		assert.ok(at[3] <= 295 && at[0] >= 15);
	});

	test("labels around marks cover neither marks nor each other; what has no room is left out", () => {
		const labels = Array.from({ length: 6 }, (_, i) => ({ x: 50 + i * 12, y: 50, width: 40, height: 14, prefer: -1 }));
		const boxes = placeAround(
			labels,
			labels.map((l) => [l.x - 6, l.y - 6, 12, 12]),
			[],
			[0, 0, 160, 100],
		);
		const kept = boxes.filter(Boolean);
		assert.ok(kept.length > 1 && kept.length < 6);
		kept.forEach((a, i) =>
			kept
				.slice(i + 1)
				.forEach((b) => assert.ok(a[0] + a[2] <= b[0] || b[0] + b[2] <= a[0] || a[1] + a[3] <= b[1] || b[1] + b[3] <= a[1])),
		);
	});

	test("two runs differ in what changed by a hundredth or more, in verdicts, and in nothing else", () => {
		const cell = (name, rate, verdict = "pass") => ({
			cell: name,
			board: "b",
			result: 1,
			verdict,
			figures: rate ? { goodput_byte_per_s: rate } : null,
		});
		const c = changes(
			{ cells: [cell("a", 100), cell("b", 101), cell("c", 1003), cell("d", null, "fail"), cell("new", 5)] },
			{ cells: [cell("a", 100), cell("b", 100), cell("c", 1000), cell("d", 7), cell("gone", 5)] },
		);
		assert.deepEqual(
			[c.cells, c.equal, c.small, c.list.map((d) => [d.cell, d.was, d.is])],
			[
				4,
				1,
				1,
				[
					["d", "pass", "fail"],
					["b", 100, 101],
				],
			],
		);
	});

	test("percentiles go by rank, and no further than the number of frames allows", () => {
		const frames = Array.from({ length: 100 }, (_, i) => [i, 0, 1, 100 - i, 1]);
		assert.deepEqual(
			percentiles(frames).map((r) => r.ns),
			[1, 50, 90, 99, 100],
		);
		assert.deepEqual(
			percentiles(frames.slice(0, 1)).map((r) => r.name),
			["shortest", "longest"],
		);
		assert.equal(framesCsv(frames.slice(0, 1)), "frame,begin_ns,sent_ns,end_ns,transmissions\r\n0,0,1,100,1\r\n");
	});
}
