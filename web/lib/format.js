// SPDX-License-Identifier: GPL-2.0-or-later
// Numbers for people: at least four significant digits, all digits of whole parts, thin spaces between thousands, SI prefixes, the decimal point. What is
// not known is a dash, never 0.

export const none = "–";

const known = (value) => value !== null && value !== undefined && !Number.isNaN(value);

const write = (value, most, least) =>
	new Intl.NumberFormat("en", { maximumSignificantDigits: most, minimumSignificantDigits: least })
		.format(value)
		.replaceAll(",", "\u202f");

function wholeDigits(value) {
	return Math.abs(value) < 1 ? 1 : Math.min(Math.floor(Math.log10(Math.abs(value))) + 1, 15);
}

/** 63478.3 -> "63 478", 865.05 -> "865.1", 27.0004 -> "27.00", 3 -> "3": that many significant digits, but never a rounded whole part. */
export function number(value, digits = 4) {
	if (!known(value)) return none;
	const most = Math.max(digits, wholeDigits(value));
	return write(value, most, Number.isInteger(value) ? 1 : Math.min(digits, most));
}

/** For the ticks of an axis: as short as can be. */
export const tick = (value) => write(value, Math.max(4, wholeDigits(value)), 1);

export const grouped = (value) => (known(value) ? number(Math.round(value), 15) : none);

const prefixes = [
	[1e9, "G"],
	[1e6, "M"],
	[1e3, "k"],
	[1, ""],
];

export function si(value, unit, digits = 4) {
	if (!known(value)) return none;
	const [scale, prefix] = prefixes.find(([s]) => Math.abs(value) >= s) ?? [1, ""];
	return `${number(value / scale, digits)}\u00a0${prefix}${unit}`;
}

export const bitRate = (bytesPerSecond) => (known(bytesPerSecond) ? si(bytesPerSecond * 8, "bit/s") : none);
export const byteRate = (bytesPerSecond) => (known(bytesPerSecond) ? `${number(bytesPerSecond)}\u00a0byte/s` : none);

export function seconds(s) {
	if (!known(s)) return none;
	if (s >= 120) return `${Math.floor(s / 60)}\u00a0min ${Math.round(s % 60)}\u00a0s`;
	const [scale, unit] = s >= 1 || s === 0 ? [1, "s"] : s >= 1e-3 ? [1e3, "ms"] : s >= 1e-6 ? [1e6, "µs"] : [1e9, "ns"];
	return `${number(s * scale)}\u00a0${unit}`;
}

const zone = { hour: "2-digit", minute: "2-digit", timeZoneName: "short" };

export function when(iso) {
	return iso
		? new Intl.DateTimeFormat("en-GB", { weekday: "short", day: "numeric", month: "short", year: "numeric", ...zone }).format(
				new Date(iso),
			)
		: none;
}

export function day(iso) {
	return iso ? new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" }).format(new Date(iso)) : none;
}

const spans = [
	[90, 1, "s"],
	[5400, 60, "min"],
	[129600, 3600, "h"],
	[Infinity, 86400, "days"],
];

function span(s) {
	const [, unit, name] = spans.find(([limit]) => s < limit);
	return `${Math.max(0, Math.round(s / unit))}\u00a0${name}`;
}

export const ago = (iso) => (iso ? `${span((Date.now() - new Date(iso)) / 1000)} ago` : none);
export const ahead = (iso) => (iso ? `in ${span((new Date(iso) - Date.now()) / 1000)}` : none);

/** "a=1, b=2" of an object. */
export const pairs = (object) =>
	Object.entries(object ?? {})
		.filter(([, v]) => v !== null)
		.map(([k, v]) => `${k}=${v}`)
		.join(", ");

/**
 * The figures that a page can show, one row each: name, unit in the API, the axis' scale and unit, and the value at n bytes when a frame takes t seconds. Layer: the
 * application's bytes, above TCP or UDP; headers count for nothing.
 */
export const figures = {
	goodput_byte_per_s: {
		name: "Application data rate",
		unit: "byte/s",
		scale: 1,
		axis: "byte/s",
		layer: "payload above the transport",
		rate: true,
		ofTime: (n, t) => n / t,
	},
	goodput_bit_per_s: {
		name: "Application data rate",
		unit: "bit/s",
		scale: 1e-3,
		axis: "kbit/s",
		layer: "payload above the transport",
		rate: true,
		ofTime: (n, t) => (8 * n) / t,
	},
	frames_per_s: {
		name: "Frame rate",
		unit: "frame/s",
		scale: 1,
		axis: "frame/s",
		layer: "benchmark frames",
		rate: true,
		ofTime: (n, t) => 1 / t,
	},
	frame_time_s: {
		name: "Time per frame",
		unit: "s",
		scale: 1e3,
		axis: "ms",
		layer: "benchmark frames",
		rate: false,
		ofTime: (n, t) => t,
	},
};

/** A figure's value as the axis and the table write it, without its unit. */
export const inAxis = (figure, value) => (known(value) ? number(value * figures[figure].scale) : none);
export const withUnit = (figure, value) => (known(value) ? `${inAxis(figure, value)}\u00a0${figures[figure].axis}` : none);

/** Control characters of a console as signs of their own, so that they are seen and do nothing. */
export const visible = (text) =>
	text
		.replace(/\r\n/g, "\n")
		.replace(/[\u0000-\u0008\u000b-\u001f]/g, (c) => String.fromCharCode(0x2400 + c.charCodeAt(0)))
		.replace(/\u007f/g, "\u2421");

/** A reference's description without the size at its end, which is in the row that it stands for. */
export const withoutSize = (description) => (description ?? "").replace(/; n = \d+ byte$/, "");
