// SPDX-License-Identifier: GPL-2.0-or-later
// What is on the bench now, what runs, what it says, and what the last results were.

import { get, list, post, signedIn } from "../lib/api.js";
import { announce, facts, h, mount, refresh, replace, table } from "../lib/dom.js";
import { ago, ahead, bitRate, byteRate, none, number, seconds, visible, when } from "../lib/format.js";
import { listenAndLoad } from "../lib/live.js";
import { attempt, boardName, progressBar, shortCell, tally, transcript, verdict } from "./parts.js";

export const title = "Overview";

const console_lines_max = 500;

export async function show(main) {
	const places = Object.fromEntries(["summary", "running", "boards", "results", "next", "start"].map((k) => [k, h("div")]));
	const console_ = makeConsole();
	const load = async () => {
		const [boards, runs, results, schedules, matrices] = (await Promise.all(
			["/boards", "/runs?limit=20", "/results?latest=1&finished=1&limit=10&order=desc", "/schedules", "/matrices"].map(get))).map(list);
		const active = runs.filter((r) => r.state !== "finished");
		refresh(places.running, [active, boards.map((b) => b.live)], () => active.map((r) => running(r, boards)));
		refresh(places.boards, boards, () => (boards.length ? h("div.cards", {}, boards.map((b) => board(b, load))) : h("p.empty", {}, "No board is on the bench.")));
		refresh(places.summary, [runs.find((r) => r.state === "finished") ?? null, Math.floor(Date.now() / 60000)], ([r]) => lastRun(r));
		refresh(places.results, [results, Math.floor(Date.now() / 60000)], ([r]) => lastResults(r));
		refresh(places.next, schedules, nextRun);
		refresh(places.start, [signedIn(), matrices.map((m) => [m.name, m.version]), boards.map((b) => b.name)], () => signedIn() && starter(matrices, boards, load));
		return boards;
	};

	console_.choose(await load());
	mount(main, [h("h1", {}, title), places.start, places.running,
		h("div.sides", {}, h("section", {}, h("h2", {}, "Boards"), places.boards),
			h("div", {}, h("section", {}, h("h2", {}, "Last run"), places.summary), h("section", {}, h("h2", {}, "Next run"), places.next))),
		h("section.block", {}, h("h2", {}, "Last results"), places.results), console_.element]);
	return listenAndLoad(async () => console_.choose(await load()), (kind, data) => {
		if (kind === "console")
			console_.hear(data);
		if (kind === "run" && data?.state === "finished")
			announce(`Run ${data.run} is finished.`);
	});
}

/* --- what runs --- */

function running(r, boards) {
	const { finished = 0, total = 0 } = r.attempts ?? {};
	const at = boards.filter((b) => b.live?.run === r.id);
	const steps = at.map((b) => h("li", {}, h("strong", {}, b.name), `: ${shortCell(b.live.cell ?? "")} – ${b.live.step ?? b.live.state}`,
		b.live.total > 0 ? h("progress.inline", { max: b.live.total, value: b.live.done ?? 0, "aria-label": `${b.live.step} of ${b.name}` }) : ""));
	return h("section.card.active", { "aria-label": `Run ${r.id}` },
		h("h2", {}, h("a", { href: `#/runs/${r.id}` }, `Run ${r.id}: ${r.matrix ?? r.reason}`), " ", h("span.tag", {}, r.state)),
		progressBar(finished, total, `${finished} of ${total} done`), h("ul.plain", {}, steps), h("p.note", {}, `${r.reason}, asked for by ${r.requested_by}, ${when(r.created)}`));
}

