// SPDX-License-Identifier: GPL-2.0-or-later
// Small pieces that several pages show.

import { h, table } from "../lib/dom.js";
import { ago, bitRate, byteRate, seconds, visible, when } from "../lib/format.js";

export function boardName({ name, virtual }) {
	return h(
		"span.board",
		{},
		name ?? "no board",
		virtual && [" ", h("span.tag", { title: "An emulated chip; the firmware is the real image" }, "virtual")],
	);
}

const glyphs = { pass: "✓", fail: "✗", error: "!", timeout: "⧗", skipped: "○", cancelled: "⊘", running: "▸", queued: "…" };

/** Word and sign, so that colour says nothing alone. */
export function verdict(r) {
	const word = r.verdict ?? r.state ?? "unknown";
	const sign = h("span", { "aria-hidden": "true" }, `${glyphs[word] ?? "?"} `);
	return h(
		`span.verdict.${/^[a-z]+$/.test(word) ? word : "unknown"}`,
		{},
		sign,
		word,
		r.cause && r.cause !== "none" ? ` (${r.cause})` : "",
	);
}

export function crumbs(...parts) {
	return h(
		"nav.crumbs",
		{ "aria-label": "Where this is" },
		parts.map((p, i) => [i ? h("span", { "aria-hidden": "true" }, " › ") : "", p]),
	);
}

/** A cell's name without what its page says anyway. */
export const shortCell = (cell) =>
	String(cell)
		.split("/")
		.filter((part) => part.includes("="))
		.join(" ") || cell;

export function tally(attempts) {
	const t = attempts ?? {};
	const words = ["pass", "fail", "error", "timeout", "skipped", "cancelled"].filter((k) => t[k] > 0);
	return words.length
		? words.map((k, i) => [
				i ? " " : "",
				h(`span.verdict.${k}`, {}, h("span", { "aria-hidden": "true" }, `${glyphs[k]} `), `${t[k]} ${k}`),
			])
		: `0 of ${t.total ?? 0}`;
}

/** A progress bar with its words. */
export function progressBar(done, total, words) {
	return h("div.progress", {}, h("progress", { max: total || 1, value: done, "aria-label": words }), h("span.note", {}, words));
}

/** Console lines: [{at_ns, text}] as text with the board's own time before each. */
export function transcript(lines) {
	return lines.map((l) => [
		h("span.at", {}, l.at_ns === null || l.at_ns === undefined ? "" : `${(l.at_ns / 1e9).toFixed(6).padStart(11)}  `),
		`${visible(l.text).replace(/\n$/, "")}\n`,
	]);
}

/** Results, one row an attempt. */
export function resultsTable(caption, results) {
	return table(
		caption,
		[
			{ head: "cell", cell: (r) => h("a", { href: `#/results/${r.id}`, title: r.cell }, shortCell(r.cell)) },
			{ head: "workload", cell: (r) => r.workload },
			{ head: "board", cell: (r) => boardName({ name: r.board, virtual: r.virtual }) },
			{ head: "verdict", cell: verdict },
			{ head: "application data rate", number: true, cell: (r) => byteRate(r.figures?.goodput_byte_per_s) },
			{ head: "in bits", number: true, cell: (r) => bitRate(r.figures?.goodput_byte_per_s) },
			{ head: "measured time", number: true, cell: (r) => seconds(r.figures?.elapsed_s) },
			{ head: "run", number: true, cell: (r) => h("a", { href: `#/runs/${r.run}`, "aria-label": `Run ${r.run}` }, String(r.run)) },
			{ head: "finished", cell: (r) => h("time", { datetime: r.finished, title: when(r.finished) }, ago(r.finished)) },
		],
		results,
		{ empty: "No result yet. ./lab up runs the published matrix; an operator can start it here.", quiet: true },
	);
}

/** A button that asks once more before it acts. */
export function careful(words, label, act) {
	const button = h("button.small", { type: "button", "aria-label": label }, words);
	button.addEventListener("click", () => {
		if (button.dataset.sure) {
			act();
			return;
		}
		button.dataset.sure = "1";
		button.textContent = `${words}: sure?`;
		button.setAttribute("aria-label", `${label}: sure?`);
		button.addEventListener(
			"blur",
			() => {
				delete button.dataset.sure;
				button.textContent = words;
				button.setAttribute("aria-label", label);
			},
			{ once: true },
		);
	});
	return button;
}

/** Run act; say what went wrong in the element. */
export async function attempt(said, act) {
	try {
		await act();
	} catch (e) {
		said.textContent = e.message;
	}
}
