// SPDX-License-Identifier: GPL-2.0-or-later
// One result with everything that is known of it: figures, the time of every frame, capture, console, provenance.

import { get, post, signedIn } from "../lib/api.js";
import { h, replace, table } from "../lib/dom.js";
import { bitRate, byteRate, grouped, none, number, seconds, when } from "../lib/format.js";
import { figure } from "../charts/figure.js";
import { frameTimes, percentiles } from "../charts/frames.js";
import { boardName, crumbs, list, verdict } from "./parts.js";

export const title = "Result";

export async function show(main, parameters, [id]) {
	const r = await get(`/results/${id}`);
	const [frames, lines] = await Promise.all([
		r.figures ? get(`/results/${id}/frames`) : Promise.resolve({ frames: [] }),
		get(`/results/${id}/console`).catch(() => []),
	]);

	document.title = `${r.cell} – labd`;
	replace(main,
		crumbs(h("a", { href: "#/runs" }, "Runs"), h("a", { href: `#/runs/${r.run}` }, `Run ${r.run}`), r.cell),
		h("h1", {}, r.cell), h("p", {}, verdict(r), " on ", boardName({ name: r.board, virtual: r.virtual }), r.error ? h("span", {}, `: ${r.error}`) : ""),
		r.excluded && h("p.failure", {}, `Excluded: ${r.excluded.reason} (${r.excluded.author})`),
		h("h2", {}, "Figures"), measured(r),
		(frames.frames ?? []).length > 0 && frameFigure(r, frames.frames),
		h("h2", {}, "Console"), transcript(list(lines)),
		h("h2", {}, "Where it comes from"), provenance(r),
		signedIn() && exclude(r));
}

function measured(r) {
	const f = r.figures;
	if (!f)
		return h("p.empty", {}, "No figure: a result that did not pass has none.");
	return h("dl", {},
		h("dt", {}, "application data rate"), h("dd", {}, `${byteRate(f.goodput_byte_per_s)} = ${bitRate(f.goodput_byte_per_s)}`),
		h("dt", {}, "frame rate"), h("dd", {}, `${number(f.frames_per_s)} frame/s`),
		h("dt", {}, "measured time"), h("dd", {}, `${number(f.elapsed_s, 9)} s from the trigger to the last acknowledgement, on the wire`),
		h("dt", {}, "payload"), h("dd", {}, `${grouped(f.payload_bytes)} byte in ${grouped(f.frames)} frames, every byte checked`),
		h("dt", {}, "retransmissions"), h("dd", {}, String(f.retransmissions)),
		h("dt", {}, "duplicate ACKs, zero windows"), h("dd", {}, `${f.duplicate_acks}, ${f.zero_windows}`),
		f.ack_paced && [h("dt", {}, "flag"), h("dd", {}, `ack-paced: the rate is that of one buffer per ${f.ack_pace_ms} ms; the peer's delayed ACK sets it, not the board`)]);
}

function frameFigure(r, frames) {
	const rows = percentiles(frames);
	return figure({
		title: "How long each frame took",
		subtitle: `${frames.length} frames; from the acknowledgement before to its own, on the wire`,
		name: `labd_frames_result-${r.id}`,
		draw: () => frameTimes(frames),
		json: `/api/v1/results/${r.id}/frames`,
		table: table("Time of a frame", [{ head: "share", cell: (p) => p.name }, { head: "time", number: true, cell: (p) => seconds(p.ns / 1e9) }], rows),
	});
}

function transcript(lines) {
	if (!lines.length)
		return h("p.empty", {}, "The board printed nothing.");
	return h("pre.console", { tabindex: "0", "aria-label": "Console of this result" },
		lines.map((l) => [h("span.at", {}, `${(l.at_ns / 1e9).toFixed(6)} `), l.text.replace(/\r/g, ""), l.text.endsWith("\n") ? "" : "\n"]));
}

function provenance(r) {
	const facts = [
		["board type", r.board_type], ["virtual", r.virtual ? "yes: the firmware ran on an emulated chip" : "no"], ["workload", r.workload],
		["parameters", Object.entries(r.params ?? {}).map(([k, v]) => `${k}=${v}`).join(" ")], ["variant", Object.entries(r.variant ?? {}).map(([k, v]) => `${k}=${v}`).join(" ")],
		["image build", r.image?.build], ["image SHA-256", r.image?.sha256], ["toolchain", r.image?.toolchain], ["proof of the image", r.image?.proof], ["wire", r.mode], ["pace", r.pace],
		["host", r.host?.name ?? r.host], ["kernel", r.host?.kernel], ["attempt", `${r.attempt} of repeat ${(r.repeat ?? 0) + 1}`], ["started", when(r.started)], ["finished", when(r.finished)],
		["took", seconds(r.wall_s)], ["flashing", r.flash_s ? seconds(r.flash_s) : "not needed: the board proved to hold the image"], ["boot", seconds(r.boot_s)],
	];
	return [
		h("dl", {}, facts.map(([name, value]) => [h("dt", {}, name), h("dd", {}, value || none)])),
		h("p.actions", {},
			r.capture && h("a", { href: `/api/v1/results/${r.id}/capture`, download: "" }, "Capture (pcap, for Wireshark)"),
			h("a", { href: `/api/v1/results/${r.id}/console.txt`, download: "" }, "Console, raw"),
			h("a", { href: `/api/v1/results/${r.id}` }, "JSON")),
	];
}

function exclude(r) {
	const reason = h("input", { id: "reason", required: true, maxlength: "200" });
	const said = h("span.note", { role: "status" });
	const submit = async (event) => {
		event.preventDefault();
		try {
			await post(`/results/${r.id}/${r.excluded ? "include" : "exclude"}`, r.excluded ? {} : { reason: reason.value });
			said.textContent = r.excluded ? "Taken back." : "Excluded; it stays visible.";
		} catch (e) {
			said.textContent = e.message;
		}
	};
	return h("form.controls", { submit }, r.excluded ? null : h("label", { for: "reason" }, "Reason for excluding this result", reason), h("button", {}, r.excluded ? "Take exclusion back" : "Exclude"), said);
}
