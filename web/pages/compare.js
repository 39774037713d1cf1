// SPDX-License-Identifier: GPL-2.0-or-later
// A figure by payload size, measured beside published. The address holds every choice; chart, table, CSV and JSON come from one query.

import { get, list, query } from "../lib/api.js";
import { h, refresh, replace, table } from "../lib/dom.js";
import { day, figures, inAxis, none, number, pairs, seconds, withUnit, withoutSize } from "../lib/format.js";
import { listenAndLoad, oneAtATime } from "../lib/live.js";
import { figure } from "../charts/figure.js";
import { boardName, verdict } from "./parts.js";

export const title = "Compare";

const transports = { tcp: "TCP", udp: "UDP" };

/* Every choice with its default; a choice at its default is left out of the address. */
const defaults = {
	figure: "goodput_byte_per_s",
	scale: "log",
	matrix: "",
	board: "",
	transport: "",
	workload: "trigger",
	run: "",
	published: "1",
	fit: "0",
};

function choices(parameters) {
	const choice = Object.fromEntries(Object.entries(defaults).map(([k, v]) => [k, parameters.get(k) ?? v]));
	if (!figures[choice.figure]) choice.figure = defaults.figure;
	return choice;
}

const address = (choice) => `#/compare${query(Object.fromEntries(Object.entries(choice).filter(([k, v]) => v !== defaults[k])))}`;

export async function show(room, parameters) {
	const choice = choices(parameters);
	const ask = Object.fromEntries(["figure", "run", "matrix", "board", "workload", "transport"].map((k) => [k, choice[k]]));
	const places = (room.places ??= { form: h("div"), chart: h("div"), choice: null });
	const load = oneAtATime(async () => {
		const [doc, boards, matrices] = await Promise.all([get(`/compare${query(ask)}`), get("/boards"), get("/matrices")]);
		if (places.choice !== choice)
			// the next choice is on its way already
			return;
		refresh(places.form, [list(boards).map((b) => b.name), list(matrices).map((m) => m.name)], ([names, stored]) =>
			controls(names, stored),
		);
		set(places.form, choice);
		refresh(places.chart, [choice, doc, list(boards).map((b) => b.name)], ([, d, names]) => content(d, names, choice, ask));
	});

	places.choice = choice;
	await load();
	if (!room.contains(places.form)) replace(room, h("h1", {}, title), places.form, places.chart);
	return listenAndLoad(load);
}

function content(doc, boards, choice, ask) {
	const rows = doc.rows.filter((r) => r.payload_bytes !== null);
	if (rows.length === 0)
		return h(
			"div.empty",
			{},
			h("p", {}, "Nothing is measured for this choice yet."),
			h("p", {}, h("a", { href: "#/" }, "Start a run on the overview"), ", or run ", h("code", {}, "./lab ctl run published"), "."),
		);
	const model = modelOf(rows, doc.fits, boards, choice);
	return [
		chart(
			model,
			rows,
			choice,
			ask,
			doc.rows.reduce((sum, r) => sum + Math.max(1, r.published.length), 0),
		),
		doc.fits.length > 0 && fits(doc.fits),
		notes(rows),
	];
}

/* --- from rows to what the chart shows --- */

/* The board, and of wire, transport, count and variant what tells its series apart. */
function seriesName(r, rows) {
	const own = rows.filter((o) => o.board === r.board),
		several = (of) => new Set(own.map(of)).size > 1;
	return [r.board ?? r.board_type, several(wayOf) ? wayOf(r) : "", several(overOf) ? overOf(r) : "", several(countOf) ? countOf(r) : "", pairs(varying(r.variant, own))]
		.filter(Boolean)
		.join(", ");
}

/* "UDP, each acknowledged" is another series than UDP: there the board waits for the host. */
const overOf = (r) => `${transports[r.transport] ?? r.transport}${r.params?.ack ? ", each acknowledged" : ""}`;

const countOf = (r) => (r.params?.count ? `${r.params.count} frames` : "");

const varying = (variant, rows) =>
	Object.fromEntries(Object.entries(variant ?? {}).filter(([k]) => new Set(rows.map((o) => o.variant?.[k])).size > 1));

/* Whose clock, over which wire: never one series with another. */
const wayOf = (r) => `${r.mode ?? "unknown wire"}, ${r.pace === "turns" ? "virtual time" : "real time"}`;

const sameSeries = (r, fit) =>
	!fit.published &&
	fit.board === r.board &&
	wayOf(fit) === wayOf(r) &&
	fit.transport === r.transport &&
	fit.ack === Boolean(r.params?.ack) &&
	fit.count === (r.params?.count ?? null) &&
	JSON.stringify(fit.variant) === JSON.stringify(r.variant);

