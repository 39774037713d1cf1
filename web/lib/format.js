// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers for people: SI prefixes, decimal point, units in words. What is not known is a dash, never 0.

export const none = "–";

export function number(value, digits = 4) {
	if (value === null || value === undefined || Number.isNaN(value))
		return none;
	return new Intl.NumberFormat("en", { maximumSignificantDigits: digits, useGrouping: false }).format(value);
}

export function grouped(value) {
	return value === null || value === undefined ? none : new Intl.NumberFormat("en", { maximumFractionDigits: 1 }).format(value).replaceAll(",", "\u202f");
}

const prefixes = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""]];

export function si(value, unit, digits = 4) {
	if (value === null || value === undefined)
		return none;
	const [scale, prefix] = prefixes.find(([s]) => Math.abs(value) >= s) ?? [1, ""];
	return `${number(value / scale, digits)} ${prefix}${unit}`;
}

export const bitRate = (bytesPerSecond) => si(bytesPerSecond === null || bytesPerSecond === undefined ? null : bytesPerSecond * 8, "bit/s");
export const byteRate = (bytesPerSecond) => (bytesPerSecond === null || bytesPerSecond === undefined ? none : `${grouped(Math.round(bytesPerSecond * 10) / 10)} byte/s`);

export function seconds(s) {
	if (s === null || s === undefined)
		return none;
	if (s < 1e-3)
		return `${number(s * 1e6)} µs`;
	return s < 1 ? `${number(s * 1e3)} ms` : s < 120 ? `${number(s)} s` : `${Math.floor(s / 60)} min ${Math.round(s % 60)} s`;
}

export function when(iso) {
	if (!iso)
		return none;
	const date = new Date(iso);
	return new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" }).format(date);
}

export function ago(iso) {
	if (!iso)
		return none;
	const s = (Date.now() - new Date(iso)) / 1000;
	for (const [limit, unit, name] of [[90, 1, "s"], [5400, 60, "min"], [129600, 3600, "h"], [Infinity, 86400, "days"]])
		if (s < limit)
			return `${Math.max(0, Math.round(s / unit))} ${name} ago`;
	return none;
}

/** The figures that a page can show, as one table: key in the API, unit, how to write it. */
export const figures = {
	goodput_byte_per_s: { name: "Application data rate", unit: "byte/s", write: byteRate },
	goodput_bit_per_s: { name: "Application data rate", unit: "bit/s", write: (v) => si(v, "bit/s") },
	frames_per_s: { name: "Frame rate", unit: "frame/s", write: (v) => (v === null || v === undefined ? none : `${number(v)} frame/s`) },
	frame_time_s: { name: "Time per frame", unit: "s", write: seconds },
};
