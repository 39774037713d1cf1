// SPDX-License-Identifier: GPL-2.0-or-later
// What a person does from an empty lab on: sees that it is empty, signs in, starts a run and watches it, schedules the next, loses the daemon and gets it back.

import { assert, test, until } from "./harness.mjs";
import { expecting, withSite } from "./site.mjs";

const empty = [
	["/", /No result yet/],
	["/", /Nothing is scheduled/],
	["/", /Nothing has run yet/],
	["/compare", /Nothing is measured for this choice yet/],
	["/runs", /No run yet/],
	["/schedules", /Nothing is scheduled/],
];

export function emptyTests(browser, lab) {
	test("an empty lab says on every page that there is nothing, and what to do", () =>
		withSite(browser, lab, {}, async (site) => {
			for (const [path, words] of empty) {
				await site.go(path);
				await site.says(words);
				assert.deepEqual(await site.axe(), [], path);
			}
		}));

	test("what is not there, and what fails, is said in a sentence with a way on", () =>
		withSite(browser, lab, {}, async (site, page) => {
			await expecting(/404|500/, async () => {
				await site.go("/results/999");
				await site.says(/there is no such result/);
				await site.go("/nowhere");
				await site.says(/There is no such page/);
				await page.route("**/api/v1/runs?*", (route) =>
					route.fulfill({ status: 500, json: { error: { code: "internal", message: "The disk is on fire." } } }),
				);
				await site.go("/runs");
				await site.says(/The disk is on fire/);
				await page.unroute("**/api/v1/runs?*");
				await page.getByRole("button", { name: "Try again" }).press("Enter");
				await site.says(/No run yet/);
			});
		}));

	test("a reader is offered nothing that a reader may not do", () =>
		withSite(browser, lab, {}, async (site, page) => {
			for (const path of ["/", "/runs", "/schedules"]) {
				await site.go(path);
				assert.equal(await page.locator("main button").count(), 0, path);
			}
			await site.says(/read only/, "#session");
		}));

	test("a login link works once, and leaves no token in the address", async () => {
		const link = await lab.loginLink();
		await withSite(browser, lab, { fresh: true }, async (site, page) => {
			await page.goto(link);
			await site.says(/operator/, "#session");
			assert.ok(!page.url().includes("token"), page.url());
			await page.reload();
			await site.says(/operator/, "#session");
			await page.getByRole("button", { name: "Sign out" }).press("Enter");
			await site.says(/read only/, "#session");
		});
		await expecting(/403/, () =>
			withSite(browser, lab, { fresh: true }, async (site, page) => {
				await page.goto(link);
				await site.says(/The login link was not accepted/, "#notice");
				await site.says(/read only/, "#session");
			}),
		);
	});

	test("an operator starts the published matrix with the keyboard, sees it go on, and sees it finish", () =>
		withSite(browser, lab, { operator: true }, async (site, page) => {
			await site.go("/");
			await site.says(/3 attempts/, "form");
			await page.evaluate(() => {
				window.seen = [];
				new MutationObserver(() => {
					const active = document.querySelector("main section.card.active");
					if (active) window.seen.push(active.innerText);
				}).observe(document.getElementById("main"), { childList: true, subtree: true, characterData: true });
			});
			await page.locator("#start-run").press("Enter");
			await site.says(/Queued as run 1/, "form");
			await site.says(/✓ 3 pass/);
			const seen = await page.evaluate(() => window.seen);
			assert.ok(
				seen.some((text) => /Run 1: published/.test(text) && /of 3 done/.test(text)),
				"progress was shown",
			);
			await site.says(/Run 1 is finished/, "#live");
			await site.says(/^ *\d\.\d{6}  @lab boot board=at89c51ed2-cs8900a build=\w+/m, ".console");
			await page.locator("a", { hasText: "Run 1: published" }).first().press("Enter");
			await until("the run's page", () => page.url().endsWith("#/runs/1"));
			await site.says(/payload_bytes=1460[\s\S]*pass[\s\S]*byte\/s/);
		}));

	test("a run's page follows the run while it goes on", () =>
		withSite(browser, lab, { operator: true }, async (site, page) => {
			await site.go("/runs/1");
			const { run } = await lab.ask("POST", "/runs", { matrix: "published", requested_by: "test" });
			await site.go(`/runs/${run}`);
			await site.says(/✓ 3 pass/);
			assert.equal(await page.locator("main table tbody a").count(), 3);
			await site.go("/");
			await site.says(/Same results as run 1, to the last digit/);
			await site.go("/runs");
			await site.says(new RegExp(`${run}\\s+published, version 1\\s+✓ 3 pass`));
		}));

	test("a flash from the page is a run of its own", () =>
		withSite(browser, lab, { operator: true }, async (site, page) => {
			await site.go("/");
			await page.getByRole("button", { name: "Flash 8051-a" }).press("Enter");
			await site.says(/Queued as run \d+|Run \d+: flash/);
			await until("its end", async () => (await lab.get("/runs?limit=1"))[0].state === "finished");
			await site.says(/Run \d+: flash/);
			await site.says(/✓ 1 pass/);
		}));
}

