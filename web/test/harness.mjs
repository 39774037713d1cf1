// SPDX-License-Identifier: GPL-2.0-or-later
// Tests as sentences: test("a sentence that is true", async (t) => ...). run() does them in order, prints one line each and sets the exit status. Waiting is for
// conditions, with a bound; nothing here sleeps for a fixed time to be lucky.

import assert from "node:assert/strict";

const tests = [];
const wait_ms = Number(process.env.LAB_BROWSER_WAIT_MS ?? 20000);

export { assert, wait_ms };

export function test(sentence, body) {
	tests.push({ sentence, body });
}

/** Ask until the answer is true, or fail with what was waited for: a text, or a function that makes one. */
export async function until(what, ask) {
	const end = Date.now() + wait_ms;
	for (;;) {
		const answer = await ask();
		if (answer) return answer;
		if (Date.now() > end) throw new Error(`waited ${wait_ms} ms in vain: ${typeof what === "function" ? what() : what}`);
		await new Promise((resolve) => setTimeout(resolve, 25));
	}
}

export async function run(only, after) {
	let failed = 0;
	for (const { sentence, body } of tests.filter((t) => !only || t.sentence.includes(only))) {
		const begin = Date.now();
		try {
			await body();
			console.log(`ok      ${sentence} (${Date.now() - begin} ms)`);
		} catch (e) {
			failed += 1;
			console.log(`FAILED  ${sentence}\n        ${String(e.stack ?? e).replaceAll("\n", "\n        ")}`);
			await after?.(sentence);
		}
	}
	return failed;
}

/** RFC 4180 -> [{column: text}]. */
export function parseCsv(text) {
	const rows = [[]];
	let field = "",
		quoted = false;
	for (let i = 0; i < text.length; i++) {
		const c = text[i];
		if (quoted && c === '"' && text[i + 1] === '"') field += text[++i];
		else if (c === '"') quoted = !quoted;
		else if (!quoted && (c === "," || c === "\n")) {
			rows[rows.length - 1].push(field.replace(/\r$/, ""));
			field = "";
			if (c === "\n") rows.push([]);
		} else field += c;
	}
	const [head, ...body] = rows.filter((r) => r.length > 1);
	return body.map((r) => Object.fromEntries(head.map((name, i) => [name, r[i]])));
}
