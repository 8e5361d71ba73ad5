/*
 * A step that is there in full in the timeline: intervals of threads and streams, in typed arrays, sorted by row and start.
 * A slice is the number of one of them.
 */
"use strict";
const tacho_step = (() => {
	const { time, amount, label, search } = tacho_view;
	const BINS = 400; /* of a node's mean */

	/*
	 * A step from its script elements (timeline_full.sql): `slices`, columns of them, start and ns in ns;
	 * `launches`, [row, start, row of the stream, start there].
	 */
	const load = async (scripts) => {
		const [step, columns, launched] = await Promise.all([tacho_view.unpack(scripts[0]), tacho_view.unpack_columns(scripts[1], 6),
			tacho_view.unpack_columns(scripts[2], 4)]);
		const [row, gap, long, state, name, many] = columns, n = row.length, start = new Float64Array(n), ns = new Float64Array(n);
		for (let k = 0, stop = 0; k < n; k++) {
			const from = (k && row[k] === row[k - 1] ? stop : 0) + gap[k];
			stop = from + long[k];
			start[k] = from * step.unit;
			ns[k] = long[k] * step.unit;
		}
		step.slices = { n, row, start, ns, state, name, many };
		step.launches = Array.from(launched[0], (from, i) => [from, launched[1][i] * step.unit, launched[2][i], launched[3][i] * step.unit]);
		return step;
	};

	const whys = { "late rank": "a rank is latest", "slowest later": "slowest but the first", last: "the run ended in it" };
	const name_of = (step) => ({ ns: step.to - step.from, title: `Step ${step.step}`, note: (step.why || "").split(", ").map((why) => whys[why] || why).join(", "),
		more: `${step.phase ? `of ${step.phase}, ` : ""}from ${time(step.from)} on, ${time(step.to - step.from)}` });
	const of = (step) => {
		const c = step.slices, accesses = new Map(step.accesses.map((a) => [a[0], a]));
		c.first = step.rows.map((_, y) => search(c.n, (k) => c.row[k] < y)).concat([c.n]); /* where each row begins */
		const length = step.to - step.from, states = step.states;
		const rows = step.rows.map(([words, rank, node, kind, short, run], y) => ({ label: words, rank, node, kind, short, run, y }));
		/* The first slice of a row that ends after t, or where the next row begins. */
		const after = (y, t) => c.first[y] + search(c.first[y + 1] - c.first[y], (i) => c.start[c.first[y] + i] + c.ns[c.first[y] + i] <= t);
		const slice = (r, t) => {
			if (r.y === undefined) return null;
			const k = after(r.y, t);
			return k < c.first[r.y + 1] && c.start[k] <= t ? k : null;
		};
		const name = (k) => (c.name[k] < 0 ? label(states[c.state[k]]) : step.names[c.name[k]]);
		const matches = (k, text) => name(k).toLowerCase().includes(text) || label(states[c.state[k]]).toLowerCase().includes(text) || (accesses.has(k) && step.names[accesses.get(k)[1]].toLowerCase().includes(text)) || rows[c.row[k]].label.toLowerCase().includes(text);
		const sum_slices = (y, from, to, add) => {
			for (let k = after(y, from); k < c.first[y + 1] && c.start[k] < to; k++)
				add(states[c.state[k]], Math.min(to, c.start[k] + c.ns[k]) - Math.max(from, c.start[k]), k);
		};

		const shares_of = (y) => {
			const bin = length / BINS, shares = {};
			for (let i = 0; i < BINS; i++)
				sum_slices(y, i * bin, (i + 1) * bin, (state, part) => {
					(shares[state] = shares[state] || new Float32Array(BINS))[i] += 1000 * part / bin;
				});
			return { bin, ns: length, shares };
		};
		const sum = (node, ranks) => [{ label: tacho_tree.node_label(node, ranks.length), members: ranks,
			get mean() { return (this.made = this.made || tacho_view.mean(this.members.map((r) => shares_of(r.y)))); } }];
		const mains = new Set(rows.filter((r) => r.kind === 0).map((r) => r.rank));
		const tops = rows.filter((r) => r.kind === 0 || !mains.has(r.rank));
		const below = (r) => (r.kind === 0 ? rows.filter((u) => u.kind !== 0 && u.rank === r.rank) : []);
		const links = tacho_links.of(step, rows);

		const draw_slices = (r, view, box, colour, text) => {
			let drawn = -1;
			for (let k = after(r.y, view.from); k < c.first[r.y + 1] && c.start[k] <= view.to; k++) {
				const x = view.x(c.start[k]), right = view.x(c.start[k] + c.ns[k]);
				if (right - drawn < 0.5) continue;
				drawn = Math.max(right, x + 0.5);
				view.rect(x, box.top, drawn - x, box.height, colour[states[c.state[k]]], text && !matches(k, text));
				if (right - x > 50 && c.name[k] >= 0) view.words(step.names[c.name[k]], x, right, box);
			}
		};
		const said_access = (a) => (a ? [step.names[a[1]]].concat(a[2] === null ? [] : [`${amount(a[2])}${a[3] === null ? "" : ` at ${a[3]}`}`]) : []);
		/* What a slice is, and what it was joined to: lines of text. */
		const said = (k) => [name(k), `${label(states[c.state[k]])}, ${time(c.ns[k])}`, `from ${time(c.start[k])} to ${time(c.start[k] + c.ns[k])}`]
			.concat(said_access(accesses.get(k)), c.many[k] > 1 ? [`${c.many[k]} short ones in a row`] : [], links.said(links.at(c.row[k], c.start[k], c.start[k] + c.ns[k])));
		return {
			title: name_of(step).title, from: 0, to: length, states, rows: tacho_tree.of(tops, below, (n) => step.nodes[n], sum),
			by_number: rows, phases: [], steps: [], places: [], path: step.path, links,
			draw(r, view, box, colour, text) {
				if (r.members) tacho_view.draw_shares(r.mean, states, view, box, colour, (state) => text && !label(state).toLowerCase().includes(text));
				else draw_slices(r, view, box, colour, text);
			},
			at(r, t) {
				if (r.members) {
					const lines = tacho_view.shares_at(r.mean, states, t);
					return [lines[0], "mean of all:", ...lines.slice(1)];
				}
				const k = slice(r, t);
				return k === null ? ["nothing recorded"] : said(k);
			},
			slice, said, slices: c.n,
			/* Where a slice is: its row, start and end. */
			place: (k) => ({ row: rows[c.row[k]], from: c.start[k], to: c.start[k] + c.ns[k] }),
			/* The slice before (-1) or after (1) one in its row, or the first after t. */
			next: (r, k, by, t) => {
				if (r.y === undefined) return null;
				const to = k === null ? after(r.y, t) : k + by;
				return to >= c.first[r.y] && to < c.first[r.y + 1] ? to : k;
			},
			sum(from, to, add) {
				for (const r of rows)
					sum_slices(r.y, from, to, add);
			},
			sum_row(r, from, to, add) {
				if (r.members) tacho_view.sum_shares(r.mean, from, to, add);
				else sum_slices(r.y, from, to, add);
			},
			/* Calls by name: [name, state, how many, ns, ns by row]; what is joined counts by its longest. */
			calls(from, to) {
				const found = new Map();
				for (const r of rows)
					sum_slices(r.y, from, to, (state, ns, k) => {
						if (c.name[k] < 0) return;
						const call = found.get(c.name[k]) || [name(k), state, 0, 0, new Map()];
						call[2] += c.many[k];
						call[3] += ns;
						call[4].set(r, (call[4].get(r) || 0) + ns);
						found.set(c.name[k], call);
					});
				return [...found.values()].sort((a, b) => b[3] - a[3]);
			},
			count(text) {
				let n = 0, ns = 0;
				for (let k = 0; k < c.n; k++)
					if (matches(k, text)) { n += c.many[k]; ns += c.ns[k]; }
				return `${n} found, ${time(ns)}`;
			},
		};
	};

	/* The steps of two runs as one. */
	const both = (pair) => {
		const one = { step: "of both", from: 0, to: 0, rows: [], nodes: [], names: [], states: [], accesses: [], messages: [],
			launches: [], collectives: [], path: [], slices: { n: 0 } };
		for (const [name, step] of pair) {
			const rows = one.rows.length, names = one.names.length, nodes = one.nodes.length;
			const states = step.states.map((s) => (one.states.includes(s) ? one.states.indexOf(s) : one.states.push(s) - 1));
			one.to = Math.max(one.to, step.to - step.from);
			one.rows.push(...step.rows.map((r) => [`${name} · ${r[0]}`, `${name} ${r[1]}`, r[2] + nodes, r[3], r[0], name]));
			one.nodes.push(...step.nodes.map((n) => [`${name} · ${n[0]}`, n[1]]));
			one.names.push(...step.names);
			const had = one.slices, add = step.slices, joined = (what, map) => {
				const all = new add[what].constructor(had.n + add.n);
				if (had.n) all.set(had[what]);
				for (let k = 0; k < add.n; k++) all[had.n + k] = map(add[what][k]);
				return all;
			};
			one.accesses.push(...step.accesses.map((a) => [a[0] + had.n, a[1] + names, a[2], a[3]]));
			one.slices = { n: had.n + add.n, row: joined("row", (y) => y + rows), start: joined("start", (t) => t), ns: joined("ns", (t) => t),
				state: joined("state", (i) => states[i]), name: joined("name", (i) => (i < 0 ? -1 : i + names)), many: joined("many", (i) => i) };
			for (const m of step.messages)
				one.messages.push([m[0] + rows, m[1] + rows, ...m.slice(2)]);
			for (const l of step.launches)
				one.launches.push([l[0] + rows, l[1], l[2] + rows, l[3]]);
			for (const g of step.collectives)
				one.collectives.push({ ...g, last: g.last === null ? null : g.last + rows, members: g.members.map((m) => [m[0] + rows, m[1], m[2]]) });
		}
		return one;
	};
	return { of, both, load, name: name_of };
})();
