// SPDX-License-Identifier: GPL-2.0-or-later
// The HTTP API under /api/v1, and this tab's session. The login link's token is taken out of the address at once and exchanged for a session token, which
// lives in this tab only.

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
	if (!response.ok)
		throw new ApiError(response.status, body?.error?.code ?? "http", body?.error?.message ?? `HTTP ${response.status}`);
	return body;
}

async function call(method, path, body, signal) {
	let response;
	try {
		response = await fetch(base + path, {
			method, signal, headers: headers(body === undefined ? {} : { "Content-Type": "application/json" }),
			body: body === undefined ? undefined : JSON.stringify(body),
		});
	} catch (e) {
		if (e.name === "AbortError")
			throw e;
		throw new ApiError(0, "unreachable", "The daemon does not answer. Is it running?");
	}
	return answer(response);
}

export const get = (path, signal) => call("GET", path, undefined, signal);
export const post = (path, body = {}) => call("POST", path, body);
export const put = (path, body = {}) => call("PUT", path, body);
export const del = (path) => call("DELETE", path);

export const signedIn = () => sessionStorage.getItem("token") !== null;
export const signOut = () => sessionStorage.removeItem("token");

/** Exchange the login link's token, if the address holds one. Returns an error sentence or null. */
export async function signIn() {
	const match = location.hash.match(/^#token=([A-Za-z0-9._~-]+)$/);
	if (!match)
		return null;
	history.replaceState(null, "", `${location.pathname}#/`);
	try {
		const session = await post("/login", { token: match[1] });
		sessionStorage.setItem("token", session.token);
		return null;
	} catch (e) {
		return `The login link was not accepted: ${e.message}`;
	}
}

/** "a=1&b=2" of what is set. */
export function query(parameters) {
	const set = Object.entries(parameters).filter(([, v]) => v !== null && v !== undefined && v !== "");
	return set.length ? `?${new URLSearchParams(set)}` : "";
}
