// SPDX-License-Identifier: GPL-2.0-or-later
// The HTTP API under /api/v1, and this tab's session. The login link's token is taken out of the address at once and exchanged for a session token, which
// lives in this tab only. A daemon that was started anew does not know old sessions: the page then goes on as a reader and says so.

const base = "/api/v1";

export class ApiError extends Error {
	constructor(status, code, message) {
		super(message);
		this.status = status;
		this.code = code;
	}
}

function headers(more) {
	const token = sessionStorage.getItem("token");
	return { Accept: "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}), ...more };
}

async function answer(response) {
	const text = await response.text();
	let body = null;
	try {
		body = text ? JSON.parse(text) : null;
	} catch {
		throw new ApiError(response.status, "protocol", `The daemon answered something that is not JSON (HTTP ${response.status}).`);
	}
	if (!response.ok) throw new ApiError(response.status, body?.error?.code ?? "http", body?.error?.message ?? `HTTP ${response.status}`);
	return body;
}

async function send(method, path, body) {
	try {
		return await fetch(base + path, {
			method,
			headers: headers(body === undefined ? {} : { "Content-Type": "application/json" }),
			body: body === undefined ? undefined : JSON.stringify(body),
		});
	} catch {
		throw new ApiError(0, "unreachable", "The daemon does not answer. Is it running?");
	}
}

async function call(method, path, body) {
	const response = await send(method, path, body);
	if (response.status !== 401 || !signedIn()) return answer(response);
	forget("Signed out: the daemon does not know this session any more. Open a new login link (labctl login).");
	return answer(method === "GET" ? await send(method, path) : response);
}

export const get = (path) => call("GET", path);
export const post = (path, body = {}) => call("POST", path, body);
export const del = (path) => call("DELETE", path);

/** The rows of a list document, whether it is the list or holds it under one key. */
export function list(document_) {
	if (Array.isArray(document_)) return document_;
	return Object.values(document_ ?? {}).find(Array.isArray) ?? [];
}

/** "?a=1&b=2" of what is set. */
export function query(parameters) {
	const set = Object.entries(parameters).filter(([, v]) => v !== null && v !== undefined && v !== "");
	return set.length ? `?${new URLSearchParams(set)}` : "";
}

/* --- session: document gets a "session" event, detail is a sentence or null, whenever it changes --- */

export const signedIn = () => sessionStorage.getItem("token") !== null;

function changed(sentence = null) {
	document.dispatchEvent(new CustomEvent("session", { detail: sentence }));
}

function forget(sentence) {
	sessionStorage.removeItem("token");
	changed(sentence);
}

export async function signOut() {
	await post("/logout").catch(() => null);
	forget(null);
}

/** Exchange the login link's token, if the address holds one. Returns an error sentence or null. */
export async function signIn() {
	const match = location.hash.match(/^#token=([A-Za-z0-9._~-]+)$/);
	if (!match) return null;
	history.replaceState(null, "", `${location.pathname}#/`);
	try {
		const session = await post("/login", { token: match[1] });
		sessionStorage.setItem("token", session.token);
		changed();
		return null;
	} catch (e) {
		return `The login link was not accepted: ${e.message}.`.replace("..", ".");
	}
}
