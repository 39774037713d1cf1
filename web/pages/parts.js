// SPDX-License-Identifier: GPL-2.0-or-later
// Small pieces that several pages show.

import { h } from "../lib/dom.js";

/** The rows of a list document, whether it is the list or holds it under one key. */
export function list(document_) {
	if (Array.isArray(document_))
		return document_;
	return Object.values(document_ ?? {}).find(Array.isArray) ?? [];
}

export function boardName({ name, virtual }) {
	return [name ?? "no board", virtual ? [" ", h("span.tag", {}, "virtual")] : null];
}

const glyphs = { pass: "✓", fail: "✗", error: "!", timeout: "⏱", skipped: "○", cancelled: "⊘", running: "▸", queued: "…" };

/** Word and sign, so that colour says nothing alone. */
export function verdict(r) {
	const word = r.verdict ?? r.state ?? "unknown";
	return h(`span.verdict.${word}`, { title: r.error ?? null }, `${glyphs[word] ?? "?"} ${word}`, r.cause && r.cause !== "none" ? ` (${r.cause})` : "");
}

export function crumbs(...parts) {
	return h("nav", { "aria-label": "Where this is" }, h("p.note", {}, parts.map((p, i) => [i ? " › " : "", p])));
}
