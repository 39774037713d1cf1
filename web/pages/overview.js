// SPDX-License-Identifier: GPL-2.0-or-later
// What is on the bench now, what runs, what it says, and what the last results were.

import { get, list, post, signedIn } from "../lib/api.js";
import { announce, h, mount, refresh, replace } from "../lib/dom.js";
import { ago, ahead, byteRate, number, seconds, when } from "../lib/format.js";
import { changes, notable } from "../lib/changes.js";
import { listenAndLoad, oneAtATime } from "../lib/live.js";
import { boardCard } from "./board.js";
import { makeConsole } from "./console.js";
import { attempt, progressBar, resultsTable, shortCell, tally } from "./parts.js";

export const title = "Overview";

export async function show(main) {
	const places = Object.fromEntries(["summary", "running", "boards", "results", "next", "start"].map((k) => [k, h("div")]));
	const console_ = makeConsole();
	const load = oneAtATime(async () => {
		const [boards, runs, results, schedules, matrices] = (
			await Promise.all(
				["/boards", "/runs?limit=20", "/results?latest=1&finished=1&limit=10&order=desc", "/schedules", "/matrices"].map(get),
			)
		).map(list);
		const active = runs.filter((r) => r.state !== "finished");
		refresh(places.running, [active, boards.map((b) => b.live)], () => active.map((r) => running(r, boards)));
		refresh(places.boards, boards, () =>
			boards.length
				? h(
						"div.cards",
						{},
						boards.map((b) => boardCard(b, load)),
					)
				: h("p.empty", {}, "No board is on the bench."),
		);
		refresh(places.summary, [await lastTwo(runs), Math.floor(Date.now() / 60000)], ([two]) => lastRun(two));
		refresh(places.results, [results, Math.floor(Date.now() / 60000)], ([r]) =>
			resultsTable("The newest results, one row an attempt", r),
		);
		refresh(places.next, schedules, nextRun);
		await console_.choose(boards);
		refresh(
			places.start,
			[signedIn(), matrices.map((m) => [m.name, m.version]), boards.map((b) => b.name)],
			() => signedIn() && starter(matrices, boards, load),
		);
	});

	await load();
	mount(main, [
		h("h1", {}, title),
		places.start,
		places.running,
		h(
			"div.sides",
			{},
			h("section", {}, h("h2", {}, "Boards"), places.boards),
			h("div", {}, h("section", {}, h("h2", {}, "Last run"), places.summary), h("section", {}, h("h2", {}, "Next run"), places.next)),
		),
		h("section.block", {}, h("h2", {}, "Last results"), places.results),
		console_.element,
	]);
	return listenAndLoad(load, (kind, data) => {
		if (kind === "console") console_.hear(data);
		if (kind === "run" && data?.state === "finished") announce(`Run ${data.run} is finished.`);
	});
}

/* --- what runs --- */

function running(r, boards) {
	const { finished = 0, total = 0 } = r.attempts ?? {};
	const at = boards.filter((b) => b.live?.run === r.id);
	const steps = at.map((b) =>
		h(
			"li",
			{},
			h("strong", {}, b.name),
			`: ${shortCell(b.live.cell ?? "")} – ${b.live.step ?? b.live.state}`,
			b.live.total > 0
				? h("progress.inline", { max: b.live.total, value: b.live.done ?? 0, "aria-label": `${b.live.step} of ${b.name}` })
				: "",
		),
	);
	return h(
		"section.card.active",
		{ "aria-label": `Run ${r.id}` },
		h("h2", {}, h("a", { href: `#/runs/${r.id}` }, `Run ${r.id}: ${r.matrix ?? r.reason}`), " ", h("span.tag", {}, r.state)),
		progressBar(finished, total, `${finished} of ${total} done`),
		h("ul.plain", {}, steps),
		h("p.note", {}, `${r.reason}, asked for by ${r.requested_by}, ${when(r.created)}`),
	);
}

