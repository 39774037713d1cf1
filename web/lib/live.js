// SPDX-License-Identifier: GPL-2.0-or-later
// Live news of the daemon: one event stream for the whole page, closed while the tab is hidden (browsers allow six connections to a host). When it breaks, a
// banner says so and the daemon is asked again, ever more seldom; what is shown is read anew after every gap.

import { get } from "./api.js";

const kinds = ["board", "progress", "result", "run", "console", "schedule", "resync"];
const longest_wait_ms = 8000;
const listeners = new Set();
let source = null,
	timer = null,
	failures = 0,
	told = 0; // told: news that were not console text

/** listen(onEvent(kind, data)) -> stop(). "resync": something was missed (hidden tab, lost stream, overflow), load everything again. */
export function listen(onEvent) {
	listeners.add(onEvent);
	return () => listeners.delete(onEvent);
}

/** Call load, made by oneAtATime(), a moment after every event that is not console text, also after those since it last began; each event goes to first as it comes. -> stop(). */
export function listenAndLoad(load, first = () => {}, wait_ms = 300) {
	let waiting = null;
	const run = () => {
		waiting = null;
		load().catch(() => {});
	};
	const stop = listen((kind, data) => {
		first(kind, data);
		if (kind !== "console") waiting ??= setTimeout(run, wait_ms);
	});
	if (load.begun !== told) waiting = setTimeout(run, wait_ms);
	return () => {
		clearTimeout(waiting);
		stop();
	};
}

/** load, made so that two never run at a time: a call while one is under way waits for it and then loads again. So an old answer never replaces a newer one. */
export function oneAtATime(load) {
	let running = null,
		next = null;
	const start = () => {
		guarded.begun = told;
		running = load().finally(() => {
			running = null;
		});
		return running;
	};
	const after = () => {
		next = null;
		return running ?? start();
	};
	const guarded = () => (running ? (next ??= running.then(after, after)) : start());
	return guarded;
}

function tell(kind, data) {
	if (kind !== "console") told += 1;
	for (const listener of [...listeners]) listener(kind, data);
}

export function start() {
	document.addEventListener("visibilitychange", () => {
		if (document.hidden) return close();
		tell("resync", null);
		open();
	});
	open();
}

function open() {
	if (document.hidden || source) return;
	source = new EventSource("/api/v1/events");
	for (const kind of kinds) source.addEventListener(kind, (e) => tell(kind, e.data ? JSON.parse(e.data) : null));
	source.onopen = () => {
		tell("resync", null); // whatever happened before the stream was open
		failures = 0;
		banner("");
	};
	source.onerror = lost;
}

function close() {
	source?.close();
	source = null;
	clearTimeout(timer);
}

function lost() {
	close();
	failures += 1;
	banner("The connection to the daemon is lost. What is shown may be old; trying again.");
	timer = setTimeout(retry, Math.min(500 * 2 ** failures, longest_wait_ms));
}

/* EventSource says nothing about why it failed; a plain request tells whether somebody is there. */
async function retry() {
	try {
		await get("/status");
		open();
	} catch {
		lost();
	}
}

function banner(text) {
	const place = document.getElementById("banner");
	place.hidden = !text;
	place.textContent = text;
}
