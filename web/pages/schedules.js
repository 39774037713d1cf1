// SPDX-License-Identifier: GPL-2.0-or-later
// Nightly and other runs: what is due when, what became of it, and, for operators, adding and removing.

import { del, get, post, query, signedIn } from "../lib/api.js";
import { h, replace, table } from "../lib/dom.js";
import { when } from "../lib/format.js";
import { list } from "./parts.js";

export const title = "Schedules";

export async function show(main) {
	const load = async () => {
		const [rows, matrices] = await Promise.all([get("/schedules"), get("/matrices")]);
		replace(main, h("h1", {}, title), listing(list(rows), load), signedIn() ? adder(list(matrices), load) : h("p.note", {}, "Sign in with the link of ./lab up to change schedules."));
	};
	await load();
}

function listing(rows, load) {
	const act = (action) => () => action().then(load, (e) => alertIn(e.message));
	return table("Scheduled runs", [
		{ head: "name", cell: (s) => s.name },
		{ head: "when", cell: (s) => [h("code", {}, s.cron), ` ${s.zone}`] },
		{ head: "runs", cell: (s) => [s.matrix, s.board ? ` on ${s.board}` : "", s.cell ? `, cells ${s.cell}` : ""] },
		{ head: "next", cell: (s) => (s.enabled ? when(s.next) : "disabled") },
		{ head: "last", cell: (s) => (s.last ? [`${s.last.what} ${when(s.last.happened)} `, s.last.run ? h("a", { href: `#/runs/${s.last.run}` }, `run ${s.last.run}`) : ""] : "never") },
		...(signedIn() ? [{
			head: "change", cell: (s) => [
				h("button", { type: "button", "aria-label": `${s.enabled ? "Disable" : "Enable"} ${s.name}`, click: act(() => post(`/schedules/${encodeURIComponent(s.name)}/${s.enabled ? "disable" : "enable"}`)) }, s.enabled ? "Disable" : "Enable"), " ",
				h("button", { type: "button", "aria-label": `Remove ${s.name}`, click: act(() => del(`/schedules/${encodeURIComponent(s.name)}`)) }, "Remove")],
		}] : []),
	], rows, { empty: "Nothing is scheduled." });
}

function alertIn(text) {
	const banner = document.getElementById("banner");
	banner.hidden = false;
	banner.textContent = text;
}

function adder(matrices, load) {
	const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || "UTC";
	const field = (id, label, attributes, hint) => h("label", { for: id }, label, h("input", { id, name: id, required: true, ...attributes }), hint && h("span.note", {}, hint));
	const said = h("p.note", { role: "status" });
	const preview = async (event) => {
		const form = new FormData(event.currentTarget);
		try {
			const p = await get(`/schedules/preview${query({ cron: form.get("cron"), zone: form.get("zone"), count: 3 })}`);
			said.textContent = `Next: ${p.next.map((n) => n.local).join(", ")}`;
		} catch (e) {
			said.textContent = e.message;
		}
	};
	const submit = async (event) => {
		event.preventDefault();
		try {
			await post("/schedules", Object.fromEntries(new FormData(event.currentTarget)));
			await load();
		} catch (e) {
			said.textContent = e.message;
		}
	};
	return [h("h2", {}, "Add a schedule"), h("form.controls", { submit, change: preview },
		field("name", "Name", { value: "nightly", pattern: "[A-Za-z0-9._\\-]+" }), field("cron", "Cron expression", { value: "30 2 * * *" }, "minute hour day month weekday"), field("zone", "Time zone", { value: zone }),
		h("label", { for: "m" }, "Matrix", h("select", { id: "m", name: "matrix" }, matrices.map((m) => h("option", { value: m.name }, m.name)))),
		h("button.primary", {}, "Add")), said];
}