export function modelOf(rows, fitted, boards, choice) {
	const series = new Map(),
		published = new Map(),
		missing = [];
	for (const r of rows) {
		const name = seriesName(r, rows);
		if (!series.has(name))
			series.set(name, {
				name,
				note: r.virtual ? "virtual" : "",
				slot: slotOf(r, boards, series),
				fit: fitOf(r, fitted),
				points: [],
			});
		if (r.value === null) {
			series.get(name).points.push({ x: r.payload_bytes, y: null });
			missing.push({
				x: r.payload_bytes,
				text: `${name}, ${number(r.payload_bytes)} byte: ${r.verdict ?? "not measured"}${r.cause && r.cause !== "none" ? ` (${r.cause})` : ""}`,
			});
		} else series.get(name).points.push(measuredPoint(r, name, choice.figure));
		for (const p of choice.published === "1" ? r.published : []) addPublished(published, r, p, choice.figure);
	}
	return {
		figure: choice.figure,
		title: finding(rows, fitted, choice),
		missing,
		sizes: [...new Set(rows.map((r) => r.payload_bytes))].sort((a, b) => a - b),
		series: [...series.values()],
		published: [...published.values()].filter((s) => s.points.length),
	};
}

/* A board has its colour and shape everywhere; further series of the same board take the next free ones. */
function slotOf(r, boards, series) {
	const used = [...series.values()].map((s) => s.slot),
		own = Math.max(0, boards.indexOf(r.board)) + 1;
	for (let i = 0; i < 5; i++) if (!used.includes((own + i) % 5)) return (own + i) % 5;
	return own % 5;
}

function fitOf(r, fitted) {
	const fit = fitted.find((f) => sameSeries(r, f));
	return fit ? { a: fit.a_s, b: fit.b_s_per_byte } : null;
}

function measuredPoint(r, name, key) {
	const interval = r.ci95_low !== null ? `, 95 % interval ${inAxis(key, r.ci95_low)} to ${inAxis(key, r.ci95_high)}` : "";
	const repeats = r.n === 1 ? "one run" : `median of ${r.n} runs`;
	return {
		x: r.payload_bytes,
		y: r.value,
		low: r.ci95_low,
		high: r.ci95_high,
		href: r.result ? `#/results/${r.result}` : null,
		label:
			`${name}${r.virtual ? " (virtual)" : ""}, ${number(r.payload_bytes)} byte: ${withUnit(key, r.value)} measured, ${repeats}${interval}` +
			`${r.ratio !== null ? `, ${number(r.ratio, 3)} times the published` : ""}${r.ack_paced ? ", paced by the peer's delayed acknowledgements" : ""}`,
	};
}

/* One mark for a published number, however many series stand beside it: it differs in something only if it does so from each of them. */
function addPublished(all, r, p, key) {
	const name = `published: ${p.source}`;
	if (!all.has(name)) all.set(name, { name: "published", note: p.source, points: [] });
	const label = `Published, ${number(r.payload_bytes)} byte: ${withUnit(key, p.value)}${p.printed ? ` (printed as ${p.printed})` : ""}, ${p.source}${p.differs.length ? `; differs in ${p.differs.join(", ")}` : ""}`;
	const points = all.get(name).points,
		point = { x: r.payload_bytes, y: p.value, same: p.differs.length === 0, label },
		at = points.findIndex((o) => o.x === point.x && o.y === point.y);
	if (at < 0) points.push(point);
	else if (point.same && !points[at].same) points[at] = point;
}

/* --- the chart's words --- */

/* The finding where there is one, the question otherwise. */
function finding(rows, fitted, choice) {
	const f = figures[choice.figure],
		boards = [...new Set(rows.map((r) => r.board))],
		ratios = rows.map((r) => r.ratio).filter((v) => v !== null);
	if (boards.length !== 1 || ratios.length === 0) return `${f.name} by payload size: how do the boards compare?`;
	const low = Math.min(...ratios),
		high = Math.max(...ratios);
	if (low > 0.95 && high < 1.05)
		return `${boards[0]} is within ${number(100 * Math.max(high - 1, 1 - low), 2)} % of the published ${f.name.toLowerCase()}`;
	const range = number(low, 3) === number(high, 3) ? number(low, 3) : `${number(low, 3)} to ${number(high, 3)}`;
	return f.rate
		? `${boards[0]} reaches ${range} times the published ${f.name.toLowerCase()}`
		: `A frame of ${boards[0]} takes ${range} times the published time`;
}

