// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the two vendored chart libraries: node build.mjs OUT. Our own pages need no build; they import /vendor/plot.js and /vendor/uplot.js,
// which re-export files whose names carry the hash of their contents (served as immutable). Licence texts go beside them, and csp.json: the hash of the one style
// element that Observable Plot puts into each drawing, which the server adds to its content security policy.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const out = process.argv[2] ?? "../build/web";
const vendor = `${out}/vendor`;
const here = fileURLToPath(new URL(".", import.meta.url));
const modules = `${here}node_modules/`;

const libraries = {
	// Only the marks that our charts draw, so that the rest is left out of the bundle.
	plot: `export { plot, line, dot, ruleX, ruleY } from "@observablehq/plot";`,
	uplot: `export { default } from "uplot";`,
};

function hashOf(bytes) {
	return createHash("sha256").update(bytes).digest("hex").slice(0, 12);
}

async function bundle(name, source) {
	const result = await build({
		stdin: { contents: source, resolveDir: here },
		bundle: true,
		minify: true,
		format: "esm",
		target: "es2021",
		write: false,
		legalComments: "none",
	});
	const bytes = Buffer.from(result.outputFiles[0].contents),
		small = gzipSync(bytes, { level: 9 });
	const file = `${name}.${hashOf(bytes)}.js`;
	writeFileSync(`${vendor}/${file}`, bytes);
	writeFileSync(`${vendor}/${file}.gz`, small);
	writeFileSync(
		`${vendor}/${name}.js`,
		`export * from "./${file}";\n${name === "uplot" ? `export { default } from "./${file}";\n` : ""}`,
	);
	console.log(`${file}: ${bytes.length} bytes, ${small.length} compressed`);
}

/* The style's text stands in Plot's source with the class name left open; the browser test compares this hash with that of a drawing on the page. */
function styleHash() {
	const source = readFileSync(`${modules}@observablehq/plot/src/plot.js`, "utf8"),
		names = readFileSync(`${modules}@observablehq/plot/src/style.js`, "utf8");
	const text = /append\("style"\)\.text\(\s*`([^`]*)`/.exec(source)?.[1];
	const className = /"(plot-[0-9a-f]+)"/.exec(source + names)?.[1];
	if (!text || !className) throw new Error("Observable Plot's style is not where it was: see styleHash() in web/build.mjs");
	return `sha256-${createHash("sha256").update(text.replaceAll("${className}", className)).digest("base64")}`;
}

function licences() {
	const names = [
		"@observablehq/plot",
		"uplot",
		"isoformat",
		"interval-tree-1d",
		"binary-search-bounds",
		...readdirSync(modules).filter((n) => n.startsWith("d3")),
		"internmap",
		"delaunator",
		"robust-predicates",
	];
	let text = "Licences of what is bundled in this folder\n";
	for (const name of names) {
		const file = readdirSync(`${modules}${name}`).find((f) => /^licen[cs]e/i.test(f));
		if (file) text += `\n---- ${name} ----\n\n${readFileSync(`${modules}${name}/${file}`, "utf8")}`;
	}
	writeFileSync(`${vendor}/LICENCES.txt`, text);
}

rmSync(vendor, { recursive: true, force: true });
mkdirSync(vendor, { recursive: true });
for (const [name, source] of Object.entries(libraries)) await bundle(name, source);
copyFileSync(`${modules}uplot/dist/uPlot.min.css`, `${vendor}/uplot.css`);
writeFileSync(`${out}/csp.json`, `${JSON.stringify({ style: [styleHash()] })}\n`);
licences();
