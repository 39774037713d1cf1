// SPDX-License-Identifier: GPL-2.0-or-later
// The pictures of the documentation: npm run screenshots [-- URL]. Without a URL it starts a lab of its own and runs the published matrix first. Each picture must
// stay small enough for a repository.

import { statSync } from "node:fs";
import { join } from "node:path";
import { Lab, source } from "./lab.mjs";
import { launch, Site } from "./site.mjs";

const limit_bytes = 200000;
const height_px = 800;

const pictures = [
	{ name: "compare-light", path: "/compare", scheme: "light", upTo: "figure" },
	{ name: "compare-dark", path: "/compare?figure=frame_time_s&scale=linear&fit=1", scheme: "dark", upTo: "figure" },
	{ name: "overview", path: "/", scheme: "light" },
	{ name: "run", path: "/runs/1", scheme: "light" },
	{ name: "result", path: "/results/1", scheme: "light", upTo: "figure" },
];

async function take(browser, lab, picture) {
	const site = await new Site(browser, lab).open({ scheme: picture.scheme });
	const page = await site.go(picture.path),
		file = join(source, "docs", `${picture.name}.png`);
	const bottom = await page.evaluate(
		(end) => Math.ceil(document.querySelector(end ?? "footer").getBoundingClientRect().bottom + scrollY + (end ? 16 : 0)),
		picture.upTo,
	);
	await page.screenshot({ path: file, fullPage: true, clip: { x: 0, y: 0, width: 1280, height: Math.max(bottom, height_px) } });
	await site.close();
	const { size } = statSync(file);
	console.log(`${file}: ${size} bytes`);
	if (size > limit_bytes) throw new Error(`${file} is larger than ${limit_bytes} bytes`);
}

const url = process.argv[2],
	lab = url ? { url } : new Lab();
let browser = null;
try {
	if (!url) {
		await lab.start();
		await lab.measure();
	}
	browser = await launch();
	for (const picture of pictures) await take(browser, lab, picture);
} finally {
	await browser?.close();
	await lab.finish?.();
}
