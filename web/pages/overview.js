// SPDX-License-Identifier: GPL-2.0-or-later
// What is on the bench now, what runs, and what the last results were.

import { get, post, signedIn } from "../lib/api.js";
import { announce, h, replace, table } from "../lib/dom.js";
import { ago, bitRate, byteRate, none, seconds } from "../lib/format.js";
import { listen } from "../lib/live.js";
import { boardName, list, verdict } from "./parts.js";

export const title = "Overview";

export async function show(main) {
	const boards = h("div.cards"), running = h("div"), results = h("div"), next = h("div");
	const console_ = h("pre.console", { tabindex: "0", "aria-label": "Console of the running board" });
	const state = { console: new Map() };

	const load = async () => {
		const [b, r, results_, s, m] = await Promise.all([get("/boards"), get("/runs?limit=5"), get("/results?latest=1&finished=1&limit=12&order=desc").catch(() => get("/results")),
			get("/schedules"), get("/matrices")]);
		replace(boards, list(b).length ? list(b).map(board) : h("p.empty", {}, "No board is on the bench."));
		replace(running, progress(list(r), list(m), load));
		replace(results, lastResults(list(results_)));
		replace(next, schedule(list(s)));
	};

	await load();
	replace(main, h("h1", {}, title), running,
		h("section", { "aria-label": "Console" }, h("details", { open: true }, h("summary", {}, "Console of the running board"), console_)),
		h("h2", {}, "Boards"), boards, h("h2", {}, "Last results"), results, h("h2", {}, "Next run"), next);
	console_.textContent = "Nothing runs.";
	return listen(debounced(load, (kind, data) => {
		if (kind === "console")
			hear(state, console_, data);
		if (kind === "run" && data?.state === "finished")
			announce(`Run ${data.run} is finished.`);
	}));
}

/** Console lines are shown as they come; everything else makes the page load once, a moment later. */
function debounced(load, first) {
	let timer = null;
	return (kind, data) => {
		first(kind, data);
		if (kind === "console" || timer)
			return;
		timer = setTimeout(() => {
			timer = null;
			load().catch(() => {});
		}, 400);
	};
}

function hear(state, place, data) {
	const text = (state.console.get(data.board) ?? "") + (data.text ?? "");
	state.console.set(data.board, text.slice(-8000));
	place.textContent = `${data.board}\n${state.console.get(data.board)}`;
	place.scrollTop = place.scrollHeight;
}

function board(b) {
	const live = b.live ?? {};
	return h("article.card", { "aria-label": `Board ${b.name}` },
		h("h3", {}, boardName(b)),
		h("dl", {},
			h("dt", {}, "type"), h("dd", {}, b.board_type),
			h("dt", {}, "state"), h("dd", {}, live.state ?? b.state, live.step ? ` (${live.step})` : ""),
			h("dt", {}, "health"), h("dd", {}, b.health, b.health_reason ? `: ${b.health_reason}` : ""),
			h("dt", {}, "holds"), h("dd.mono", {}, b.holds?.build ?? "not known"),
			h("dt", {}, "flash cycles"), h("dd", {}, `${b.flash_cycles}${b.flash_rated ? ` of ${b.flash_rated} rated` : ""}`),
			h("dt", {}, "last"), h("dd", {}, b.last_result ? [h("a", { href: `#/results/${b.last_result.id}` }, b.last_result.cell), " ", verdict(b.last_result)] : none)));
}

function progress(runs, matrices, load) {
	const active = runs.filter((r) => r.state !== "finished");
	const blocks = active.map((r) => {
		const { finished = 0, total = 0 } = r.attempts ?? {};
		return h("section.card", { "aria-label": `Run ${r.id}` },
			h("h3", {}, h("a", { href: `#/runs/${r.id}` }, `Run ${r.id}: ${r.matrix ?? r.reason}`)),
			h("progress", { max: String(total || 1), value: finished, "aria-label": `${finished} of ${total} done` }),
			h("p.note", {}, `${finished} of ${total} done, ${r.state}, asked for by ${r.requested_by}`));
	});
	return [active.length ? blocks : null, signedIn() && starter(matrices, load)];
}

/** Start a run: for operators only. */
function starter(matrices, load) {
	const choice = h("select", { id: "matrix" }, matrices.map((m) => h("option", { value: m.name }, `${m.name} (version ${m.version})`)));
	const said = h("span.note", { role: "status" });
	const start = async (event) => {
		event.preventDefault();
		try {
			const run = await post("/runs", { matrix: choice.value });
			said.textContent = `Run ${run.run ?? run.id} is queued.`;
			await load();
		} catch (e) {
			said.textContent = e.message;
		}
	};
	return h("form.controls", { submit: start }, h("label", { for: "matrix" }, "Matrix", choice), h("button.primary", {}, "Run now"), said);
}

function lastResults(results) {
	return table("The newest results, one row an attempt", [
		{ head: "cell", cell: (r) => h("a", { href: `#/results/${r.id}` }, r.cell) },
		{ head: "board", cell: (r) => boardName({ name: r.board, virtual: r.virtual }) },
		{ head: "verdict", cell: verdict },
		{ head: "rate", number: true, cell: (r) => byteRate(r.figures?.goodput_byte_per_s ?? null) },
		{ head: "", number: true, cell: (r) => bitRate(r.figures?.goodput_byte_per_s ?? null) },
		{ head: "took", number: true, cell: (r) => seconds(r.wall_s) },
		{ head: "when", cell: (r) => h("time", { datetime: r.finished }, ago(r.finished)) },
	], results, { empty: "No result yet. ./lab up runs the published matrix; an operator can start one here." });
}

function schedule(rows) {
	const due = rows.filter((s) => s.enabled && s.next).sort((a, b) => (a.next < b.next ? -1 : 1))[0];
	return h("p", {}, due ? [`${due.name}: ${due.matrix} at `, h("time", { datetime: due.next }, new Date(due.next).toLocaleString()), ". "] : "Nothing is scheduled. ",
		h("a", { href: "#/schedules" }, "Schedules"));
}
