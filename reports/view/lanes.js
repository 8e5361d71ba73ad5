/*
 * Resources over time as rows of the timeline: what reports/view/timeline_lanes.sql found, a value per bin,
 * null where nothing was read, which stays empty. Gauges are lines, what grew or moved is filled. Rows of one
 * quantity have one scale, so that ranks can be compared; CPU time that of the cores of a rank.
 */
"use strict";
const tacho_lanes = (() => {
	const kinds = { storage_read: "storage read", storage_write: "storage written", network_sent: "network sent",
		network_received: "network received" };

	/* 1234567 B as people read it; decimal, three digits. */
	const amount = (value, unit) => {
		const scale = unit[0] === "B" ? [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]].find((s) => value >= s[0]) : null;
		const shown = scale ? value / scale[0] : value;
		const name = shown === 1 ? unit.replace(/s$/, "") : unit; /* 1 core */
		return `${shown >= 100 || Number.isInteger(shown) ? shown.toFixed(0) : shown.toPrecision(3)} ${scale ? scale[1] : ""}${name}`;
	};

	const rates = (data) => {
		const lanes = new Map(), nodes = new Set(data.rates.map((r) => r[0]));
		for (const [node, host, kind, bin, value] of data.rates) {
			const key = `${node} ${kind}`, name = (nodes.size > 1 ? `${host} ` : "") + (kinds[kind] || kind);
			if (!lanes.has(key)) lanes.set(key, { row: null, what: name, kind, unit: "B/s", values: Array(Math.ceil(data.ns / data.bin)).fill(0) });
			lanes.get(key).values[bin] = value;
		}
		return [...lanes.values()];
	};

	/* What is read once a second falls into every bin but a few: these have what was read before. */
	const filled = (values) => values.map((v, i) => (v === null && i > 0 && values[i + 1] !== null && i + 1 < values.length ? values[i - 1] : v));

	/* label, unit, bin, values and most of each; row: the label of the rank that it is of, or null. */
	const of = (data) => {
		if (!data) return [];
		const lanes = data.lanes.map((l) => ({ kind: l.what.replace(/^.* · /, ""), ...l })).concat(rates(data)), most = {};
		for (const l of lanes)
			most[l.kind + l.unit] = Math.max(most[l.kind + l.unit] || 0, l.most || 0, ...l.values);
		return lanes.filter((l) => l.values.some((v) => v)).map((l) => ({
			...l, values: filled(l.values), label: (l.row ? "   " : "") + l.what, bin: data.bin, ns: data.ns,
			most: l.unit === "%" ? 100 : most[l.kind + l.unit],
		}));
	};

	/* A line along the tops of its bins: it breaks where nothing was read. */
	const draw_line = (x, y, right, before, view, fill) => {
		view.rect(x, y, right - x, 2, fill);
		if (before !== null) view.rect(x, Math.min(y, before), 1.5, Math.abs(before - y) + 2, fill);
	};
	const draw = (lane, view, box, colour) => {
		const last = Math.min(lane.values.length, Math.ceil(view.to / lane.bin));
		let before = null;
		for (let bin = Math.max(0, Math.floor(view.from / lane.bin)); bin < last; bin++) {
			const value = lane.values[bin], x = view.x(bin * lane.bin), right = view.x(Math.min((bin + 1) * lane.bin, lane.ns));
			if (value === null || value === undefined) { before = null; continue; }
			const high = Math.max(value > 0 ? 1 : 0, box.height * Math.min(1, value / lane.most)), y = box.top + box.height - high;
			if (lane.gauge) draw_line(x, Math.min(y, box.top + box.height - 2), right, before, view, colour.line);
			else view.rect(x, y, right - x, high, colour.lane);
			before = Math.min(y, box.top + box.height - 2);
		}
		view.scale(amount(lane.most, lane.unit), box);
	};

	const at = (lane, t) => {
		const value = lane.values[Math.floor(t / lane.bin)];
		return [value === null || value === undefined ? "not read" : amount(value, lane.unit), `full height: ${amount(lane.most, lane.unit)}`];
	};

	return { of, draw, at };
})();
