// SPDX-License-Identifier: GPL-2.0-or-later
// The chart's numbers: the same as in the table, the CSV and the API; and what a drawing must not do: cover its own words, lose what was not measured, lose its colours.

import { readFile } from "node:fs/promises";
import { assert, parseCsv, test, until } from "./harness.mjs";
import { overlaps, withSite } from "./site.mjs";

const figures = ["goodput_byte_per_s", "goodput_bit_per_s", "frames_per_s", "frame_time_s"];

/* What chart and table of the page hold, exactly and as written. */
const shown = (page) =>
	page.evaluate(() => ({
		marks: [...document.querySelectorAll(".plot a.mark")].map((m) => [
			Number(m.dataset.payload),
			Number(m.dataset.value),
			m.getAttribute("aria-label"),
		]),
		crosses: [...document.querySelectorAll(".plot .mark[role=img]")].map((m) => [Number(m.dataset.payload), Number(m.dataset.value)]),
		words: [...document.querySelectorAll(".plot svg text")].map((t) => t.textContent),
		cells: [...document.querySelectorAll("figure [data-value]:not(.mark)")].map((c) => [Number(c.dataset.value), c.textContent]),
		published: [...document.querySelectorAll("figure [data-published]")].map((c) => [Number(c.dataset.published), c.textContent]),
		csv: [...document.querySelectorAll("figure .actions a")].find((a) => a.textContent.startsWith("CSV,")).getAttribute("href"),
		json: [...document.querySelectorAll("figure .actions a")].find((a) => a.textContent === "JSON").getAttribute("href"),
	}));

