// SPDX-License-Identifier: GPL-2.0-or-later
// Makes the two vendored chart libraries: node build.mjs OUT. Our own pages need no build; they import /vendor/plot.js and /vendor/uplot.js,
// which re-export files whose names carry the hash of their contents (served as immutable). Licence texts go beside them.
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const out = process.argv[2] ?? "../build/web";
const vendor = `${out}/vendor`;

const libraries = {
	// Only the marks that our charts draw, so that the rest is left out of the bundle.
	plot: `export { plot, line, dot, text, ruleX, ruleY, link, axisX, axisY, gridX, gridY, tip, pointer, crosshair, barX, barY, areaY, frame }
		from "@observablehq/plot";`,
	uplot: `export { default } from "uplot";`,
};

function hashOf(bytes) {
	return createHash("sha256").update(bytes).digest("hex").slice(0, 12);
}

function put(name, bytes) {
	writeFileSync(`${vendor}/${name}`, bytes);
	writeFileSync(`${vendor}/${name}.gz`, gzipSync(bytes, { level: 9 }));
}

async function bundle(name, source) {
	const result = await build({
		stdin: { contents: source, resolveDir: import.meta.dirname ?? new URL(".", import.meta.url).pathname },
		bundle: true, minify: true, format: "esm", target: "es2021", write: false, legalComments: "none", define: { "process.env.NODE_ENV": '"production"' },
	});
	const bytes = Buffer.from(result.outputFiles[0].contents);
	const file = `${name}.${hashOf(bytes)}.js`;
	put(file, bytes);
	writeFileSync(`${vendor}/${name}.js`, `export * from "./${file}";\n${name === "uplot" ? `export { default } from "./${file}";\n` : ""}`);
	return { file, bytes: bytes.length, gzip: gzipSync(bytes, { level: 9 }).length };
}

function licences() {
	const root = new URL("node_modules/", import.meta.url).pathname;
	const names = ["@observablehq/plot", "uplot", "isoformat", "interval-tree-1d", "binary-search-bounds",
		...readdirSync(root).filter((n) => n.startsWith("d3")), "internmap", "delaunator", "robust-predicates"];
	let text = "Licences of what is bundled in this folder\n";
	for (const name of names) {
		const file = safeList(`${root}${name}`).find((f) => /^licen[cs]e/i.test(f));
		if (file)
			text += `\n---- ${name} ----\n\n${readFileSync(`${root}${name}/${file}`, "utf8")}`;
	}
	writeFileSync(`${vendor}/LICENCES.txt`, text);
}

function safeList(folder) {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

rmSync(vendor, { recursive: true, force: true });
mkdirSync(vendor, { recursive: true });
for (const [name, source] of Object.entries(libraries))
	console.log(name, await bundle(name, source));
copyFileSync(new URL("node_modules/uplot/dist/uPlot.min.css", import.meta.url), `${vendor}/uplot.css`);
licences();
