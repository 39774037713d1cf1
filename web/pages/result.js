// SPDX-License-Identifier: GPL-2.0-or-later
// One result with everything that is known of it: figures, the time of every frame, capture, console, provenance.

import { get, list, post, signedIn } from "../lib/api.js";
import { facts, h, replace, table } from "../lib/dom.js";
import { bitRate, byteRate, grouped, none, number, pairs, seconds, when } from "../lib/format.js";
import { figure } from "../charts/figure.js";
import { framesCsv, percentiles } from "../charts/percentiles.js";
import { attempt, boardName, crumbs, shortCell, transcript, verdict } from "./parts.js";

export const title = "Result";

export async function show(main, parameters, [id]) {
	const r = await get(`/results/${id}`);
	const [frames, lines] = await Promise.all([
		r.figures ? get(`/results/${id}/frames`) : { frames: [], total: 0 },
		get(`/results/${id}/console`).catch(() => []),
	]);
	const charts = frames.frames.length > 0 ? await import("../charts/frames.js").catch(() => null) : null;
	const again = () => show(main, parameters, [id]);

	document.title = `${shortCell(r.cell)} – labd`;
	replace(
		main,
		crumbs(h("a", { href: "#/runs" }, "Runs"), h("a", { href: `#/runs/${r.run}` }, `Run ${r.run}`), `Result ${r.id}`),
		h(
			"h1",
			{},
			`${r.workload} `,
			shortCell(r.cell),
			" ",
			boardName({ name: r.board ? `on ${r.board}` : r.board_type, virtual: r.virtual }),
		),
		h("p.lead", {}, verdict(r), r.error ? `: ${r.error}` : ""),
		r.excluded && h("p.failure", {}, `Excluded from statistics by ${r.excluded.author}: ${r.excluded.reason}`),
		downloads(r),
		r.figures ? tiles(r.figures) : h("p.empty", {}, "No figures: a result that did not pass has none."),
		r.figures && paced(r.figures),
		frames.frames.length > 0 && frameFigure(r, frames, charts),
		r.figures && h("section.block", {}, h("h2", {}, "Seen on the wire"), wire(r.figures)),
		h("section.block", {}, h("h2", {}, "Where it comes from"), provenance(r)),
		h("section.block", {}, h("h2", {}, "Console"), console_(list(lines))),
		signedIn() && r.state === "finished" && exclude(r, again),
	);
}

function downloads(r) {
	return h(
		"div.actions",
		{},
		r.capture && h("a.button", { href: `/api/v1/results/${r.id}/capture`, download: "" }, "Capture (pcap)"),
		h("a.button", { href: `/api/v1/results/${r.id}/console.txt`, download: "" }, "Console, raw"),
		h("a.button", { href: `/api/v1/results/${r.id}` }, "JSON"),
		r.matrix && h("a.button", { href: `#/compare?run=${r.run}` }, "Compare with published"),
	);
}

function tiles(f) {
	const tile = (name, value, note) => h("div.tile", {}, h("span.name", {}, name), h("span.value", {}, value), h("span.note", {}, note));
	return h(
		"div.tiles",
		{},
		tile("application data rate", byteRate(f.goodput_byte_per_s), `= ${bitRate(f.goodput_byte_per_s)}`),
		tile("frame rate", `${number(f.frames_per_s)}\u00a0frame/s`, `${grouped(f.frames)} frames`),
		tile("time per frame", seconds(f.elapsed_s / f.frames), "mean"),
		tile("measured time", `${number(f.elapsed_s, 6)}\u00a0s`, "trigger to last acknowledgement"),
	);
}

function paced(f) {
	return (
		f.ack_paced &&
		h(
			"p.failure",
			{},
			`ack-paced: one buffer per ${f.ack_pace_ms} ms. The peer's delayed acknowledgement sets this rate, not the board.`,
		)
	);
}

function wire(f) {
	return facts([
		["payload", `${grouped(f.payload_bytes)} byte, every one checked`],
		["on the wire", `${grouped(f.wire_bytes)} byte of the board's frames, FCS included`],
		["time, exactly", `${grouped(f.elapsed_ns)} ns`],
		["retransmissions", number(f.retransmissions)],
		["duplicate ACKs", number(f.duplicate_acks)],
		["zero windows", number(f.zero_windows)],
		["out of order", number(f.out_of_order)],
		["bad checksums", number(f.bad_checksums)],
		["merged frames", number(f.merged_frames)],
		[
			"receive window",
			f.window_max === null
				? null
				: f.window_min === f.window_max
					? `${number(f.window_min)} byte`
					: `${number(f.window_min)} to ${number(f.window_max)} byte`,
		],
		["MSS of the board", f.mss === null ? null : `${number(f.mss)} byte`],
		["capture", `${grouped(f.captured_frames)} packets, ${grouped(f.captured_bytes)} byte, ${f.link_type}`],
	]);
}