/* Start a run: for operators only. The estimate says what it will be before it begins. */
function starter(matrices, boards, load) {
	const matrix = h(
		"select",
		{ id: "start-matrix", name: "matrix" },
		matrices.map((m) => h("option", { value: m.name }, `${m.name}, version ${m.version}`)),
	);
	const on = h(
		"select",
		{ id: "start-board", name: "board" },
		h("option", { value: "" }, "all that fit"),
		boards.map((b) => h("option", { value: b.name }, b.name)),
	);
	const estimate = h("span.note", {}),
		said = h("span.note", { role: "status" });
	const request = () => ({ matrix: matrix.value, ...(on.value ? { board: on.value } : {}) });
	const ask = () =>
		attempt(estimate, async () => {
			const e = await post("/runs/estimate", request());
			estimate.textContent = `${e.attempts} ${e.attempts === 1 ? "attempt" : "attempts"}${e.estimated_s === null ? "" : `, about ${seconds(Math.max(1, Math.round(e.estimated_s)))}`}`;
		});
	const submit = (event) => {
		event.preventDefault();
		attempt(said, async () => {
			const { run } = await post("/runs", { ...request(), requested_by: "dashboard" });
			replace(said, "Queued as ", h("a", { href: `#/runs/${run}` }, `run ${run}`), ".");
			await load();
		});
	};
	if (matrices.length === 0) return h("p.empty", {}, "No matrix is stored yet.");
	ask();
	return h(
		"form.controls",
		{ submit, change: ask, "aria-label": "Start a run" },
		h("label", { for: "start-matrix" }, "Matrix", matrix),
		h("label", { for: "start-board" }, "Board", on),
		h("button.primary", { id: "start-run" }, "Run now"),
		h("span.beside", {}, estimate, " ", said),
	);
}

/* --- results --- */

/* The newest finished run, the one of the same matrix before it, and what changed between them. */
async function lastTwo(runs) {
	const over = runs.filter((r) => r.state === "finished"),
		run = over[0] ?? null;
	const before = run?.matrix ? over.find((r) => r.id < run.id && r.matrix === run.matrix) : null;
	const reports = before ? await Promise.all([run, before].map((r) => get(`/runs/${r.id}/report`))) : null;
	return { run, before: before?.id ?? null, changed: reports ? changes(...reports) : null };
}

function changed({ before, changed: c }) {
	const other = h("a", { href: `#/runs/${before}` }, `run ${before}`);
	const row = (d) =>
		h(
			"li",
			{},
			h("a", { href: `#/results/${d.result}` }, shortCell(d.cell)),
			d.board ? ` on ${d.board}: ` : ": ",
			d.ratio === null
				? `${d.was} → ${d.is}`
				: `${byteRate(d.was)} → ${byteRate(d.is)} (${d.ratio > 1 ? "+" : "−"}${number(100 * Math.abs(d.ratio - 1), 2)} %)`,
		);
	if (c.cells === 0) return h("p.note", {}, "No cell in common with ", other, ".");
	if (c.equal === c.cells) return h("p.note", {}, "Same results as ", other, ", to the last digit.");
	return [
		h(
			"p.note",
			{},
			"Since ",
			other,
			`: ${c.list.length ? `${c.list.length} changed` : "nothing changed"}, ${c.small} within ${100 * notable} %, ${c.equal} equal.`,
		),
		h("ul.plain", {}, c.list.slice(0, 5).map(row)),
	];
}

function lastRun({ run: r, ...rest }) {
	if (!r) return h("p.empty", {}, "None yet. ", h("code", {}, "./lab up"), " runs the published matrix.");
	return [
		h(
			"p.lead",
			{},
			h("a", { href: `#/runs/${r.id}` }, `Run ${r.id}: ${r.matrix ?? r.reason}`),
			h("span.when", {}, ` ${ago(r.finished)}`),
		),
		h("p", {}, tally(r.attempts)),
		rest.changed && changed(rest),
		r.matrix && h("p", {}, h("a", { href: `#/compare?run=${r.id}` }, "Compare with published results")),
	];
}

function nextRun(rows) {
	const due = rows.filter((s) => s.enabled && s.next).sort((a, b) => (a.next < b.next ? -1 : 1))[0];
	return [
		due
			? h("p.lead", {}, h("strong", {}, due.name), `: ${due.matrix}`, h("span.when", {}, ` ${ahead(due.next)}`))
			: h("p.empty", {}, "Nothing is scheduled."),
		due && h("p", {}, h("time", { datetime: due.next }, when(due.next))),
		h("p", {}, h("a", { href: "#/schedules" }, due ? "All schedules" : "Add a schedule")),
	];
}
