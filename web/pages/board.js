// SPDX-License-Identifier: GPL-2.0-or-later
// One board: its state now, its console, its results. The overview shows the same card.

import { get, list, post, query, signedIn } from "../lib/api.js";
import { facts, h, mount, refresh, replace } from "../lib/dom.js";
import { none, number, when } from "../lib/format.js";
import { listenAndLoad, oneAtATime } from "../lib/live.js";
import { makeConsole } from "./console.js";
import { attempt, boardName, crumbs, resultsTable, shortCell, verdict } from "./parts.js";

export const title = "Board";

const results_shown = 50;

export async function show(room, parameters, [encoded]) {
	const name = decodeURIComponent(encoded),
		card = h("div"),
		results = h("div"),
		console_ = makeConsole();
	const load = oneAtATime(async () => {
		const [board, rows] = await Promise.all([
			get(`/boards/${encodeURIComponent(name)}`),
			get(`/results${query({ board: name, finished: 1, order: "desc", limit: results_shown })}`),
		]);
		refresh(card, [board, signedIn()], () => boardCard(board, load, "h2"));
		refresh(results, list(rows), (r) => resultsTable(`The newest results of ${name}, one row an attempt`, r));
		await console_.choose([board]);
	});

	await load();
	document.title = `${name} – labd`;
	mount(
		room,
		crumbs(h("a", { href: "#/" }, "Overview"), name),
		h("h1", {}, `Board ${name}`),
		card,
		h(
			"p.actions",
			{},
			h("a.button", { href: `#/compare${query({ board: name })}` }, "Compare with published"),
			h("a.button", { href: `/api/v1/export/samples.csv${query({ board: name })}`, download: "" }, "CSV samples"),
		),
		h("section.block", {}, h("h2", {}, "Results"), results),
		console_.element,
	);
	return listenAndLoad(load, (kind, data) => kind === "console" && console_.hear(data));
}

/** What a board is and does now; operators get what they may do with it. */
export function boardCard(b, load, heading = "h3") {
	const live = b.live ?? {},
		bad = b.health === "bad" || b.health === "quarantined";
	const said = h("span.note", { role: "status" });
	const flash = () =>
		attempt(said, async () => {
			const { run } = await post(`/boards/${encodeURIComponent(b.name)}/flash`, { requested_by: "dashboard" });
			replace(said, "Queued as ", h("a", { href: `#/runs/${run}` }, `run ${run}`), ".");
			await load();
		});
	const state = live.state ?? b.state;
	return h(
		"article.card",
		{ "aria-label": `Board ${b.name}` },
		h(
			heading,
			{},
			h("a", { href: `#/boards/${encodeURIComponent(b.name)}` }, b.name),
			" ",
			boardName({ name: "", virtual: b.virtual }),
		),
		h("p.note", {}, b.board_type),
		facts([
			[
				"state",
				h(
					`span.state.${/^[a-z]+$/.test(state) ? state : "unknown"}`,
					{},
					h("span", { "aria-hidden": "true" }, state === "idle" ? "○ " : "● "),
					live.step ? `${state}: ${live.step}` : state,
				),
			],
			["health", h(`span${bad ? ".verdict.fail" : ""}`, {}, b.health, b.health_reason ? `: ${b.health_reason}` : "")],
			!b.present && ["bench", "not on the bench of this daemon"],
			["firmware", b.holds?.build ? h("code", {}, b.holds.build) : "not known"],
			["first seen", when(b.first_seen)],
			["flash cycles", `${number(b.flash_cycles)}${b.flash_rated ? ` of ${number(b.flash_rated)} rated` : ""}`],
			[
				"last result",
				b.last_result
					? [h("a", { href: `#/results/${b.last_result.id}` }, shortCell(b.last_result.cell)), " ", verdict(b.last_result)]
					: none,
			],
		]),
		signedIn() &&
			b.present &&
			h(
				"p.actions",
				{},
				h("button.small", { type: "button", id: `flash-${b.name}`, "aria-label": `Flash ${b.name}`, click: flash }, "Flash"),
				said,
			),
	);
}