export function numbersTests(browser, lab) {
	for (const figure of figures)
		test(`chart, table, CSV and API have the same numbers: ${figure}`, () =>
			withSite(browser, lab, {}, async (site) => {
				const page = await site.go(`/compare?figure=${figure}`),
					s = await shown(page);
				const api = await lab.get(s.json.replace("/api/v1", "")),
					csv = parseCsv(await lab.get(s.csv.replace("/api/v1", "")));
				const sorted = (rows) => [...rows].sort((a, b) => a[0] - b[0]);
				const measured = sorted(api.rows.map((r) => [r.payload_bytes, r.value])),
					published = sorted(api.rows.flatMap((r) => r.published.map((p) => [r.payload_bytes, p.value])));

				assert.equal(measured.length, 3);
				assert.equal(published.length, 3);
				assert.deepEqual(sorted(s.marks.map((m) => m.slice(0, 2))), measured);
				assert.deepEqual(sorted(s.crosses), published);
				assert.deepEqual(sorted(s.cells.map((c) => [c[0]])), sorted(measured.map((m) => [m[1]])));
				assert.deepEqual(sorted(s.published.map((c) => [c[0]])), sorted(published.map((m) => [m[1]])));
				assert.deepEqual(sorted(csv.map((r) => [Number(r.payload_bytes), Number(r.median)])), measured);
				assert.deepEqual(sorted(csv.map((r) => [Number(r.payload_bytes), Number(r.published)])), published);
				for (const [, text] of [...s.cells, ...s.published])
					assert.ok(s.words.includes(text), `the chart writes ${text} beside a mark; it writes ${s.words}`);
				for (const [, , label] of s.marks)
					assert.ok(
						s.cells.some(([, text]) => label.includes(text)),
						`the words of a mark have the number of the table: ${label}`,
					);
				assert.match(await site.text("figure .actions"), /CSV, 3 rows/);
			}));

	test("a frame's time, its percentiles and the result's figures agree with the API", () =>
		withSite(browser, lab, {}, async (site) => {
			const [result] = await lab.get("/results?latest=1&finished=1&limit=1"),
				{ frames } = await lab.get(`/results/${result.id}/frames`);
			const page = await site.go(`/results/${result.id}`),
				times = frames.map((f) => f[3] - f[1]).sort((a, b) => a - b);
			const rows = await page.evaluate(() => [...document.querySelectorAll("figure [data-ns]")].map((c) => Number(c.dataset.ns)));
			assert.equal(rows[0], times[0]);
			assert.equal(rows[1], times[49]);
			assert.equal(rows[2], times[89]);
			assert.equal(rows.at(-1), times.at(-1));
			assert.equal(
				times.reduce((a, b) => a + b, 0),
				result.figures.elapsed_ns,
			);
			assert.ok((await site.text()).replaceAll("\u202f", "").includes(`${result.figures.elapsed_ns} ns`));
		}));

	test("no text of the chart covers another, on wide and narrow screens, logarithmic and linear", async () => {
		for (const width of [1280, 760, 360])
			await withSite(browser, lab, { width }, async (site) => {
				for (const choice of ["", "?scale=linear", "?figure=frame_time_s&scale=linear&fit=1"]) {
					const page = await site.go(`/compare${choice}`);
					assert.deepEqual(await overlaps(page), [], `${width} px, ${choice}`);
				}
			});
	});

	test("many boards with close results keep their names apart", () =>
		withSite(browser, lab, {}, async (site) => {
			await site.bend("/compare", (doc) => ({
				...doc,
				rows: [..."abcde"].flatMap((c, i) => doc.rows.map((r) => ({ ...r, board: `board-${c}`, value: r.value * (1 + i / 200) }))),
			}));
			const page = await site.go("/compare");
			assert.deepEqual(await overlaps(page), []);
			assert.equal(await page.locator(".plot a.mark").count(), 15);
			const looks = await page.evaluate(
				() =>
					new Set(
						[...document.querySelectorAll(".plot g[class^=series]")].map(
							(g) =>
								`${g.getAttribute("fill")}${g.querySelector("path, circle")?.tagName}${g.querySelector("path")?.getAttribute("d")}`,
						),
					).size,
			);
			assert.equal(looks, 5, "five colours and shapes");
		}));

	test("a cell without a number stands in the strip below the axis, named", () =>
		withSite(browser, lab, {}, async (site) => {
			await site.bend("/compare", (doc) => ({
				...doc,
				rows: doc.rows.map((r) =>
					r.payload_bytes === 750 ? { ...r, value: null, verdict: "fail", cause: "network", ratio: null, n: 0 } : r,
				),
			}));
			const page = await site.go("/compare");
			assert.equal(await page.locator(".plot a.mark").count(), 2);
			assert.match(await page.locator(".plot svg").textContent(), /8051-a, 750 byte: fail \(network\)/);
			assert.match(await site.text("figure table"), /fail \(network\)/);
			assert.deepEqual(await overlaps(page), []);
		}));

	test("a picture keeps its colours, title and source", async () => {
		for (const scheme of ["light", "dark"])
			await withSite(browser, lab, { scheme }, async (site) => {
				const page = await site.go("/compare"),
					title = await site.text("figcaption h2");
				const saved = async (name) => {
					const [download] = await Promise.all([page.waitForEvent("download"), page.getByRole("button", { name }).click()]);
					return readFile(await download.path());
				};
				const svg = (await saved("Save the chart as SVG")).toString(),
					png = await saved("Save the chart as PNG");
				const paper = await page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue("--paper").trim());
				assert.ok(svg.includes(title) && svg.includes(`fill="${paper}"`) && /labd, run \d+, firmware/.test(svg));
				assert.ok(!svg.includes("var(--"), "no colour is left to a style sheet");
				assert.equal(png.subarray(1, 4).toString(), "PNG");
				assert.ok(png.readUInt32BE(16) > 1500, "twice the screen's resolution");
			});
	});

	test("marks have three times the background's contrast, in both themes", async () => {
		for (const scheme of ["light", "dark"])
			await withSite(browser, lab, { scheme }, async (site) => {
				await site.go("/compare");
				const worst = await site.page.evaluate(() => {
					const style = getComputedStyle(document.documentElement),
						channel = (v) => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
					const light = (hex) =>
						[1, 3, 5]
							.map((i) => channel(parseInt(hex.slice(i, i + 2), 16) / 255))
							.reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
					const paper = light(style.getPropertyValue("--paper").trim());
					return Math.min(
						...["--s1", "--s2", "--s3", "--s4", "--s5"]
							.map((n) => light(style.getPropertyValue(n).trim()))
							.map((l) => (Math.max(l, paper) + 0.05) / (Math.min(l, paper) + 0.05)),
					);
				});
				assert.ok(worst >= 3, `${scheme}: ${worst}`);
			});
	});

	test("the address holds every choice, and a new reading of it shows the same", () =>
		withSite(browser, lab, {}, async (site) => {
			const page = await site.go("/compare");
			await page.selectOption("#choice-figure", "frames_per_s");
			await page.selectOption("#choice-scale", "linear");
			await page.selectOption("#choice-board", "8051-a");
			await page.locator("#choice-fit").check();
			await page.locator("#choice-published").uncheck();
			await until(
				"the address to hold them",
				() =>
					page.url().includes("published=0") &&
					page.url().includes("fit=1") &&
					page.url().includes("figure=frames_per_s") &&
					page.url().includes("scale=linear") &&
					page.url().includes("board=8051-a"),
			);
			await site.ready();
			await until("the drawing without crosses", async () => (await page.locator(".plot .mark").count()) === 3);
			const before = await page.evaluate(() => document.getElementById("main").innerHTML);
			await page.reload();
			await site.ready();
			assert.equal(await page.evaluate(() => document.getElementById("main").innerHTML), before);
			assert.equal(await page.locator("#choice-scale").inputValue(), "linear");
		}));

	test("the copied permalink names the run, so that later runs do not change it", () =>
		withSite(browser, lab, {}, async (site, page) => {
			await site.context.grantPermissions(["clipboard-read", "clipboard-write"], { origin: lab.url });
			await site.go("/compare?figure=frames_per_s");
			await page.getByRole("button", { name: "Copy permalink" }).click();
			await site.says(/Copied/, "figure .actions");
			assert.match(await page.evaluate(() => navigator.clipboard.readText()), /#\/compare\?figure=frames_per_s&run=\d+$/);
		}));
}