function subtitle(rows, model, choice) {
	const n = [...new Set(rows.filter((r) => r.value !== null).map((r) => r.n))].sort((a, b) => a - b),
		measured = rows.filter((r) => r.value !== null).length;
	const repeats =
		n.length === 0
			? ""
			: n.length === 1 && n[0] === 1
				? "one run of each"
				: `medians of ${n.length === 1 ? n[0] : `${n[0]} to ${n[n.length - 1]}`} runs`;
	const whiskers = rows.some((r) => r.ci95_low !== null && r.ci95_high > r.ci95_low)
		? "whiskers: 95 % interval of the median"
		: rows.every((r) => r.pace === "turns")
			? "no whiskers: in virtual time every repeat is equal"
			: "";
	const line =
		choice.fit === "1" && model.series.some((s) => s.fit) ? "dashed: the straight line a + b·n through the times of a frame" : "";
	const over = [...new Set(rows.map((r) => transports[r.transport] ?? r.transport).filter(Boolean))].join(" and ");
	return [`${measured} of ${rows.length} sizes measured on the wire${over ? ` over ${over}` : ""}`, repeats, line, whiskers]
		.filter(Boolean)
		.join(" · ");
}

function chart(model, rows, choice, ask, csvRows) {
	const runs = [...new Set(rows.map((r) => r.run))],
		builds = [...new Set(rows.map((r) => r.image?.build).filter(Boolean))];
	const csv = `/api/v1/export/compare.csv${query(ask)}`,
		pinned = address({ ...choice, run: runs.length === 1 ? String(runs[0]) : choice.run });
	const draw = async (width, facts) =>
		(await import("../charts/throughput.js")).throughput(model, { log: choice.scale === "log", fit: choice.fit === "1" }, width, facts);
	return figure({
		title: model.title,
		subtitle: subtitle(rows, model, choice),
		name: `labd_compare_${choice.figure}`,
		draw,
		csv,
		rows: csvRows,
		json: `/api/v1/compare${query(ask)}`,
		source: `labd, run ${runs.join(", ")}${builds.length ? `, firmware ${builds.join(", ")}` : ""}, ${day(new Date())}`,
		permalink: () => new URL(pinned, location.href).href,
		table: h("div.twin", {}, numbers(rows, choice.figure)),
		extra: h("a.button", { href: `${csv}${csv.includes("?") ? "&" : "?"}excel=1`, download: "" }, "CSV for Excel"),
	});
}

function controls(boards, matrices) {
	/* What changed is added to the address as it is now: another change may be on its way to the page. */
	const change = ({ target }) => {
		const now = choices(new URLSearchParams(location.hash.split("?")[1] ?? ""));
		location.hash = address({ ...now, [target.name]: target.type === "checkbox" ? (target.checked ? "1" : "0") : target.value });
	};
	const select = (name, label, options) =>
		h(
			"label",
			{},
			label,
			h(
				"select",
				{ name, id: `choice-${name}` },
				options.map(([v, text]) => h("option", { value: v }, text)),
			),
		);
	const check = (name, text, hint) =>
		h("label.check", { title: hint }, h("input", { type: "checkbox", name, id: `choice-${name}` }), text);
	return h(
		"form.controls",
		{ change, submit: (e) => e.preventDefault(), "aria-label": "What is compared" },
		select(
			"figure",
			"Figure",
			Object.entries(figures).map(([k, f]) => [k, `${f.name}, ${f.axis}`]),
		),
		select("scale", "Scale", [
			["log", "logarithmic"],
			["linear", "linear from 0"],
		]),
		select("board", "Board", [["", "all"], ...boards.map((b) => [b, b])]),
		select("matrix", "Matrix", [["", "any"], ...matrices.map((m) => [m, m])]),
		select("transport", "Transport", [["", "any"], ...Object.entries(transports)]),
		h("span.chosen", { id: "chosen-run" }),
		h(
			"span.checks",
			{},
			check("published", "published", "Published references as crosses"),
			check("fit", "line a + b·n", "The straight line through the times of a frame"),
		),
	);
}

/* The controls as the address has it. They stay where they are, so that no click or focus is lost when the page changes. */
function set(form, choice) {
	for (const [name, value] of Object.entries(choice)) {
		const control = form.querySelector(`[name=${name}]`);
		if (control?.type === "checkbox") control.checked = value === "1";
		else if (control) control.value = value;
	}
	refresh(
		form.querySelector("#chosen-run"),
		choice,
		() =>
			choice.run && [
				"run ",
				h("a", { href: `#/runs/${choice.run}` }, choice.run),
				" only · ",
				h("a", { href: address({ ...choice, run: "" }) }, "newest of each cell instead"),
			],
	);
}

