// SPDX-License-Identifier: GPL-2.0-or-later
// All runs, newest first, in pages.

import { get, list, query } from "../lib/api.js";
import { h, mount, refresh, table } from "../lib/dom.js";
import { none, seconds, when } from "../lib/format.js";
import { listenAndLoad, oneAtATime } from "../lib/live.js";
import { tally } from "./parts.js";

export const title = "Runs";

const page_rows = 50;

export async function show(main, parameters) {
	const before = parameters.get("before"),
		place = h("div");
	const load = oneAtATime(async () =>
		refresh(place, list(await get(`/runs${query({ before, limit: page_rows })}`)), (rows) => [listing(rows), older(rows)]),
	);

	await load();
	mount(main, [h("h1", {}, title), place]);
	return listenAndLoad(load);
}

function listing(rows) {
	return table(
		"Runs, newest first",
		[
			{ head: "run", cell: (r) => h("a", { href: `#/runs/${r.id}`, "aria-label": `Run ${r.id}` }, String(r.id)) },
			{ head: "matrix", cell: (r) => (r.matrix ? `${r.matrix}, version ${r.matrix_version}` : r.reason) },
			{
				head: "outcome",
				cell: (r) =>
					r.state === "finished"
						? tally(r.attempts)
						: [h("span.tag", {}, r.state), ` ${r.attempts.finished} of ${r.attempts.total}`],
			},
			{ head: "why", cell: (r) => (r.schedule ? `schedule ${r.schedule}` : `${r.reason}, ${r.requested_by}`) },
			{ head: "started", cell: (r) => when(r.started ?? r.created) },
			{
				head: "took",
				number: true,
				cell: (r) => (r.finished && r.started ? seconds((new Date(r.finished) - new Date(r.started)) / 1000) : none),
			},
			{
				head: "chart",
				cell: (r) =>
					r.matrix
						? h("a", { href: `#/compare?run=${r.id}`, "aria-label": `Compare run ${r.id} with published` }, "compare")
						: none,
			},
		],
		rows,
		{ empty: "No run yet. ./lab up runs the published matrix; an operator can start one on the overview.", quiet: true },
	);
}

function older(rows) {
	return rows.length === page_rows && h("p", {}, h("a", { href: `#/runs?before=${rows[rows.length - 1].id}` }, "Older runs"));
}
