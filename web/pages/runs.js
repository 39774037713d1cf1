// SPDX-License-Identifier: GPL-2.0-or-later
// All runs, newest first, in pages.

import { get, query } from "../lib/api.js";
import { h, replace, table } from "../lib/dom.js";
import { when } from "../lib/format.js";
import { list } from "./parts.js";

export const title = "Runs";

export async function show(main, parameters) {
	const before = parameters.get("before");
	const rows = list(await get(`/runs${query({ before, limit: 50 })}`));

	replace(main, h("h1", {}, title), table("Runs, newest first", [
		{ head: "run", cell: (r) => h("a", { href: `#/runs/${r.id}` }, String(r.id)) },
		{ head: "matrix", cell: (r) => (r.matrix ? `${r.matrix} (version ${r.matrix_version})` : r.reason) },
		{ head: "state", cell: (r) => r.state },
		{ head: "passed", number: true, cell: (r) => `${r.attempts?.pass ?? 0} of ${r.attempts?.total ?? 0}` },
		{ head: "why", cell: (r) => `${r.reason}, ${r.requested_by}` },
		{ head: "started", cell: (r) => when(r.started ?? r.created) },
		{ head: "compare", cell: (r) => h("a", { href: `#/compare?run=${r.id}`, "aria-label": `Compare run ${r.id}` }, "chart") },
	], rows, { empty: "No run yet." }),
	rows.length === 50 && h("p", {}, h("a", { href: `#/runs?before=${rows[rows.length - 1].id}` }, "Older runs")));
}
