// SPDX-License-Identifier: GPL-2.0-or-later
// Chromium with the dashboard: contexts that note every breach of the security policy and every script error, and the ways from page to page.

import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { assert, until, wait_ms } from "./harness.mjs";

const require = createRequire(import.meta.url);
export const chromium =
	process.env.LAB_CHROMIUM ?? ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);

export async function launch() {
	const { chromium: driver } = require("playwright-core");
	/* Chromium keeps crash reports and settings in the home of whoever runs it, whatever profile it has: it gets one that goes away with it. */
	const home = mkdtempSync(join(tmpdir(), "labd-chromium-"));
	const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home };
	const browser = await driver.launch({ executablePath: chromium, args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"], env });
	process.on("exit", () => rmSync(home, { recursive: true, force: true }));
	return browser;
}

/** Everything that must not have happened, over all contexts. expected(text) leaves out what a test brings about on purpose. */
export const trouble = [];
/** Compressed bytes of every script that was loaded, by address. */
export const scripts = new Map();

let expected = () => false;

export async function expecting(pattern, body) {
	expected = (text) => pattern.test(text);
	try {
		return await body();
	} finally {
		expected = () => false;
	}
}

function note(text) {
	if (!expected(text)) trouble.push(text);
}

export class Site {
	constructor(browser, lab) {
		this.browser = browser;
		this.lab = lab;
	}

	/** operator: signed in. The window is so wide, the system in that theme. */
	async open({ operator = false, width = 1280, scheme = "light" } = {}) {
		this.context = await this.browser.newContext({
			viewport: { width, height: 800 },
			colorScheme: scheme,
			locale: "en-GB",
			timezoneId: "UTC",
			acceptDownloads: true,
		});
		this.page = await this.context.newPage();
		this.page.setDefaultTimeout(wait_ms);
		this.watch(this.page);
		await this.page.addInitScript(() => {
			document.addEventListener("securitypolicyviolation", (e) =>
				console.error(`policy violation: ${e.violatedDirective} ${e.blockedURI} ${e.sample}`),
			);
		});
		if (operator) await this.signIn();
		return this;
	}

	watch(page) {
		page.on("console", (m) => m.type() === "error" && note(m.text()));
		page.on("pageerror", (e) => note(`script error: ${e.stack}`));
		page.on("response", async (r) => {
			if (/\.js$/.test(new URL(r.url()).pathname) && r.status() === 200)
				await r.body().then(
					(bytes) => scripts.set(new URL(r.url()).pathname, gzipSync(bytes, { level: 9 }).length),
					() => {},
				);
		});
	}

	async signIn() {
		await this.page.goto(await this.lab.loginLink());
		await this.page.locator("#session", { hasText: "operator" }).waitFor();
	}

	/** Go to a page and wait until it is there, charts included. */
	async go(path) {
		await this.page.goto(`${this.lab.url}/#${path}`);
		return this.ready();
	}

	async ready() {
		await until(
			() => `the page at ${this.page.url()}`,
			() =>
				this.page
					.evaluate(
						() =>
							document.getElementById("main")?.dataset.shown === location.hash &&
							[...document.querySelectorAll(".plot")].every((p) => p.querySelector("svg, canvas, .failure")),
					)
					.catch(() => false),
		);
		return this.page;
	}

	text(selector = "main") {
		return this.page.locator(selector).innerText();
	}

	async says(pattern, selector = "main") {
		let last = "";
		await until(
			() => `${selector} to say ${pattern}; it says: ${last}`,
			async () => pattern.test((last = await this.text(selector).catch(() => ""))),
		);
	}

	/** axe-core's findings on the page as it is. */
	async axe() {
		if (!(await this.page.evaluate(() => "axe" in window)))
			await this.page.evaluate(readFileSync(require.resolve("axe-core/axe.min.js"), "utf8"));
		const result = await this.page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
		return result.violations.map(
			(v) => `${v.id}: ${v.help}: ${v.nodes.map((n) => `${n.html.slice(0, 200)} ${n.failureSummary}`).join(" | ")}`,
		);
	}

	/** Answer one API path with what edit makes of the daemon's answer. */
	async bend(path, edit) {
		await this.page.goto("about:blank");
		await this.page.route(
			(url) => url.pathname === `/api/v1${path}`,
			async (route) => {
				const answer = await route.fetch();
				await route.fulfill({ response: answer, json: edit(await answer.json()) });
			},
		);
	}

	async close() {
		await this.context.close();
	}
}

const open = new Map();

/** One context for all tests that want the same; fresh: one of its own. */
export async function withSite(browser, lab, options, body) {
	const key = JSON.stringify(options),
		site = open.get(key) ?? (await new Site(browser, lab).open(options));
	if (!options.fresh) open.set(key, site);
	try {
		await body(site, site.page);
		await site.page.unrouteAll({ behavior: "wait" });
	} catch (e) {
		open.delete(key);
		await site.close();
		throw e;
	}
	if (options.fresh) await site.close();
}

/** Boxes of visible texts of the drawing that overlap, as sentences. */
export function overlaps(page) {
	return page.evaluate(() => {
		const texts = [...document.querySelectorAll(".plot svg text")]
			.filter((t) => t.textContent.trim())
			.map((t) => ({ t: t.textContent, b: t.getBoundingClientRect() }));
		const found = [];
		texts.forEach((a, i) =>
			texts.slice(i + 1).forEach((b) => {
				const w = Math.min(a.b.right, b.b.right) - Math.max(a.b.left, b.b.left),
					h = Math.min(a.b.bottom, b.b.bottom) - Math.max(a.b.top, b.b.top);
				if (w > 1 && h > 3) found.push(`"${a.t}" and "${b.t}" by ${w.toFixed(1)} x ${h.toFixed(1)}`);
			}),
		);
		return found;
	});
}

export { assert };
