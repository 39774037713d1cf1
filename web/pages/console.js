// SPDX-License-Identifier: GPL-2.0-or-later
// What boards print, live: text comes in pieces, as it comes off the line, and stays text.

import { get } from "../lib/api.js";
import { h } from "../lib/dom.js";
import { visible } from "../lib/format.js";
import { transcript } from "./parts.js";

const console_lines_max = 500;

/** A board's console: what it printed in its newest attempt, then every line as it comes: {element, choose(boards), hear(event)}. choose takes the board that runs. */
export function makeConsole() {
	const text = h("pre.console", { tabindex: "0", "aria-label": "Console" }),
		heading = h("summary", {}, "Console");
	const element = h("details.block", { open: true }, heading, text);
	let shown = null,
		attemptShown = null,
		inLine = false,
		heard = false;

	/* Live text comes in pieces, as it comes off the line; a piece that goes on with a line has no time before it. */
	const pieces = (lines) =>
		lines.flatMap((l) => {
			const parts = inLine ? [visible(l.text)] : transcript([l]).flat();
			inLine = !l.text.endsWith("\n");
			return inLine && parts.length > 1 ? [parts[0], parts[1].replace(/\n$/, "")] : parts;
		});
	const write = (lines) => {
		const atEnd = text.scrollHeight - text.scrollTop - text.clientHeight < 40;
		text.append(...pieces(lines).filter((n) => n !== ""));
		text.normalize();
		while (text.childNodes.length > 2 * console_lines_max) text.firstChild.remove();
		if (atEnd) text.scrollTop = text.scrollHeight;
	};
	const begin = (name, attemptId) => {
		[shown, attemptShown, inLine, heard] = [name, attemptId, false, false];
		heading.textContent = name ? `Console of ${name}` : "Console";
		text.replaceChildren();
	};
	return {
		element,
		/* While a board runs its events tell; what was heard may have holes, so it is read whole when the attempt is over. An older attempt never comes back. */
		async choose(boards) {
			const board_ = boards.find((b) => b.live?.attempt) ?? boards.find((b) => b.name === shown) ?? boards[0];
			if (board_ && board_.name === shown && board_.live?.attempt) return;
			const newest = board_ && (await get(`/boards/${encodeURIComponent(board_.name)}/console`).catch(() => null));
			if (newest && (board_.name !== shown || newest.attempt > attemptShown || (heard && newest.attempt === attemptShown))) {
				begin(board_.name, newest.attempt);
				write(newest.lines.slice(-console_lines_max).map((l) => ({ ...l, text: l.text.endsWith("\n") ? l.text : `${l.text}\n` })));
				heard = Boolean(board_.live?.attempt);
			}
			if (!text.hasChildNodes()) text.textContent = newest?.attempt ? "" : "Nothing has run yet.";
		},
		hear(line) {
			if (line.board !== shown && shown !== null) return;
			if (line.attempt < attemptShown) return;
			if (line.attempt !== attemptShown) begin(line.board, line.attempt);
			write([line]);
			heard = true;
		},
	};
}
