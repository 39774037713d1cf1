// SPDX-License-Identifier: GPL-2.0-or-later
// Nightly and other runs: what is due when, what became of it, and, for operators, adding, pausing and removing.

import { del, get, list, post, query, signedIn } from "../lib/api.js";
import { h, mount, refresh, table } from "../lib/dom.js";
import { ahead, none, when } from "../lib/format.js";
import { listenAndLoad, oneAtATime } from "../lib/live.js";
import { attempt, careful } from "./parts.js";

export const title = "Schedules";

const outcomes = {
	fired: "fired",
	caught_up: "caught up",
	missed: "missed",
	overlap: "left out: the run before was still going",
	failed: "failed",
};
const preview_wait_ms = 250;

export async function show(main) {
	const place = h("div"),
		form = h("div"),
		said = h("p.note", { role: "status", id: "schedules-said" });
	const load = oneAtATime(async () => {
		const [rows, matrices, boards] = (await Promise.all(["/schedules", "/matrices", "/boards"].map(get))).map(list);
		refresh(place, [rows, signedIn(), Math.floor(Date.now() / 60000)], () =>
			listing(rows, (act) =>
				attempt(said, async () => {
					said.textContent = "";
					await act();
					await load();
				}),
			),
		);
		refresh(form, [matrices.map((m) => m.name), boards.map((b) => b.name), signedIn()], ([m, b]) =>
			signedIn()
				? adder(m, b, load)
				: h("p.note", {}, "Open the login link that ./lab up or labctl login prints to add and change schedules."),
		);
	});
	await load();
	mount(main, [h("h1", {}, title), place, said, form]);
	return listenAndLoad(load);
}

function listing(rows, act) {
	const at = (s) => `/schedules/${encodeURIComponent(s.name)}`;
	const change = (s) =>
		h(
			"span.actions",
			{},
			h(
				"button.small",
				{
					type: "button",
					id: `switch-${s.name}`,
					"aria-label": `${s.enabled ? "Disable" : "Enable"} ${s.name}`,
					click: () => act(() => post(`${at(s)}/${s.enabled ? "disable" : "enable"}`)),
				},
				s.enabled ? "Disable" : "Enable",
			),
			careful("Remove", `Remove ${s.name}`, () => act(() => del(at(s)))),
		);
	const columns = [
		{ head: "name", cell: (s) => s.name },
		{ head: "when", cell: (s) => [h("code", {}, s.cron), " ", s.zone] },
		{ head: "runs", cell: (s) => [s.matrix, s.board ? ` on ${s.board}` : "", s.cell ? `, cells ${s.cell}` : ""] },
		{
			head: "next",
			cell: (s) =>
				s.enabled
					? [h("time", { datetime: s.next }, when(s.next)), h("span.when", {}, ` ${ahead(s.next)}`)]
					: h("span.tag", {}, "disabled"),
		},
		{
			head: "last",
			cell: (s) =>
				s.last
					? [
							`${outcomes[s.last.what] ?? s.last.what}, ${when(s.last.happened)} `,
							s.last.run ? h("a", { href: `#/runs/${s.last.run}` }, `run ${s.last.run}`) : "",
							s.last.note && h("div.note", {}, s.last.note),
						]
					: none,
		},
		signedIn() && { head: "change", cell: change },
	];
	return table("Scheduled runs", columns.filter(Boolean), rows, { empty: "Nothing is scheduled.", quiet: true });
}

function adder(matrices, boards, load) {
	const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
	const field = (name, label, attributes, hint) =>
		h(
			"label",
			{ for: `add-${name}` },
			label,
			h("input", { id: `add-${name}`, name, required: true, autocomplete: "off", ...attributes }),
			hint && h("span.hint", {}, hint),
		);
	const select = (name, label, options) =>
		h(
			"label",
			{ for: `add-${name}` },
			label,
			h(
				"select",
				{ id: `add-${name}`, name },
				options.map(([v, text]) => h("option", { value: v }, text)),
			),
		);
	const said = h("p.note.whole", { role: "status", id: "schedule-preview" });
	const form = h(
		"form.controls",
		{ "aria-label": "Add a schedule" },
		field("name", "Name", { value: "nightly", pattern: "[A-Za-z0-9._+\\-]+", size: "12" }),
		field("cron", "Cron expression", { value: "30 2 * * *", size: "14" }, "minute hour day month weekday"),
		field("zone", "Time zone", { value: zone, size: "16" }),
		select(
			"matrix",
			"Matrix",
			matrices.map((m) => [m, m]),
		),
		select("board", "Board", [["", "all that fit"], ...boards.map((b) => [b, b])]),
		select("catch_up", "After downtime", [
			["none", "skip what was missed"],
			["one", "run once"],
		]),
		h("button.primary", {}, "Add"),
		said,
	);
	const value = (name) => form.elements[name].value.trim();
	const preview = () =>
		attempt(said, async () => {
			const p = await get(`/schedules/preview${query({ cron: value("cron"), zone: value("zone"), count: 3 })}`);
			said.textContent = `Would run ${p.next.map((n) => when(n.utc)).join(" · ")}`;
		});
	let timer = null;
	form.addEventListener("input", () => {
		clearTimeout(timer);
		timer = setTimeout(preview, preview_wait_ms);
	});
	form.addEventListener("submit", (event) => {
		event.preventDefault();
		const body = Object.fromEntries([...new FormData(form).entries()].map(([k, v]) => [k, v.trim()]).filter(([, v]) => v !== ""));
		attempt(said, async () => {
			await post("/schedules", { ...body, author: "dashboard" });
			said.textContent = `${body.name} is added.`;
			await load();
		});
	});
	preview();
	return h("section.block", {}, h("h2", {}, "Add a schedule"), form);
}
