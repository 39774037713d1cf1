// SPDX-License-Identifier: GPL-2.0-or-later
// The browser tests: node run.mjs [words of a sentence]. Starts a real daemon with a virtual board, drives the dashboard in Chromium, stops both. Status 0 all passed,
// 1 one failed, 77 skipped with the reason. LAB_BUILD names the build folder, LAB_CHROMIUM another browser.

import { run, test, assert } from "./harness.mjs";
import { Lab, missing } from "./lab.mjs";
import { numbersTests } from "./numbers_test.mjs";
import { emptyTests, operatorTests } from "./operator_test.mjs";
import { pagesTests } from "./pages_test.mjs";
import { chromium, launch, trouble } from "./site.mjs";
import { wordsTests } from "./words_test.mjs";

const lack = missing() ?? (chromium ? null : "no Chromium is installed (Debian package chromium)");
if (lack) {
	console.log(`SKIP browser tests: ${lack}`);
	process.exit(77);
}

const lab = new Lab(),
	only = process.argv[2];
let browser = null,
	failed = 1;

for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => process.exit(1));
process.on("exit", () => lab.process?.kill("SIGKILL"));
try {
	await lab.start();
	browser = await launch();
	wordsTests();
	emptyTests(browser, lab); // these leave three runs behind, which the others look at
	numbersTests(browser, lab);
	pagesTests(browser, lab);
	operatorTests(browser, lab);
	test("nowhere in all of this was the security policy broken or a script in error", () => assert.deepEqual(trouble, []));
	if (only) await lab.measure();
	failed = await run(only);
} finally {
	await browser?.close();
	await lab.finish();
}
process.exit(failed ? 1 : 0);