/* --- frames --- */

function frameTitle(rows) {
	const low = rows[0].ns,
		high = rows[rows.length - 1].ns;
	return high === low ? `Every frame took ${seconds(low / 1e9)}` : `A frame took ${seconds(low / 1e9)} to ${seconds(high / 1e9)}`;
}

function frameFigure(r, { frames, total }, charts) {
	const csv = h(
		"button.small",
		{
			type: "button",
			click: async () =>
				(await import("../charts/picture.js")).saveText(framesCsv(frames), "text/csv", `labd_frames_result-${r.id}.csv`),
		},
		`CSV, ${frames.length} rows`,
	);
	const rows = percentiles(frames);
	return figure({
		title: frameTitle(rows),
		hint: "Point at a frame, or move to the chart with Tab and walk with the arrow keys, to read it here. Drag to enlarge, double click for all.",
		subtitle: `${frames.length === total ? `all ${number(total)}` : `the first ${number(frames.length)} of ${number(total)}`} frames, from the acknowledgement before to its own, on the wire`,
		name: `labd_frames_result-${r.id}`,
		json: `/api/v1/results/${r.id}/frames`,
		extra: csv,
		draw: async (width, place) => {
			if (!charts) throw new Error("no chart library");
			return [key(charts.keyOf(frames)), charts.frameTimes(frames, width, place)];
		},
		table: h(
			"div.twin.small",
			{},
			table(
				"Time of a frame, percentiles by rank",
				[
					{ head: "share of frames", cell: (p) => p.name },
					{ head: "time", number: true, cell: (p) => h("span", { "data-ns": p.ns }, seconds(p.ns / 1e9)) },
				],
				rows,
			),
		),
	});
}

function key(lines) {
	return (
		lines.length > 0 &&
		h(
			"p.key",
			{},
			lines.map((l) => h("span", {}, h(`span.line.slot${l.slot}${l.dash ? ".dash" : ""}`, { "aria-hidden": "true" }), l.name)),
		)
	);
}

/* --- where it comes from --- */

function provenance(r) {
	return facts([
		["cell", h("code", {}, r.cell), "wide"],
		["board type", r.board_type],
		["virtual", r.virtual ? "yes: the firmware image ran on an emulated chip" : "no"],
		["workload", r.workload],
		["parameters", pairs(r.params)],
		["variant", pairs(r.variant)],
		["image build", r.image?.build && h("code", {}, r.image.build)],
		["image SHA-256", r.image?.sha256 && h("code", {}, r.image.sha256), "wide"],
		["toolchain", r.image?.toolchain],
		["image known by", r.image?.proof],
		["wire", r.mode],
		["time", r.pace === "turns" ? "the board's own (turns)" : r.pace],
		["host", r.host && `${r.host}${r.kernel ? `, ${r.kernel}` : ""}`],
		["labd", r.labd],
		["matrix", r.matrix && `${r.matrix}, version ${r.matrix_version}`],
		["repeat", `${r.repeat + 1}, attempt ${r.attempt}`],
		["started", when(r.started)],
		["finished", when(r.finished)],
		["wall time", seconds(r.wall_s)],
		[
			"flashing",
			r.flash_s !== null
				? `${seconds(r.flash_s)}${r.pace === "turns" ? " in the board's own time" : ""}${r.flash_bytes ? `, ${number(r.flash_bytes)} byte` : ""}`
				: "not needed: the board proved to hold the image",
		],
		["power to network", r.boot_s !== null ? `${seconds(r.boot_s)} in the board's own time` : none],
		["bad console lines", r.bad_lines ? number(r.bad_lines) : null],
	]);
}

function console_(lines) {
	if (!lines.length) return h("p.empty", {}, "The board printed nothing.");
	return h("pre.console", { tabindex: "0", "aria-label": "Console of this result" }, transcript(lines));
}

/* A bad result is never deleted: it is excluded from statistics, with a reason, and stays visible. */
function exclude(r, again) {
	const reason = h("input", { id: "reason", required: true, maxlength: "200", size: "40" }),
		said = h("span.note", { role: "status" });
	const submit = (event) => {
		event.preventDefault();
		attempt(said, async () => {
			await post(
				`/results/${r.id}/${r.excluded ? "include" : "exclude"}`,
				r.excluded ? {} : { reason: reason.value, author: "dashboard" },
			);
			await again();
		});
	};
	return h(
		"form.controls",
		{ submit, "aria-label": "Exclude from statistics" },
		r.excluded
			? h("span.note", {}, "This result is excluded.")
			: h("label", { for: "reason" }, "Exclude from statistics, because", reason),
		h("button", {}, r.excluded ? "Take the exclusion back" : "Exclude"),
		said,
	);
}