/* --- tables --- */

function numbers(rows, key) {
	const f = figures[key],
		spread = rows.some((r) => r.n > 1),
		variants = new Set(rows.map((r) => JSON.stringify(r.variant))).size > 1,
		ways = new Set(rows.map(wayOf)).size > 1,
		counts = new Set(rows.map(countOf)).size > 1;
	const lines = rows.flatMap((r) => (r.published.length ? r.published : [null]).map((p, i) => ({ ...r, p, first: i === 0 })));
	const columns = [
		{ head: "board", cell: (r) => boardName({ name: r.board ?? r.board_type, virtual: r.virtual }) },
		ways && { head: "wire", cell: wayOf },
		variants && { head: "variant", cell: (r) => pairs(r.variant) || none },
		{ head: "over", cell: (r) => (r.transport ? overOf(r) : none) },
		counts && { head: "run of", cell: (r) => countOf(r) || none },
		{ head: "payload, byte", number: true, cell: (r) => number(r.payload_bytes) },
		{
			head: `measured, ${f.axis}`,
			number: true,
			cell: (r) =>
				r.first &&
				(r.value !== null ? h("a", { href: `#/results/${r.result}`, "data-value": r.value }, inAxis(key, r.value)) : verdict(r)),
		},
		spread && {
			head: "95 % interval",
			number: true,
			cell: (r) => r.first && (r.ci95_low !== null ? `${inAxis(key, r.ci95_low)} – ${inAxis(key, r.ci95_high)}` : none),
		},
		spread && { head: "runs", number: true, cell: (r) => r.first && `${r.n}${r.n_failed ? ` (${r.n_failed} failed)` : ""}` },
		{
			head: `published, ${f.axis}`,
			number: true,
			cell: (r) => (r.p ? h("span", { "data-published": r.p.value }, inAxis(key, r.p.value)) : none),
		},
		{ head: "measured / published", number: true, cell: (r) => r.first && (r.ratio !== null ? `× ${number(r.ratio, 3)}` : none) },
		{
			head: "source",
			wide: true,
			cell: (r) => (r.p ? [r.p.source, r.p.differs.length > 0 && h("div.note", {}, `differs in ${r.p.differs.join(", ")}`)] : none),
		},
	];
	return table(`${f.name} in ${f.axis}: the numbers of the chart`, columns.filter(Boolean), lines);
}

const times = (a, b) => `${seconds(a)} + ${number(b * 1e6)}\u00a0µs · n`;

function fits(rows) {
	const own = rows.filter((r) => !r.published).map((r) => ({ ...r, params: { ack: r.ack } }));
	return h(
		"section.block",
		{},
		h("h2", {}, "A frame of n bytes takes a + b · n"),
		table(
			"The straight line through the times of a frame, by least squares",
			[
				{ head: "series", cell: (r) => (r.published ? `published, ${r.board_type}` : seriesName({ ...r, params: { ack: r.ack } }, own)) },
				{ head: "time of a frame", cell: (r) => h("span.board", {}, times(r.a_s, r.b_s_per_byte)) },
				{ head: "a, each frame", number: true, cell: (r) => seconds(r.a_s) },
				{ head: "b, each byte", number: true, cell: (r) => `${number(r.b_s_per_byte * 1e6)}\u00a0µs` },
				{
					head: "1 / b",
					number: true,
					title: "The rate that ever larger frames approach",
					cell: (r) => `${number(1 / r.b_s_per_byte)}\u00a0byte/s`,
				},
				{ head: "farthest size off", number: true, cell: (r) => `${number(r.max_relative_error * 100, 2)}\u00a0%` },
				{ head: "sizes", number: true, cell: (r) => r.n },
			],
			rows,
			{ quiet: true },
		),
	);
}

function notes(rows) {
	const descriptions = new Map(rows.flatMap((r) => r.published).map((p) => [p.source, p]));
	return h(
		"section.block",
		{},
		h("h2", {}, "How to read this"),
		h(
			"ul.plain",
			{},
			h(
				"li",
				{},
				"The measured rate counts the application's bytes from the trigger to the acknowledgement of the last frame, as seen on the wire.",
			),
			h(
				"li",
				{},
				"× is a published result under the same conditions, + one that differs in something a matrix can vary; the latter never enters a ratio. A published result is of other firmware.",
			),
			[...descriptions.values()].map((p) =>
				h(
					"li",
					{},
					h("cite", {}, p.source),
					p.description ? `: ${withoutSize(p.description)}` : "",
					p.grade ? ` (grade ${p.grade})` : "",
					". ",
					h("a", { href: "#/references" }, "All references"),
				),
			),
		),
	);
}
