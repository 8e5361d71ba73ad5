/*
 * What joins slices of different rows of a step: messages, launches of GPU work, collectives. Drawn for
 * the slice that is pointed at or selected, and on demand for all.
 */
"use strict";
const tacho_links = (() => {
	const { time, amount } = tacho_view;
	const ALL_MOST = 1500; /* arrows that are drawn at once */

	/*
	 * messages [row, to row, start, end, bytes], launches [row, start, row of the stream, start there],
	 * collectives { op, comm, bytes, size, last: row or null, members: [row, start, ns] }.
	 */
	const of = (step, rows) => {
		const messages = step.messages || [], launches = step.launches || [], collectives = step.collectives || [];
		const by_row = rows.map(() => ({ messages: [], launches: [], collectives: [] }));
		for (const m of messages)
			for (const y of new Set([m[0], m[1]]))
				by_row[y].messages.push(m);
		for (const l of launches)
			for (const y of new Set([l[0], l[2]]))
				by_row[y].launches.push(l);
		for (const c of collectives) {
			c.arrived = Math.max(...c.members.map((m) => m[1]));
			for (const m of c.members)
				by_row[m[0]].collectives.push(c);
		}
		/* Those of a row that begin or end from `from` to `to`. */
		const at = (y, from, to) => ({
			y,
			messages: by_row[y].messages.filter((m) => (m[0] === y && m[2] >= from && m[2] < to) || (m[1] === y && m[3] > from && m[3] <= to)),
			launches: by_row[y].launches.filter((l) => (l[0] === y && l[1] >= from && l[1] < to) || (l[2] === y && l[3] >= from && l[3] < to)),
			collectives: by_row[y].collectives.filter((c) => c.members.some((m) => m[0] === y && m[1] < to && m[1] + m[2] > from)),
		});
		const some = (list, words) => list.slice(0, 3).map(words).concat(list.length > 3 ? [`and ${list.length - 3} more`] : []);
		const said_collective = (c, y) => {
			const own = c.members.find((m) => m[0] === y), lines = [`${c.op}${c.bytes ? ` of ${amount(c.bytes)}` : ""}${c.comm ? ` on ${c.comm}` : ""}, ` +
				(c.members.length === c.size || !c.size ? `${c.members.length} members` : `${c.members.length} of ${c.size} members shown`)];
			if (c.last === y) lines.push("came last: the others waited for it");
			else if (c.last !== null && own) lines.push(`waited ${time(Math.max(0, c.arrived - own[1]))} for ${rows[c.last].label}, which came last`);
			return lines;
		};
		const said = (found) => [
			...some(found.messages, (m) => (m[0] === found.y ? `→ ${amount(m[4])} to ${rows[m[1]].label}` : `← ${amount(m[4])} from ${rows[m[0]].label}`) +
				`, ${time(m[3] - m[2])}`),
			...some(found.launches, (l) => (l[0] === found.y ? `→ launched work on ${rows[l[2]].label}, which began ${time(l[3] - l[1])} later`
				: `← launched by ${rows[l[0]].label}, ${time(l[3] - l[1])} before`)),
			...found.collectives.slice(0, 2).flatMap((c) => said_collective(c, found.y)),
		];
		const any = (found) => found.messages.length + found.launches.length + found.collectives.length > 0;
		return { messages, launches, collectives, at, said, any };
	};

	/* From (x, y) to (x, y), with a head. A second, wider line behind it keeps it apart from what it crosses. */
	const arrow = (pen, x, y, to_x, to_y, ink, page) => {
		const angle = Math.atan2(to_y - y, to_x - x);
		for (const [colour, wide] of [[page, 4], [ink, 1.5]]) {
			pen.strokeStyle = pen.fillStyle = colour;
			pen.lineWidth = wide;
			pen.beginPath();
			pen.moveTo(x, y);
			pen.lineTo(to_x, to_y);
			pen.stroke();
		}
		pen.beginPath();
		pen.moveTo(to_x, to_y);
		pen.lineTo(to_x - 8 * Math.cos(angle - 0.4), to_y - 8 * Math.sin(angle - 0.4));
		pen.lineTo(to_x - 8 * Math.cos(angle + 0.4), to_y - 8 * Math.sin(angle + 0.4));
		pen.fill();
	};

	/* `middle(row)`: where a row lies, or what it is folded into. */
	const draw_arrows = (pen, view, found, middle, ink, page) => {
		for (const m of found.messages)
			arrow(pen, view.x(m[2]), middle(m[0]), view.x(m[3]), middle(m[1]), ink, page);
		for (const l of found.launches)
			arrow(pen, view.x(l[1]), middle(l[0]), view.x(l[3]), middle(l[2]), ink, page);
	};
	/* All members outlined and joined in the order of their rows; the last to come in a colour of its own. */
	const draw_collective = (pen, view, c, middle, high, ink, page, late) => {
		const members = c.members.map((m) => ({ last: c.last === m[0], x: view.x(m[1]), w: Math.max(2, view.x(m[1] + m[2]) - view.x(m[1])), y: middle(m[0]) }))
			.sort((a, b) => a.y - b.y || a.last - b.last);
		pen.lineJoin = "round";
		for (const [colour, wide] of [[page, 5], [ink, 2]]) {
			pen.strokeStyle = colour;
			pen.lineWidth = wide;
			pen.beginPath();
			members.forEach((m, i) => (i ? pen.lineTo(m.x, m.y) : pen.moveTo(m.x, m.y)));
			pen.stroke();
			for (const m of members) {
				pen.strokeStyle = m.last && colour === ink ? late : colour;
				pen.strokeRect(m.x, m.y - high / 2 + 2, m.w, high - 4);
			}
		}
		const last = members.find((m) => m.last);
		if (!last) return;
		pen.font = "600 12px system-ui, sans-serif";
		const wide = pen.measureText("last").width + 8;
		pen.fillStyle = page;
		pen.fillRect(last.x - wide - 3, last.y - 8, wide, 16);
		pen.fillStyle = late;
		pen.fillText("last", last.x - wide + 1, last.y + 0.5);
		pen.font = "12px system-ui, sans-serif";
	};
	return { of, arrow, draw_arrows, draw_collective, ALL_MOST };
})();