export function operatorTests(browser, lab) {
	test("a schedule is previewed, added, disabled, enabled and removed", () =>
		withSite(browser, lab, { operator: true }, async (site, page) => {
			await site.go("/schedules");
			await site.says(/Would run .* · .* · /, "#schedule-preview");
			await page.fill("#add-cron", "61 2 * * *");
			await expecting(/400/, () => site.says(/minute|61/, "#schedule-preview"));
			await page.fill("#add-cron", "15 3 * * 1");
			await site.says(/Would run Mon.*03:15/, "#schedule-preview");
			await page.locator("form button.primary").press("Enter");
			await site.says(/15 3 \* \* 1/, "main table");
			await page.getByRole("button", { name: "Disable nightly" }).press("Enter");
			await site.says(/disabled/, "main table");
			assert.equal((await lab.get("/schedules"))[0].enabled, false);
			await page.getByRole("button", { name: "Enable nightly" }).press("Enter");
			await site.says(/in \d/, "main table");
			await page.getByRole("button", { name: "Remove nightly" }).press("Enter");
			assert.equal((await lab.get("/schedules")).length, 1, "it asks once more");
			await page.getByRole("button", { name: "Remove nightly: sure?" }).press("Enter");
			await site.says(/Nothing is scheduled/);
			assert.deepEqual(await lab.get("/schedules"), []);
		}));

	test("a result is excluded with a reason, stays visible, and is taken back", () =>
		withSite(browser, lab, { operator: true }, async (site, page) => {
			const [{ id }] = await lab.get("/results?latest=1&finished=1&limit=1");
			await site.go(`/results/${id}`);
			await page.fill("#reason", "the cable was <b>loose</b>");
			await page.getByRole("button", { name: "Exclude" }).press("Enter");
			await site.says(/Excluded from statistics by dashboard: the cable was <b>loose<\/b>/);
			await page.getByRole("button", { name: "Take the exclusion back" }).press("Enter");
			await until("the exclusion's end", async () => (await lab.get(`/results/${id}`)).excluded === null);
			await site.says(/because/);
		}));

	test("downloads are what they say: capture, console, samples", () =>
		withSite(browser, lab, {}, async (site, page) => {
			const [{ id }] = await lab.get("/results?latest=1&finished=1&limit=1");
			await site.go(`/results/${id}`);
			const href = await page.getByRole("link", { name: "Capture (pcap)" }).getAttribute("href");
			const bytes = Buffer.from(await (await fetch(lab.url + href)).arrayBuffer());
			assert.ok([0xa1b23c4d, 0xa1b2c3d4].includes(bytes.readUInt32LE(0)), "a pcap file");
			assert.match(await lab.get(`/results/${id}/console.txt`), /@lab boot/);
			await site.go("/runs/1");
			assert.match(await page.getByRole("link", { name: "CSV samples" }).getAttribute("href"), /samples\.csv\?run=1$/);
		}));

	test("a stopped daemon is said, and the page comes back by itself with what is new", () =>
		expecting(/Failed to load|ERR_|401|net::/, () =>
			withSite(browser, lab, { operator: true, fresh: true }, async (site, page) => {
				await site.go("/runs");
				await lab.stop();
				await site.says(/The connection to the daemon is lost/, "#banner");
				await lab.start();
				await until("the banner's end", async () => !(await page.locator("#banner").isVisible()));
				await site.says(/Signed out: the daemon does not know this session any more/, "#notice");
				await site.says(/read only/, "#session");
				const run = await lab.measure();
				await site.says(new RegExp(`${run}\\s+published, version 1\\s+✓ 3 pass`));
			}),
		));
}
