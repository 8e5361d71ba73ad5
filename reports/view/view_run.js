/* The whole run in the timeline: shares of states in bins, of ranks and GPUs, and of nodes as their mean. */
"use strict";
const tacho_run = (() => {
	const { time, percent, label } = tacho_view;

	/* Of ranks that are folded away the two that are furthest apart. */
	const extremes = (members, t) => {
		const useful = members.map((m) => [m, ["useful", "compute"].reduce((sum, s) =>
			sum + ((m.shares[s] || [])[Math.floor(t / m.bin)] || 0), 0)]).sort((a, b) => a[1] - b[1]);
		return members.length < 2 ? [] : [useful[0], useful[useful.length - 1]].map(([m, share], i) =>
			`${i ? "most" : "least"} ${m.device ? "computing" : "useful"}: ${m.label}, ${percent(share / 1000)}`);
	};

	/* Where it is known how long ranks waited for each other, the remaining time of that state is transfer. */
	const split = (rows, name) => {
		const wait = `${name}_wait`;
		if (!rows.some((r) => r.shares[wait])) return;
		for (const r of rows)
			r.shares = Object.fromEntries(Object.entries(r.shares).flatMap(([state, shares]) => (state === wait ? (r.shares[name] ? [] : [[wait, shares]])
				: state !== name ? [[state, shares]] : [[`${name}_transfer`, shares]].concat(r.shares[wait] ? [[wait, r.shares[wait]]] : []))));
	};
	const of = (data, places, lanes) => {
		for (const name of ["mpi", "gloo"])
			split(data.rows.concat(data.more || []), name);
		const states = [...new Set(data.rows.flatMap((r) => Object.keys(r.shares)))];
		for (const r of data.rows)
			r.ns = data.ns;
		const hosts = data.rows.filter((r) => !r.device), devices = data.rows.filter((r) => r.device);
		/* without a rank of its own a GPU stands by itself */
		const tops = data.rows.filter((r) => !r.device || !hosts.some((h) => h.rank === r.rank && r.rank !== undefined));
		const lane_of = (l) => ({ ...l, label: l.what, lane: true });
		const below = (r) => (r.device ? [] : devices.filter((d) => d.rank === r.rank && d.rank !== undefined)
			.concat(lanes.filter((l) => l.row === r.label).map(lane_of)));
		const sum_of = (said, members) => {
			const cached = { label: said, members, get mean() { return (this.made = this.made || tacho_view.mean(members)); } };
			return Object.defineProperties(cached, { bin: { get: () => cached.mean.bin }, ns: { value: data.ns },
				shares: { get: () => cached.mean.shares } });
		};
		const sum = (node, ranks) => {
			const gpus = ranks.flatMap((r) => (r.device ? [] : devices.filter((d) => d.rank === r.rank)));
			return [sum_of(tacho_tree.node_label(node, ranks.length), ranks)]
				.concat(gpus.length ? [Object.assign(sum_of(`${gpus.length} GPU${gpus.length > 1 ? "s" : ""}`, gpus), { name: `${node[0]} · GPUs` })] : []);
		};
		const rows = tacho_tree.of(tops, below, (n) => data.nodes[n], sum)
			.concat(tacho_tree.grouped(lanes.filter((l) => !l.row).map(lane_of), null, 0, (l) => / ?GPU \d+(?= · )/.test(l.what) && l.what.replace(/ · [^·]*$/, "")));
		const more = (data.more || []).map((r) => ({ ...r, ns: data.ns, depth: 0, up: null, folds: false, open: true, closed_only: false }));
		return {
			sampled: data.many > data.rows.length ? `${data.rows.length} of ${data.many} rows are drawn: those of the ranks in findings, the most unlike ones, ` +
				`and a sample.${more.length ? " To show another one, search for its name (rank 13)." : ""}` : "",
			/* The rows of a rank that was left out, so that they are shown. */
			reveal(text) {
				const one = more.findIndex((r) => r.label === text && !r.shown), found = one < 0 ? [] : more.filter((r) => r.rank === more[one].rank);
				for (const r of found) r.shown = true;
				rows.unshift(...found);
				return found[0] || null;
			},
			title: "Run", from: 0, to: data.ns, states, rows, lanes: lanes.length,
			note: data.many > data.rows.length ? `${data.rows.length} of ${data.many} rows` : "",
			phases: data.phases, steps: data.steps, parts: data.parts, on_path: data.path || [], full: new Set((data.full || []).map((f) => f.step)), path: [], links: null, places,
			draw(r, view, box, colour, text) {
				if (r.lane) tacho_lanes.draw(r, view, box, colour);
				else tacho_view.draw_shares(r, states, view, box, colour, (state) =>
					text && !r.label.toLowerCase().includes(text) && !label(state).toLowerCase().includes(text));
			},
			at(r, t) {
				if (r.lane) return tacho_lanes.at(r, t);
				const said = tacho_view.shares_at(r, states, t);
				return r.members ? [said[0], "mean of all:", ...said.slice(1), ...extremes(r.members, t)] : said;
			},
			slice: () => null,
			sum(from, to, add) {
				for (const r of data.rows)
					tacho_view.sum_shares(r, from, to, add);
			},
			sum_row: (r, from, to, add) => r.lane || tacho_view.sum_shares(r, from, to, add),
			calls: null,
			count(text) {
				const n = rows.filter((r) => !r.heading && r.label.toLowerCase().includes(text)).length, named = states.filter((state) => label(state).toLowerCase().includes(text));
				return named.length ? `${named.map(label).join(", ")}${n ? `, ${n} row${n > 1 ? "s" : ""}` : ""}` : `${n} row${n === 1 ? "" : "s"} found`;
			},
		};
	};

	/* Two runs as one: rows of the one, then of the other, which begin together. */
	const both = (pair) => {
		const nodes = pair.flatMap(([name, data]) => data.nodes.map((n) => [`${name} · ${n[0]}`, n[1]]));
		return {
			ns: Math.max(...pair.map((p) => p[1].ns)), many: 0, phases: [], steps: [], nodes,
			rows: pair.flatMap(([name, data], i) => data.rows.map((r) => ({ ...r, label: `${name} · ${r.label}`, short: r.label, run: name,
				node: r.node === null ? null : r.node + (i ? pair[0][1].nodes.length : 0),
				rank: r.rank === undefined || r.rank === null ? undefined : `${name} ${r.rank}` }))),
		};
	};
	return { of, both };
})();
