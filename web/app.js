// SPDX-License-Identifier: GPL-2.0-or-later
// The dashboard's frame: navigation, theme, session, and the page that the address names. An address holds every choice of its page: #/compare?figure=...

import { get, signIn, signOut, signedIn } from "./lib/api.js";
import { h, replace } from "./lib/dom.js";
import * as compare from "./pages/compare.js";
import * as overview from "./pages/overview.js";
import * as result from "./pages/result.js";
import * as run from "./pages/run.js";
import * as runs from "./pages/runs.js";
import * as schedules from "./pages/schedules.js";

// A page: {title, show(main, parameters, path parts) -> stop function or nothing}.
const pages = [
	{ path: /^\/$/, page: overview, nav: ["/", "Overview"] },
	{ path: /^\/compare$/, page: compare, nav: ["/compare", "Compare"] },
	{ path: /^\/runs$/, page: runs, nav: ["/runs", "Runs"] },
	{ path: /^\/schedules$/, page: schedules, nav: ["/schedules", "Schedules"] },
	{ path: /^\/runs\/(\d+)$/, page: run },
	{ path: /^\/results\/(\d+)$/, page: result },
];

const main = document.getElementById("main");
let stop = null, shown = 0;

function where() {
	const [path, search = ""] = (location.hash.slice(1) || "/").split("?");
	return { path, parameters: new URLSearchParams(search) };
}

async function show() {
	const { path, parameters } = where();
	const entry = pages.find((p) => p.path.test(path));
	const mine = ++shown;

	stop?.();
	stop = null;
	navigation(path);
	if (!entry) {
		document.title = "Not found – labd";
		replace(main, h("h1", {}, "There is no such page"), h("p", {}, h("a", { href: "#/" }, "Go to the overview")));
		return;
	}
	document.title = `${entry.page.title} – labd`;
	replace(main, h("h1", {}, entry.page.title), h("p.loading", { role: "status" }, "Loading…"));
	try {
		const ended = await entry.page.show(main, parameters, path.match(entry.path).slice(1));
		if (mine === shown)
			stop = ended ?? null;
		else
			ended?.();
	} catch (e) {
		if (mine === shown)
			replace(main, h("h1", {}, entry.page.title), failure(e));
	}
}

function failure(e) {
	return h("div.failure", { role: "alert" }, h("p", {}, e.message), h("button", { type: "button", click: show }, "Try again"));
}

function navigation(path) {
	const items = pages.filter((p) => p.nav).map((p) => h("li", {}, h("a", { href: `#${p.nav[0]}`, "aria-current": p.path.test(path) ? "page" : null }, p.nav[1])));
	replace(document.getElementById("nav"), items);
}

function session() {
	const place = document.getElementById("session");
	if (!signedIn()) {
		replace(place, h("span.tag", { title: "Open the link that ./lab up or labctl login prints to start, cancel and schedule runs" }, "read only"));
		return;
	}
	const leave = () => {
		signOut();
		session();
		show();
	};
	replace(place, h("span.tag", {}, "operator"), " ", h("button.quiet", { type: "button", click: leave }, "Sign out"));
}

const themes = ["auto", "light", "dark"];

function theme(next) {
	const now = next ?? localStorage.getItem("theme") ?? "auto";
	const button = document.getElementById("theme");
	localStorage.setItem("theme", now);
	if (now === "auto")
		delete document.documentElement.dataset.theme;
	else
		document.documentElement.dataset.theme = now;
	button.textContent = `Theme: ${now}`;
	button.onclick = () => {
		theme(themes[(themes.indexOf(now) + 1) % themes.length]);
		document.dispatchEvent(new Event("themechange"));
	};
}

async function start() {
	theme();
	const problem = await signIn();
	session();
	window.addEventListener("hashchange", show);
	await show();
	if (problem)
		main.prepend(h("p.failure", { role: "alert" }, problem));
	const status = await get("/status").catch(() => null);
	document.getElementById("version").textContent = status ? `labd ${status.version} on ${status.host?.name ?? status.host ?? "this computer"}` : "";
}

start();
