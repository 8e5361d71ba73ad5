/*
 * Rows of the timeline that fold: nodes over ranks, ranks over their GPUs, threads, streams and
 * resources. A row: { label, depth, up: the row it folds into or null, open, folds: others fold into
 * it, closed_only: it stands for rows that are folded away, lane: a resource }.
 */
"use strict";
const tacho_tree = (() => {
	const RANKS = 16; /* more of them on several nodes fold to nodes at first */
	const ROWS = 40;  /* more of them fold to ranks at first */

	/*
	 * `ranks`: what stands at the left, in order: { label, node, rank, … }. With several nodes and more
	 * than RANKS of them a row of each node, made by `sum(name, rows)`, stands over its ranks. `below`:
	 * of the place of a rank in `ranks` the rows under it.
	 */
	/* Rows below `up`; of resources of one group (false: of none) the first stands for the others until it is opened. */
	const grouped = (rows, up, depth, group_of) => {
		const first = new Map();
		return rows.map((row) => {
			const group = group_of(row), over = group ? first.get(group) : undefined;
			if (group && !over) first.set(group, row);
			return Object.assign(row, { depth: depth + (over ? 1 : 0), up: over || up, folds: false, open: false });
		});
	};
	const of = (ranks, below, node_of, sum) => with_headings(tree(ranks, below, node_of, sum));
	const tree = (ranks, below, node_of, sum) => {
		const nodes = new Map(), rows = [];
		for (const r of ranks)
			nodes.set(r.node, (nodes.get(r.node) || []).concat([r]));
		const folded = nodes.size > 1 && ranks.length > RANKS;
		for (const [node, members] of nodes) {
			const tops = folded && node !== null ? sum(node_of(node), members) : [], top = tops[0] || null;
			for (const row of tops)
				rows.push(Object.assign(row, { run: members[0].run, depth: row === top ? 0 : 1, up: row === top ? null : top,
					folds: row === top, open: false, closed_only: row !== top }));
			for (const r of members) {
				const under = below(r);
				rows.push(Object.assign(r, { depth: top ? 1 : 0, up: top, folds: under.length > 0, open: true }));
				rows.push(...grouped(under, r, top ? 2 : 1, (u) => u.lane));
			}
		}
		if (rows.filter((r) => !r.lane && !r.closed_only).length > ROWS)
			for (const r of ranks)
				r.open = false;
		return rows;
	};

	/* Of two runs: over the rows of each its name, a row of its own; `run` of a row says which. */
	const with_headings = (rows) => rows.flatMap((r, i) => (r.run === undefined || (i && rows[i - 1].run === r.run) || r.up ? [r]
		: [{ label: r.run, heading: true, depth: 0, up: null, run: r.run }, r]));

	const is_open = (row) => !row || (row.open && is_open(row.up));
	const is_shown = (row, lanes) => (row.closed_only ? !row.up.open && is_open(row.up.up) : is_open(row.up)) && (lanes || !row.lane);

	/* The row that stands for this one: itself, or what it is folded into. */
	const visible = (row) => {
		let seen = row;
		for (let r = row.up; r; r = r.up)
			if (!r.open) seen = r;
		return seen;
	};
	/* "n1 · 8 ranks", where only some have rows "n1 · 2 of 8 ranks". */
	const node_label = ([host, all], n) => `${host} · ${n < all ? `${n} of ${all}` : n} rank${Math.max(n, all) > 1 ? "s" : ""}`;
	return { of, grouped, node_label, with_headings, is_shown, visible };
})();
