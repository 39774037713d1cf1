// SPDX-License-Identifier: GPL-2.0-or-later
// Every page: for eyes, keyboard and screen readers, in both themes, narrow and wide; what it weighs; and that nothing a board says becomes markup.

import { createHash } from "node:crypto";
import { assert, test, until } from "./harness.mjs";
import { scripts, withSite } from "./site.mjs";

const pages = [
	"/",
	"/compare",
	"/compare?figure=frame_time_s&scale=linear&fit=1",
	"/boards/8051-a",
	"/runs",
	"/runs/1",
	"/results/1",
	"/schedules",
	"/references",
	"/nowhere",
];
const script_limit_bytes = 160 * 1024;

const themes = [
	{ scheme: "light", width: 1280 },
	{ scheme: "dark", width: 1280 },
	{ scheme: "dark", width: 360 },
];

export function pagesTests(browser, lab) {
	for (const { scheme, width } of themes)
		test(`axe-core finds nothing on any page: ${scheme}, ${width} px`, () =>
			withSite(browser, lab, { scheme, width, operator: width > 400 }, async (site) => {
				for (const path of pages) {
					await site.go(path);
					assert.deepEqual(await site.axe(), [], path);
				}
			}));

	test("no page is wider than a narrow screen", () =>
		withSite(browser, lab, { width: 360, operator: true }, async (site, page) => {
			for (const path of pages) {
				await site.go(path);
				assert.deepEqual(
					await page.evaluate(() =>
						[...document.querySelectorAll("body *")]
							.filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, svg"))
							.map((e) => e.outerHTML.slice(0, 90)),
					),
					[],
					path,
				);
			}
		}));

	test("Tab reaches everything that can be used, on every page", () =>
		withSite(browser, lab, { operator: true }, async (site, page) => {
			for (const path of pages) {
				await site.go(path);
				assert.deepEqual(await unreached(page), [], path);
			}
		}));

	test("the facts line tells each mark that the keyboard comes to; Enter opens the result", () =>
		withSite(browser, lab, {}, async (site, page) => {
			await site.go("/compare");
			const labels = await page.evaluate(() =>
				[...document.querySelectorAll(".plot .mark")].map((m) => m.getAttribute("aria-label")),
			);
			const told = [];
			await page.locator(".plot .mark").first().focus();
			for (let i = 0; i < labels.length; i++) {
				told.push(await site.text(".facts"));
				await page.keyboard.press("ArrowRight");
			}
			assert.equal(labels.length, 6);
			assert.deepEqual([...told].sort(), [...labels].sort());
			await page.locator(".plot a.mark").first().focus();
			await page.keyboard.press("Enter");
			await until("the result's page", () => /#\/results\/\d+$/.test(page.url()));
		}));

	test("arrow keys walk through the frames of a result", () =>
		withSite(browser, lab, {}, async (site, page) => {
			await site.go("/results/1");
			await page.locator(".frames").focus();
			await page.keyboard.press("Home");
			await site.says(/Frame 1 of 100/, ".facts");
			await page.keyboard.press("ArrowRight");
			await site.says(/Frame 2 of 100: sent after .* acknowledged after/, ".facts");
			await page.keyboard.press("End");
			await site.says(/Frame 100 of 100/, ".facts");
			assert.equal(await page.locator(".frames").getAttribute("aria-valuenow"), "100");
		}));

	test("the theme button turns page and charts dark, and the choice stays", () =>
		withSite(browser, lab, { fresh: true }, async (site, page) => {
			const colours = () =>
				page.evaluate(() => [
					getComputedStyle(document.body).backgroundColor,
					document.querySelector(".plot svg").style.background,
				]);
			await site.go("/compare");
			const [page_, drawing] = await colours();
			assert.equal(page_, drawing);
			await page.locator("#theme").press("Enter");
			await page.locator("#theme").press("Enter");
			await until("another drawing", async () => (await colours())[1] !== drawing);
			const dark = await colours();
			assert.equal(dark[0], dark[1]);
			await page.reload();
			await site.ready();
			assert.deepEqual(await colours(), dark);
		}));

	test("first loads are small: all scripts of all pages below 160 KB compressed", () => {
		const sum = (names) => names.reduce((total, name) => total + scripts.get(name), 0),
			all = [...scripts.keys()];
		const own = all.filter((name) => !name.startsWith("/vendor/"));
		console.log(
			`        scripts, gzip: own ${sum(own)} bytes in ${own.length} files, libraries ${sum(all) - sum(own)}, together ${sum(all)}`,
		);
		assert.ok(all.some((n) => n.includes("plot")) && all.some((n) => n.includes("uplot")), "both libraries were loaded");
		assert.ok(sum(all) < script_limit_bytes);
		assert.ok(sum(own) < 48 * 1024, "the overview needs our own only");
	});

	test("the overview loads no chart library", () =>
		withSite(browser, lab, { fresh: true }, async (site, page) => {
			await site.go("/");
			const loaded = await page.evaluate(() => performance.getEntriesByType("resource").map((e) => e.name));
			assert.ok(!loaded.some((name) => name.includes("/vendor/")), loaded.join(" "));
		}));

	test("the security policy is strict, and its style hash is that of Plot's own style", () =>
		withSite(browser, lab, {}, async (site, page) => {
			const policy = (await fetch(`${lab.url}/`)).headers.get("content-security-policy");
			assert.match(policy, /default-src 'none'/);
			assert.ok(!/unsafe|\*|https?:/.test(policy), policy);
			await site.go("/compare");
			const styles = await page.evaluate(() => [...document.querySelectorAll(".plot style")].map((s) => s.textContent));
			assert.equal(styles.length, 1);
			assert.ok(policy.includes(`'sha256-${createHash("sha256").update(styles[0]).digest("base64")}'`), policy);
		}));

	test("names and console texts of an enemy stay text", () =>
		withSite(browser, lab, {}, async (site, page) => {
			const evil = "<img src=x onerror=window.hacked=1><script>window.hacked=1</script>\u001b[31m\u0007";
			for (const path of [
				"/boards",
				"/boards/8051-a",
				"/results",
				"/compare",
				"/runs/1",
				"/results/1",
				"/references",
				"/results/1/console",
				"/boards/8051-a/console",
			])
				await site.bend(path, (doc) =>
					JSON.parse(JSON.stringify(doc), (key, value) =>
						["text", "cell", "source", "description", "error", "step", "board_type", "toolchain", "host"].includes(key)
							? evil
							: key === "board"
								? `${evil}-b`
								: value,
					),
				);
			for (const path of ["/", "/boards/8051-a", "/compare", "/runs/1", "/results/1", "/references"]) {
				await site.go(path);
				assert.ok((await site.text()).includes("<img src=x onerror"), `${path} shows it as text`);
				if (path === "/results/1")
					assert.match(await site.text(".console"), /\u241b\[31m\u2407/, "control characters are shown as signs");
				assert.equal(
					await page.evaluate(
						() => window.hacked === undefined && document.querySelectorAll("main img, main script").length === 0,
					),
					true,
					path,
				);
			}
		}));
}

/* Focusable elements that going on with Tab does not come to. */
async function unreached(page) {
	await page.evaluate(() => {
		document.activeElement?.blur?.();
		window.scrollTo(0, 0);
		window.reached = new Set();
		document.addEventListener("focusin", (e) => window.reached.add(e.target));
	});
	const count = await page.evaluate(() => document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']").length);
	for (let i = 0; i < count + 3; i++) await page.keyboard.press("Tab");
	return page.evaluate(() =>
		[...document.querySelectorAll("a[href], button:not(:disabled), input, select, summary, [tabindex='0']")]
			.filter((e) => e.checkVisibility() && !window.reached.has(e))
			.map((e) => e.outerHTML.slice(0, 120)),
	);
}
