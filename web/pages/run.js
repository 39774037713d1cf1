// SPDX-License-Identifier: GPL-2.0-or-later
// One run: every cell with every attempt, live while it runs.

import { get, post, signedIn } from "../lib/api.js";
import { announce, h, replace, table } from "../lib/dom.js";
import { byteRate, number, seconds, when } from "../lib/format.js";
import { listen } from "../lib/live.js";
import { boardName, crumbs, verdict } from "./parts.js";

export const title = "Run";

export async function show(main, parameters, [id]) {
	let timer = null, finished = false;
	const load = async () => {
		const run = await get(`/runs/${id}`);
		if (run.state === "finished" && !finished && timer !== null)
			announce(`Run ${id} is finished.`);
		finished = run.state === "finished";
		document.title = `${finished ? "" : "▸ "}Run ${id} – labd`;
		replace(main, page(run, load));
	};

	await load();
	return listen((kind) => {
		if (kind !== "console" && !finished)
			timer ??= setTimeout(() => {
				load().catch(() => {}).finally(() => {
					timer = null;
				});
			}, 300);
	});
}

function page(run, load) {
	const rows = (run.cells ?? []).flatMap((cell) => (cell.attempts?.length ? cell.attempts : [{}]).map((a) => ({ ...cell, ...a, cell: cell.cell ?? cell.name })));
	const { finished = 0, total = 0 } = run.attempts ?? {};
	return [
		crumbs(h("a", { href: "#/runs" }, "Runs"), `Run ${run.id}`),
		h("h1", {}, `Run ${run.id}: ${run.matrix ?? run.reason}`),
		h("dl", {},
			h("dt", {}, "state"), h("dd", {}, run.state),
			h("dt", {}, "matrix"), h("dd", {}, run.matrix ? `${run.matrix}, version ${run.matrix_version}` : "none"),
			h("dt", {}, "asked for"), h("dd", {}, `${when(run.created)}, by ${run.requested_by} (${run.reason})`),
			h("dt", {}, "finished"), h("dd", {}, when(run.finished))),
		run.state !== "finished" && h("p", {}, h("progress", { max: String(total || 1), value: finished, "aria-label": `${finished} of ${total} done` })),
		h("div.actions", {},
			h("a", { href: `#/compare?run=${run.id}` }, "Compare with published results"),
			h("a", { href: `/api/v1/export/samples.csv?run=${run.id}`, download: "" }, "CSV samples"),
			signedIn() && run.state !== "finished" && h("button", { type: "button", click: () => post(`/runs/${run.id}/cancel`).then(load, (e) => announce(e.message)) }, "Cancel run")),
		table("Cells of this run, one row an attempt", [
			{ head: "cell", cell: (r) => (r.id && r.verdict ? h("a", { href: `#/results/${r.id}` }, r.cell) : r.cell) },
			{ head: "board", cell: (r) => boardName({ name: r.board, virtual: r.virtual }) },
			{ head: "attempt", number: true, cell: (r) => (r.attempt ? `${(r.repeat ?? 0) + 1}.${r.attempt}` : "–") },
			{ head: "verdict", cell: (r) => [verdict(r), r.step && !r.verdict ? ` ${r.step}` : "", r.error ? h("div.note", {}, r.error) : ""] },
			{ head: "application data rate", number: true, cell: (r) => byteRate(r.figures?.goodput_byte_per_s ?? null) },
			{ head: "frames/s", number: true, cell: (r) => number(r.figures?.frames_per_s ?? null) },
			{ head: "measured time", number: true, cell: (r) => seconds(r.figures?.elapsed_s ?? null) },
			{ head: "took", number: true, cell: (r) => seconds(r.wall_s) },
		], rows, { empty: "This run has no cells." }),
	];
}
