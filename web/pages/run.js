// SPDX-License-Identifier: GPL-2.0-or-later
// One run: every cell with every attempt, live while it runs.

import { get, post, signedIn } from "../lib/api.js";
import { announce, facts, h, mount, refresh, table } from "../lib/dom.js";
import { byteRate, none, number, seconds, when } from "../lib/format.js";
import { listenAndLoad, oneAtATime } from "../lib/live.js";
import { boardName, careful, crumbs, progressBar, shortCell, tally, verdict } from "./parts.js";

export const title = "Run";

export async function show(main, parameters, [id]) {
	const heading = h("div"),
		cells = h("div"),
		said = h("p.note", { role: "status" });
	let finished = null;
	const load = oneAtATime(async () => {
		const run = await get(`/runs/${id}`),
			cancel = () =>
				post(`/runs/${id}/cancel`).then(load, (e) => {
					said.textContent = e.message;
				});
		if (run.state === "finished" && finished === false) announce(`Run ${id} is finished.`);
		finished = run.state === "finished";
		document.title = `${finished ? "" : "▸ "}Run ${id} – labd`;
		refresh(heading, [{ ...run, cells: null }, signedIn()], () => head(run, cancel));
		refresh(cells, run.cells, () => attempts(run));
	});

	await load();
	mount(main, [heading, said, cells]);
	return listenAndLoad(load, () => {}, 250);
}

function head(run, cancel) {
	const { finished = 0, total = 0 } = run.attempts ?? {},
		over = run.state === "finished";
	return [
		crumbs(h("a", { href: "#/runs" }, "Runs"), `Run ${run.id}`),
		h("h1", {}, `Run ${run.id}: ${run.matrix ?? run.reason}`),
		over ? h("p.lead", {}, tally(run.attempts)) : progressBar(finished, total, `${run.state}, ${finished} of ${total} done`),
		h(
			"div.actions",
			{},
			run.matrix && h("a.button.primary", { href: `#/compare?run=${run.id}` }, "Compare with published"),
			h("a.button", { href: `/api/v1/export/samples.csv?run=${run.id}`, download: "" }, "CSV samples"),
			h("a.button", { href: `/api/v1/export/summary.csv?run=${run.id}`, download: "" }, "CSV summary"),
			h("a.button", { href: `/api/v1/runs/${run.id}/report` }, "JSON report"),
			signedIn() && !over && careful("Cancel run", `Cancel run ${run.id}`, cancel),
		),
		facts([
			["matrix", run.matrix ? `${run.matrix}, version ${run.matrix_version}` : null],
			["asked for", `${when(run.created)} by ${run.requested_by} (${run.reason})`],
			["schedule", run.schedule],
			["started", run.started ? when(run.started) : null],
			["finished", run.finished ? when(run.finished) : null],
			["took", run.finished && run.started ? seconds((new Date(run.finished) - new Date(run.started)) / 1000) : null],
			["cancelled by", run.cancelled_by],
			["host", run.host],
		]),
	];
}

function attempts(run) {
	const rows = run.cells.flatMap((cell) => (cell.attempts.length ? cell.attempts : [{}]).map((a) => ({ ...cell, ...a })));
	const many = rows.some((r) => r.attempt > 1 || r.repeat > 0);
	const columns = [
		{
			head: "cell",
			cell: (r) => (r.verdict ? h("a", { href: `#/results/${r.id}`, title: r.cell }, shortCell(r.cell)) : shortCell(r.cell)),
		},
		{ head: "workload", cell: (r) => r.workload },
		{ head: "board", cell: (r) => boardName({ name: r.board ?? r.board_type, virtual: r.virtual }) },
		many && {
			head: "repeat",
			number: true,
			title: "repeat, and which attempt at it",
			cell: (r) => (r.attempt ? `${r.repeat + 1}${r.attempt > 1 ? `, attempt ${r.attempt}` : ""}` : none),
		},
		{
			head: "verdict",
			cell: (r) => [
				verdict(r),
				r.step && !r.verdict ? h("span.note", {}, ` ${r.step}`) : "",
				r.excluded && h("span.tag", {}, "excluded"),
			],
		},
		{ head: "application data rate", number: true, cell: (r) => byteRate(r.figures?.goodput_byte_per_s) },
		{ head: "frame/s", number: true, cell: (r) => number(r.figures?.frames_per_s) },
		{ head: "measured time", number: true, cell: (r) => seconds(r.figures?.elapsed_s) },
		{ head: "wall time", number: true, cell: (r) => seconds(r.wall_s) },
	];
	return h(
		"section.block",
		{},
		h("h2", {}, "Cells"),
		table("Cells of this run, one row an attempt", columns.filter(Boolean), rows, {
			empty: "This run has no cells.",
			quiet: true,
			more: (r) => r.error && h("p.note", {}, r.error),
		}),
	);
}
