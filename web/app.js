// SPDX-License-Identifier: GPL-2.0-or-later
// The dashboard's frame: navigation, theme, session, and the page that the address names. An address holds every choice of its page: #/compare?figure=...

import { get, signIn, signOut, signedIn } from "./lib/api.js";
import { h, mount, replace } from "./lib/dom.js";
import * as live from "./lib/live.js";
import * as board from "./pages/board.js";
import * as compare from "./pages/compare.js";
import * as overview from "./pages/overview.js";
import * as references from "./pages/references.js";
import * as result from "./pages/result.js";
import * as run from "./pages/run.js";
import * as runs from "./pages/runs.js";
import * as schedules from "./pages/schedules.js";

// A page: {title, show(room, parameters, path parts) -> stop function or nothing}; it fills the room, which it gets again when only its
// parameters changed. under: the entry of the navigation that a page without its own belongs to.
const pages = [
	{ path: /^\/$/, page: overview, nav: ["/", "Overview"] },
	{ path: /^\/compare$/, page: compare, nav: ["/compare", "Compare"] },
	{ path: /^\/runs$/, page: runs, nav: ["/runs", "Runs"] },
	{ path: /^\/schedules$/, page: schedules, nav: ["/schedules", "Schedules"] },
	{ path: /^\/references$/, page: references, nav: ["/references", "References"] },
	{ path: /^\/boards\/([^/]+)$/, page: board, under: "/" },
	{ path: /^\/runs\/(\d+)$/, page: run, under: "/runs" },
	{ path: /^\/results\/(\d+)$/, page: result, under: "/runs" },
];

const main = document.getElementById("main");
let stop = null,
	shown = 0,
	lastPath = null,
	room = null;

function where() {
	const [path, search = ""] = (location.hash.slice(1) || "/").split("?");
	return { path, parameters: new URLSearchParams(search) };
}

/* A page is made out of sight and then put in: what was asked for before it was ready is forgotten. */
async function show() {
	const { path, parameters } = where();
	const entry = pages.find((p) => p.path.test(path));
	const mine = ++shown;

	stop?.();
	stop = null;
	delete main.dataset.shown;
	navigation(path, entry);
	if (path !== lastPath) {
		room = h("div.page");
		blank(entry);
	}
	lastPath = path;
	if (!entry) return settled();
	try {
		const ended = await entry.page.show(room, parameters, path.match(entry.path).slice(1));
		if (mine !== shown) {
			ended?.();
			return;
		}
		stop = ended ?? null;
		if (room.parentNode !== main) mount(main, room);
	} catch (e) {
		if (mine !== shown) return;
		replace(main, h("h1", {}, entry.page.title), failure(e));
	}
	settled();
}

/* What the address asks for is there. */
function settled() {
	main.setAttribute("aria-busy", "false");
	main.dataset.shown = location.hash;
}

/* Before the new page is there; the content begins at the top, for eyes and for the keyboard. */
function blank(entry) {
	document.title = `${entry?.page.title ?? "Not found"} – labd`;
	if (lastPath !== null) {
		window.scrollTo(0, 0);
		main.focus({ preventScroll: true });
	}
	main.setAttribute("aria-busy", "true");
	if (entry) replace(main, h("h1", {}, entry.page.title), h("p.loading", { role: "status" }, "Loading…"));
	else replace(main, h("h1", {}, "There is no such page"), h("p", {}, h("a", { href: "#/" }, "Go to the overview")));
}

function failure(e) {
	if (!e.code) console.error(e);
	return h("div.failure", { role: "alert" }, h("p", {}, e.message), h("button", { type: "button", click: show }, "Try again"));
}

function navigation(path, entry) {
	const current = (p) => (p === entry ? "page" : p.nav[0] === entry?.under ? "true" : null);
	replace(
		document.getElementById("nav"),
		pages.filter((p) => p.nav).map((p) => h("li", {}, h("a", { href: `#${p.nav[0]}`, "aria-current": current(p) }, p.nav[1]))),
	);
}

function session() {
	const place = document.getElementById("session");
	if (signedIn())
		replace(place, h("span.tag.strong", {}, "operator"), " ", h("button.quiet", { type: "button", click: signOut }, "Sign out"));
	else
		replace(
			place,
			h("span.tag", { title: "The link that ./lab up or labctl login prints lets you start, cancel and schedule runs" }, "read only"),
		);
}

const themes = ["auto", "light", "dark"];

function theme(next) {
	const now = next ?? localStorage.getItem("theme") ?? "auto";
	const button = document.getElementById("theme");
	localStorage.setItem("theme", now);
	if (now === "auto") delete document.documentElement.dataset.theme;
	else document.documentElement.dataset.theme = now;
	button.textContent = `Theme: ${now}`;
	button.onclick = () => theme(themes[(themes.indexOf(now) + 1) % themes.length]);
	document.dispatchEvent(new Event("themechange"));
}

function note(sentence) {
	document.querySelector("#notice")?.remove();
	if (sentence)
		main.before(
			h(
				"div.banner",
				{ id: "notice", role: "alert" },
				sentence,
				" ",
				h("button.quiet", { type: "button", click: () => note(null) }, "Dismiss"),
			),
		);
}

async function arrive() {
	if (location.hash.startsWith("#token=")) note(await signIn());
	await show();
}

async function start() {
	theme();
	document.addEventListener("session", (e) => {
		session();
		note(e.detail);
		if (lastPath !== null) show();
	});
	window.addEventListener("hashchange", (e) => {
		if (location.hash !== "#main")
			// the skip link
			arrive();
		else history.replaceState(null, "", e.oldURL);
	});
	session();
	live.start();
	await arrive();
	const status = await get("/status").catch(() => null);
	document.getElementById("version").textContent = status
		? `labd ${status.version} on ${status.host?.name ?? "this computer"}, bench ${status.bench ?? "unnamed"}`
		: "";
}

start();
