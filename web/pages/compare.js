// SPDX-License-Identifier: GPL-2.0-or-later
// A figure by payload size, measured beside published. The address holds every choice; chart, table, CSV and JSON come from one query.

import { get, query } from "../lib/api.js";
import { h, replace, table } from "../lib/dom.js";
import { figures, none, number, si } from "../lib/format.js";
import { figure } from "../charts/figure.js";
import { throughput } from "../charts/throughput.js";
import { boardName, list } from "./parts.js";

export const title = "Compare";

const shown = ["goodput_byte_per_s", "frames_per_s", "frame_time_s"];

export async function show(main, parameters) {
	const choice = {
		figure: shown.includes(parameters.get("figure")) ? parameters.get("figure") : shown[0],
		run: parameters.get("run"), matrix: parameters.get("matrix"), board: parameters.get("board"), transport: parameters.get("transport"),
		scale: parameters.get("scale") === "linear" ? "linear" : "log", published: parameters.get("published") !== "0",
	};
	const ask = { figure: choice.figure, run: choice.run, matrix: choice.matrix, board: choice.board, transport: choice.transport };
	const [doc, boards, matrices] = await Promise.all([get(`/compare${query(ask)}`), get("/boards"), get("/matrices")]);
	const rows = doc.rows ?? list(doc);
	const points = toPoints(rows, choice);

	replace(main, h("h1", {}, title), controls(choice, list(boards), list(matrices)),
		rows.length === 0 ? h("p.empty", {}, "Nothing is measured for this choice yet.") : chart(points, rows, choice, ask),
		doc.fits?.length ? fits(doc.fits) : null, h("p.note", {}, "A published result is of another firmware and, where a board is marked virtual, of another kind of board; a cross drawn pale differs in more, which its row names."));
}

/** From the rows of the query to marks: one for each measured cell, one for each published reference. */
function toPoints(rows, choice) {
	const f = figures[choice.figure];
	const points = [];
	for (const r of rows) {
		const series = seriesName(r);
		points.push({
			series, x: r.payload_bytes, y: r.value ?? r.median ?? null, low: r.ci95_low ?? r.min ?? r.value, high: r.ci95_high ?? r.max ?? r.value, verdict: r.verdict,
			published: false, href: r.result ? `#/results/${r.result}` : null,
			label: `${series}, ${r.payload_bytes} byte: ${f.write(r.value ?? r.median ?? null)} measured${r.virtual ? " (virtual)" : ""}`,
		});
		for (const p of choice.published ? r.published ?? [] : [])
			points.push({
				series: "published", x: r.payload_bytes, y: p.value, differs: p.differs, published: true, source: p.source,
				label: `published, ${r.payload_bytes} byte: ${f.write(p.value)}, ${p.source}${p.differs?.length ? `, differs in ${p.differs.join(", ")}` : ""}`,
			});
	}
	return points;
}

function seriesName(r) {
	const variant = Object.entries(r.variant ?? {}).filter(([, v]) => v !== null).map(([k, v]) => `${k}=${v}`);
	return [r.board, r.transport && r.transport !== "tcp" ? r.transport : null, r.variant_text ?? (r.variant_differs ? variant.join(" ") : null)].filter(Boolean).join(" ");
}

function controls(choice, boards, matrices) {
	const change = (event) => {
		const form = new FormData(event.currentTarget);
		const next = Object.fromEntries([...form.entries()].filter(([, v]) => v !== ""));
		next.published = form.has("published") ? null : "0";
		location.hash = `#/compare${query(next)}`;
	};
	const select = (name, label, options, value) => h("label", {}, label, h("select", { name }, options.map(([v, text]) => h("option", { value: v, selected: String(v) === String(value ?? "") }, text))));
	return h("form.controls", { change, submit: (e) => e.preventDefault() },
		select("figure", "Figure", shown.map((k) => [k, figures[k].name]), choice.figure),
		select("matrix", "Matrix", [["", "any"], ...matrices.map((m) => [m.name, m.name])], choice.matrix),
		select("board", "Board", [["", "all"], ...boards.map((b) => [b.name, b.name])], choice.board),
		select("transport", "Transport", [["", "any"], ["tcp", "TCP"], ["udp", "UDP"]], choice.transport),
		select("scale", "Scale", [["log", "logarithmic"], ["linear", "linear from 0"]], choice.scale),
		choice.run && h("label", {}, "Run", h("input", { name: "run", value: choice.run, size: "5" })),
		h("label.check", {}, h("input", { type: "checkbox", name: "published", checked: choice.published, value: "1" }), "published"));
}

function chart(points, rows, choice, ask) {
	const f = figures[choice.figure];
	const measured = rows.filter((r) => (r.value ?? r.median) != null).length;
	const heading = `${f.name} by payload size, measured beside published`;
	return figure({
		title: heading,
		subtitle: `${measured} of ${rows.length} cells measured; on the wire, application payload only; whiskers: 95 % interval of the median where a cell has six or more repeats`,
		name: `labd_compare_${choice.figure}`,
		draw: (facts) => throughput(points, { figure: choice.figure, log: choice.scale === "log", title: heading }, facts),
		table: numbers(rows, f),
		csv: `/api/v1/export/compare.csv${query(ask)}`, json: `/api/v1/compare${query(ask)}`, rows: rows.length,
	});
}

function numbers(rows, f) {
	const first = (r) => r.published?.[0];
	return table(`${f.name}: measured and published`, [
		{ head: "board", cell: (r) => boardName({ name: r.board, virtual: r.virtual }) },
		{ head: "variant", cell: (r) => Object.entries(r.variant ?? {}).map(([k, v]) => `${k}=${v}`).join(" ") || none },
		{ head: "payload, byte", number: true, cell: (r) => String(r.payload_bytes) },
		{ head: `measured, ${f.unit}`, number: true, cell: (r) => ((r.value ?? r.median) != null ? h("a", { href: `#/results/${r.result}`, "data-value": r.value ?? r.median }, number(r.value ?? r.median, 7)) : r.verdict ?? none) },
		{ head: "repeats", number: true, cell: (r) => String(r.n ?? none) },
		{ head: `published, ${f.unit}`, number: true, cell: (r) => (first(r) ? number(first(r).value, 7) : none) },
		{ head: "ratio", number: true, cell: (r) => (r.ratio != null ? `× ${number(r.ratio, 3)}` : none) },
		{ head: "source", cell: (r) => (first(r) ? [first(r).source, first(r).differs?.length ? h("div.note", {}, `differs in ${first(r).differs.join(", ")}`) : null] : none) },
	], rows);
}

function fits(rows) {
	return [h("h2", {}, "Time of a frame: a + b · n"), table("Straight line through the sizes, by least squares", [
		{ head: "series", cell: (r) => r.series ?? r.board },
		{ head: "a, fixed part of a frame", number: true, cell: (r) => si(r.a_s, "s").replace(/^(\S+) s$/, (m, v) => `${number(v * 1000)} ms`) },
		{ head: "b, each byte", number: true, cell: (r) => `${number(r.b_s_per_byte * 1e6)} µs/byte` },
		{ head: "largest error", number: true, cell: (r) => `${number(r.max_relative_error * 100, 2)} %` },
	], rows)];
}
