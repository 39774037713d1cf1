// SPDX-License-Identifier: GPL-2.0-or-later
// Live news of the daemon: one event stream a page, closed while the tab is hidden (browsers allow six connections to a host), with polling where the stream fails.

import { get } from "./api.js";

const kinds = ["hello", "board", "progress", "result", "run", "console", "schedule", "resync"];

/** listen(onEvent(kind, data)) -> stop(). After a gap (hidden tab, lost stream, overflow) onEvent gets "resync": load everything again. */
export function listen(onEvent) {
	let source = null, timer = null, stopped = false, failures = 0;

	const open = () => {
		if (stopped || document.hidden || source)
			return;
		source = new EventSource("/api/v1/events");
		for (const kind of kinds)
			source.addEventListener(kind, (e) => onEvent(kind, e.data ? JSON.parse(e.data) : null));
		source.onopen = () => {
			failures = 0;
			state("");
		};
		source.onerror = () => {
			close();
			failures += 1;
			state("The connection to the daemon was lost; trying again.");
			timer = setTimeout(retry, Math.min(1000 * 2 ** failures, 15000));
		};
	};
	const retry = async () => {
		try {
			await get("/status");
			onEvent("resync", null);
		} catch {
			// The next attempt tells.
		}
		open();
	};
	const close = () => {
		source?.close();
		source = null;
		clearTimeout(timer);
	};
	const visible = () => {
		if (document.hidden)
			close();
		else {
			onEvent("resync", null);
			open();
		}
	};

	document.addEventListener("visibilitychange", visible);
	open();
	return () => {
		stopped = true;
		close();
		document.removeEventListener("visibilitychange", visible);
	};
}

function state(text) {
	const banner = document.getElementById("banner");
	banner.hidden = !text;
	banner.textContent = text;
}
