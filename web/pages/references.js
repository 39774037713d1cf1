// SPDX-License-Identifier: GPL-2.0-or-later
// Every published figure the lab compares with: as printed, where from, under which conditions, how good the source is.

import { get, list } from "../lib/api.js";
import { h, replace, table } from "../lib/dom.js";
import { figures, none, number, pairs, withoutSize } from "../lib/format.js";

export const title = "References";

const grades = { A: "measured and printed by the source", B: "derived by the source", C: "read off a chart", D: "doubtful" };

const names = { elapsed_s: "measured time" };

export async function show(main) {
	const rows = list(await get("/references")),
		types = [...new Set(rows.map((r) => r.board_type))];
	replace(
		main,
		h("h1", {}, title),
		h("p.note", {}, "Published figures that measured ones stand beside. None is a result of this lab."),
		rows.length === 0 && h("p.empty", {}, "No published figure is stored."),
		types.map((type) =>
			group(
				type,
				rows.filter((r) => r.board_type === type),
			),
		),
	);
}

function group(type, rows) {
	return h(
		"section.block",
		{},
		h("h2", {}, type),
		[...new Set(rows.map((r) => withoutSize(r.description)))].map((d) => h("p.note", {}, d)),
		table(
			`Published figures of ${type}`,
			[
				{ head: "payload, byte", number: true, cell: (r) => number(r.payload_bytes) },
				{ head: "figure", cell: (r) => figures[r.figure]?.name.toLowerCase() ?? names[r.figure] ?? r.figure },
				{ head: "as printed", number: true, cell: (r) => r.printed },
				{ head: "how obtained", cell: (r) => r.kind || none },
				{ head: "grade", cell: (r) => h("abbr", { title: grades[r.grade] ?? "" }, r.grade) },
				{
					head: "conditions",
					cell: (r) => pairs(Object.fromEntries(Object.entries(r.conditions).filter(([k]) => k !== "payload_bytes"))) || none,
				},
				{ head: "source", cell: (r) => r.source },
			],
			rows,
			{ quiet: true },
		),
	);
}