/* Start a run: for operators only. The estimate says what it will be before it begins. */
function starter(matrices, boards, load) {
	const matrix = h("select", { id: "start-matrix", name: "matrix" }, matrices.map((m) => h("option", { value: m.name }, `${m.name}, version ${m.version}`)));
	const on = h("select", { id: "start-board", name: "board" }, h("option", { value: "" }, "all that fit"), boards.map((b) => h("option", { value: b.name }, b.name)));
	const estimate = h("span.note", {}), said = h("span.note", { role: "status" });
	const request = () => ({ matrix: matrix.value, ...(on.value ? { board: on.value } : {}) });
	const ask = () => attempt(estimate, async () => {
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
	if (matrices.length === 0)
		return h("p.empty", {}, "No matrix is stored yet.");
	ask();
	return h("form.controls", { submit, change: ask, "aria-label": "Start a run" }, h("label", { for: "start-matrix" }, "Matrix", matrix), h("label", { for: "start-board" }, "Board", on),
		h("button.primary", { id: "start-run" }, "Run now"), h("span.beside", {}, estimate, " ", said));
}

/* --- boards --- */

function board(b, load) {
	const live = b.live ?? {}, bad = b.health === "bad" || b.health === "quarantined";
	const said = h("span.note", { role: "status" });
	const flash = () => attempt(said, async () => {
		const { run } = await post(`/boards/${encodeURIComponent(b.name)}/flash`, { requested_by: "dashboard" });
		replace(said, "Queued as ", h("a", { href: `#/runs/${run}` }, `run ${run}`), ".");
		await load();
	});
	const state = live.state ?? b.state;
	return h("article.card", { "aria-label": `Board ${b.name}` },
		h("h3", {}, boardName(b)), h("p.note", {}, b.board_type),
		facts([
			["state", h(`span.state.${/^[a-z]+$/.test(state) ? state : "unknown"}`, {}, h("span", { "aria-hidden": "true" }, state === "idle" ? "○ " : "● "), live.step ? `${state}: ${live.step}` : state)],
			["health", h(`span${bad ? ".verdict.fail" : ""}`, {}, b.health, b.health_reason ? `: ${b.health_reason}` : "")],
			!b.present && ["bench", "not on the bench of this daemon"],
			["firmware", b.holds?.build ? h("code", {}, b.holds.build) : "not known"],
			["flash cycles", `${number(b.flash_cycles)}${b.flash_rated ? ` of ${number(b.flash_rated)} rated` : ""}`],
			["last result", b.last_result ? [h("a", { href: `#/results/${b.last_result.id}` }, shortCell(b.last_result.cell)), " ", verdict(b.last_result)] : none],
		]),
		signedIn() && b.present && h("p.actions", {}, h("button.small", { type: "button", id: `flash-${b.name}`, "aria-label": `Flash ${b.name}`, click: flash }, "Flash"), said));
}

/* --- results --- */

function lastRun(r) {
	if (!r)
		return h("p.empty", {}, "None yet. ", h("code", {}, "./lab up"), " runs the published matrix.");
	return [h("p.lead", {}, h("a", { href: `#/runs/${r.id}` }, `Run ${r.id}: ${r.matrix ?? r.reason}`), h("span.when", {}, ` ${ago(r.finished)}`)),
		h("p", {}, tally(r.attempts)), r.matrix && h("p", {}, h("a", { href: `#/compare?run=${r.id}` }, "Compare with published results"))];
}

function lastResults(results) {
	return table("The newest results, one row an attempt", [
		{ head: "cell", cell: (r) => h("a", { href: `#/results/${r.id}`, title: r.cell }, shortCell(r.cell)) },
		{ head: "workload", cell: (r) => r.workload },
		{ head: "board", cell: (r) => boardName({ name: r.board, virtual: r.virtual }) },
		{ head: "verdict", cell: verdict },
		{ head: "application data rate", number: true, cell: (r) => byteRate(r.figures?.goodput_byte_per_s) },
		{ head: "in bits", number: true, cell: (r) => bitRate(r.figures?.goodput_byte_per_s) },
		{ head: "measured time", number: true, cell: (r) => seconds(r.figures?.elapsed_s) },
		{ head: "run", number: true, cell: (r) => h("a", { href: `#/runs/${r.run}`, "aria-label": `Run ${r.run}` }, String(r.run)) },
		{ head: "finished", cell: (r) => h("time", { datetime: r.finished, title: when(r.finished) }, ago(r.finished)) },
	], results, { empty: "No result yet. ./lab up runs the published matrix; an operator can start it here.", quiet: true });
}

function nextRun(rows) {
	const due = rows.filter((s) => s.enabled && s.next).sort((a, b) => (a.next < b.next ? -1 : 1))[0];
	return [due ? h("p.lead", {}, h("strong", {}, due.name), `: ${due.matrix}`, h("span.when", {}, ` ${ahead(due.next)}`)) : h("p.empty", {}, "Nothing is scheduled."),
		due && h("p", {}, h("time", { datetime: due.next }, when(due.next))), h("p", {}, h("a", { href: "#/schedules" }, due ? "All schedules" : "Add a schedule"))];
}

/* --- console --- */

/* The running board's console: what it printed in its newest attempt, then every line as it comes. */
function makeConsole() {
	const text = h("pre.console", { tabindex: "0", "aria-label": "Console" }), heading = h("summary", {}, "Console");
	const element = h("details.block", { open: true }, heading, text);
	let shown = null, attemptShown = null, inLine = false;

	/* Live text comes in pieces, as it comes off the line; a piece that goes on with a line has no time before it. */
	const pieces = (lines) => lines.flatMap((l) => {
		const parts = inLine ? [visible(l.text)] : transcript([l]).flat();
		inLine = !l.text.endsWith("\n");
		return inLine && parts.length > 1 ? [parts[0], parts[1].replace(/\n$/, "")] : parts;
	});
	const write = (lines) => {
		const atEnd = text.scrollHeight - text.scrollTop - text.clientHeight < 40;
		text.append(...pieces(lines).filter((n) => n !== ""));
		text.normalize();
		while (text.childNodes.length > 2 * console_lines_max)
			text.firstChild.remove();
		if (atEnd)
			text.scrollTop = text.scrollHeight;
	};
	const begin = (name, attemptId) => {
		[shown, attemptShown, inLine] = [name, attemptId, false];
		heading.textContent = name ? `Console of ${name}` : "Console";
		text.replaceChildren();
	};
	return {
		element,
		async choose(boards) {
			const board_ = boards.find((b) => b.live?.attempt) ?? boards.find((b) => b.name === shown) ?? boards[0];
			const newest = board_ && await get(`/boards/${encodeURIComponent(board_.name)}/console`).catch(() => null);
			if (newest && (board_.name !== shown || newest.attempt !== attemptShown)) {
				begin(board_.name, newest.attempt);
				write(newest.lines.slice(-console_lines_max).map((l) => ({ ...l, text: l.text.endsWith("\n") ? l.text : `${l.text}\n` })));
			}
			if (!text.hasChildNodes())
				text.textContent = newest?.attempt ? "" : "Nothing has run yet.";
		},
		hear(line) {
			if (line.board !== shown && shown !== null)
				return;
			if (line.attempt !== attemptShown)
				begin(line.board, line.attempt);
			write([line]);
		},
	};
}
