// SPDX-License-Identifier: GPL-2.0-or-later
// A real daemon with a virtual board, in a state folder of its own that goes away with it. The board's services get a loopback address of their own, so that
// several of these, and the user's, run side by side.

import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { until } from "./harness.mjs";

export const source = process.env.LAB_SOURCE ?? fileURLToPath(new URL("../../", import.meta.url)).replace(/\/$/, "");
export const build = process.env.LAB_BUILD ?? join(source, "build/release");
export const web = [join(source, "web"), join(source, "build/web")];

/** What is missing for a test, as one sentence; null: nothing. */
export function missing() {
	const needed = [
		join(build, "labd/labd"),
		join(build, "fixtures/virtual/vboard"),
		join(build, "firmware/images.json"),
		join(source, "build/web/vendor/plot.js"),
	];
	const absent = needed.find((file) => !existsSync(file));
	return absent ? `${absent} is not there; ./lab test --only browser makes it` : null;
}

export class Lab {
	constructor() {
		this.state = mkdtempSync(join(tmpdir(), "labd-browser-"));
		this.port = 0;
		this.process = null;
		const bench = JSON.parse(readFileSync(join(source, "fixtures/benches/virtual.json"), "utf8"));
		bench.boards[0].wire.outer = `127.${100 + (process.pid % 100)}.${1 + ((process.pid >> 8) % 250)}.1`;
		writeFileSync(join(this.state, "bench.json"), JSON.stringify(bench));
		mkdirSync(join(this.state, "lab"), { mode: 0o700 });
	}

	config() {
		return {
			version: 1,
			state_dir: join(this.state, "lab"),
			bench: join(this.state, "bench.json"),
			board_types: join(source, "fixtures/boards"),
			matrices: join(source, "db/matrices"),
			images: join(build, "firmware/images.json"),
			vboard: join(build, "fixtures/virtual/vboard"),
			web,
			http: { address: "127.0.0.1", port: this.port },
		};
	}

	/** Serves when it returns. A second start is on the same port. */
	async start() {
		const file = join(this.state, "labd.json"),
			endpoint = join(this.state, "lab/endpoint.json");
		writeFileSync(file, JSON.stringify(this.config()));
		rmSync(endpoint, { force: true });
		this.log = "";
		this.process = spawn(join(build, "labd/labd"), ["--config", file], { stdio: ["ignore", "ignore", "pipe"] });
		this.process.stderr.on("data", (text) => {
			this.log += text;
		});
		await until(
			() => `the daemon's endpoint.json\n${this.log}`,
			() => {
				if (this.process.exitCode !== null) throw new Error(`labd ended with ${this.process.exitCode}: ${this.log}`);
				return existsSync(endpoint);
			},
		);
		const said = JSON.parse(readFileSync(endpoint, "utf8"));
		this.url = said.url;
		this.token = said.token;
		this.port = Number(new URL(said.url).port);
	}

	async stop() {
		const process_ = this.process;
		if (!process_ || process_.exitCode !== null) return;
		process_.kill("SIGTERM");
		await until("the daemon's end", () => process_.exitCode !== null || process_.signalCode !== null).catch(() =>
			process_.kill("SIGKILL"),
		);
		this.process = null;
	}

	async finish() {
		await this.stop();
		rmSync(this.state, { recursive: true, force: true });
	}

	async ask(method, path, body) {
		const answer = await fetch(`${this.url}/api/v1${path}`, {
			method,
			headers: { Authorization: `Bearer ${this.token}`, "Content-Type": "application/json" },
			body: body === undefined ? undefined : JSON.stringify(body),
		});
		const text = await answer.text();
		if (!answer.ok) throw new Error(`${method} ${path}: HTTP ${answer.status} ${text}`);
		return answer.headers.get("content-type").includes("json") ? JSON.parse(text) : text;
	}

	get(path) {
		return this.ask("GET", path);
	}

	async loginLink() {
		return (await this.ask("POST", "/login-links", {})).url;
	}

	/** The published matrix, run to its end; the run's number. */
	async measure() {
		const { run } = await this.ask("POST", "/runs", { matrix: "published", requested_by: "test" });
		await until(`run ${run}'s end`, async () => (await this.get(`/runs/${run}`)).state === "finished");
		return run;
	}
}
