/*
 * One step in the timeline: intervals of threads and streams, in typed arrays, sorted by row and start.
 * A slice is the number of one of them.
 */
"use strict";
const tacho_step = (() => {
	const { time, label, search } = tacho_view;
	const BINS = 400; /* of a node's mean */

	/* Columns of [row, start, ns, state, name, how many]; first: where each row begins. */
	const columns_of = (step) => {
		const n = step.intervals.length, of = { n, start: new Float64Array(n), ns: new Float64Array(n), row: new Uint16Array(n),
			state: new Uint8Array(n), name: new Int32Array(n), many: new Uint32Array(n) };
		step.intervals.forEach((i, k) => {
			[of.row[k], of.start[k], of.ns[k], of.state[k], of.name[k], of.many[k]] = i;
		});
		of.first = step.rows.map((_, y) => search(n, (k) => of.row[k] < y)).concat([n]);
		return of;
	};

	const name_of = (step) => ({ title: `Step ${step.step}`, note: step.phase ? `of ${step.phase}, begins at ${time(step.from)}` : "" });
	const of = (step) => {
		const c = columns_of(step), length = step.to - step.from, states = step.states;
		const rows = step.rows.map(([words, rank, node, kind, short, run], y) => ({ label: words, rank, node, kind, short, run, y }));
		/* The first slice of a row that ends after t, or where the next row begins. */
		const after = (y, t) => c.first[y] + search(c.first[y + 1] - c.first[y], (i) => c.start[c.first[y] + i] + c.ns[c.first[y] + i] <= t);
		const slice = (r, t) => {
			if (r.y === undefined) return null;
			const k = after(r.y, t);
			return k < c.first[r.y + 1] && c.start[k] <= t ? k : null;
		};
		const name = (k) => (c.name[k] < 0 ? label(states[c.state[k]]) : step.names[c.name[k]]);
		const matches = (k, text) => name(k).toLowerCase().includes(text) || rows[c.row[k]].label.toLowerCase().includes(text);
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
		/* What a slice is, and what it was joined to: lines of text. */
		const said = (k) => [name(k), `${label(states[c.state[k]])}, ${time(c.ns[k])}`, `from ${time(c.start[k])} to ${time(c.start[k] + c.ns[k])}`]
			.concat(c.many[k] > 1 ? [`${c.many[k]} short ones in a row`] : [], links.said(links.at(c.row[k], c.start[k], c.start[k] + c.ns[k])));
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
			slice, said,
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
		if (!pair.every((p) => p[1].step)) return null;
		const one = { step: "of both", from: 0, to: 0, rows: [], nodes: [], names: [], states: [], intervals: [], messages: [],
			launches: [], collectives: [], path: [] };
		for (const [name, { step }] of pair) {
			const rows = one.rows.length, names = one.names.length, nodes = one.nodes.length;
			const states = step.states.map((s) => (one.states.includes(s) ? one.states.indexOf(s) : one.states.push(s) - 1));
			one.to = Math.max(one.to, step.to - step.from);
			one.rows.push(...step.rows.map((r) => [`${name} · ${r[0]}`, `${name} ${r[1]}`, r[2] + nodes, r[3], r[0], name]));
			one.nodes.push(...step.nodes.map((n) => [`${name} · ${n[0]}`, n[1]]));
			one.names.push(...step.names);
			for (const i of step.intervals)
				one.intervals.push([i[0] + rows, i[1], i[2], states[i[3]], i[4] < 0 ? -1 : i[4] + names, i[5]]);
			for (const m of step.messages)
				one.messages.push([m[0] + rows, m[1] + rows, ...m.slice(2)]);
			for (const l of step.launches)
				one.launches.push([l[0] + rows, l[1], l[2] + rows, l[3]]);
			for (const g of step.collectives)
				one.collectives.push({ ...g, last: g.last === null ? null : g.last + rows, members: g.members.map((m) => [m[0] + rows, m[1], m[2]]) });
		}
		return one;
	};
	return { of, both, name: name_of };
})();
