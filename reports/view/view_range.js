/*
 * What ranks did in a range of time, and the calls that took most of it: tables beside the timeline,
 * made anew when it has come to rest.
 */
"use strict";
const tacho_range = (() => {
	const { time, percent, element, label, css } = tacho_view;
	const ROWS = 128, CALLS = 12, REST = 150; /* ms after the last move */

	const table = (host, caption, heads) => {
		const scroll = element("div", host), t = element("table", scroll), row = element("tr", element("thead", t));
		scroll.className = "scroll view-scroll";
		scroll.tabIndex = 0;
		scroll.setAttribute("role", "region");
		scroll.setAttribute("aria-label", `${caption}, in view`);
		t.prepend(element("caption", undefined, caption));
		for (const [words, state, number] of heads) {
			const head = element("th", row);
			head.scope = "col";
			if (number) head.className = "n";
			if (state) element("i", head).className = "swatch " + css(state);
			head.append(words);
		}
		return element("tbody", t);
	};
	const cells = (body, head, values) => {
		const row = element("tr", body);
		element("th", row, head).scope = "row";
		for (const [text, number] of values)
			element("td", row, text).className = number ? "n" : "";
	};

	/* States of each row of one kind that is shown, as shares of the range. */
	const put_states = (host, caption, content, rows, from, to) => {
		const sums = rows.map((r) => {
			const ns = {};
			content.sum_row(r, from, to, (state, part) => { ns[state] = (ns[state] || 0) + part; });
			return ns;
		});
		const of = (state) => sums.map((ns) => ns[state] || 0), all = (state) => of(state).reduce((sum, ns) => sum + ns, 0);
		const total = content.states.reduce((sum, s) => sum + all(s), 0);
		const states = content.states.filter((s) => all(s) > total / 1000).sort((a, b) => all(b) - all(a));
		if (!states.length) return;
		/* the rows that have most of a state stand out where rows differ */
		const most = new Map(states.map((s) => [s, Math.max(...of(s)) - Math.min(...of(s)) > (to - from) / 50 ? Math.max(...of(s)) : Infinity]));
		const body = table(host, caption, [["row"]].concat(states.map((s) => [label(s), s, true])));
		rows.slice(0, ROWS).forEach((r, i) => {
			cells(body, r.name || r.label, states.map((s) => [sums[i][s] ? percent(sums[i][s] / (to - from)) : "–", true]));
			states.forEach((s, k) => {
				const cell = body.lastChild.children[k + 1];
				cell.title = time(sums[i][s] || 0, (to - from) / 1000);
				if (sums[i][s] === most.get(s)) cell.className = "n most";
			});
		});
		if (rows.length > ROWS) cells(body, `and ${rows.length - ROWS} more rows`, []);
	};
	const is_device = (r) => Boolean(r.device || r.kind === 2 || (r.members && r.members[0].device));
	const put_calls = (host, content, from, to) => {
		const calls = content.calls ? content.calls(from, to) : [];
		if (!calls.length) return;
		const body = table(host, "Calls and kernels", [["name"], ["calls", null, true], ["time", null, true], ["most on"]]);
		for (const [name, state, n, ns, rows] of calls.slice(0, CALLS)) {
			const [most, part] = [...rows].sort((a, b) => b[1] - a[1])[0];
			cells(body, name, [[String(n), true], [time(ns, ns / 1000), true], [rows.size > 1 ? `${most.label}, ${time(part, part / 100)}` : most.label]]);
			body.lastChild.firstChild.prepend(Object.assign(element("i"), { className: "swatch " + css(state) }));
		}
		if (calls.length > CALLS) cells(body, `and ${calls.length - CALLS} more names`, []);
	};
	const put_steps = (host, content, from, to) => {
		const steps = content.steps.filter((s) => s[1] >= from && s[2] <= to).map((s) => [s[0], s[2] - s[1]]).sort((a, b) => b[1] - a[1]);
		if (steps.length < 2) return;
		const body = table(host, `${steps.length} whole steps`, [["step"], ["time", null, true]]);
		const row = (words, s) => cells(body, words, [[time(s[1], s[1] / 1000), true]]);
		row(`${steps[steps.length >> 1][0]}, median`, steps[steps.length >> 1]);
		steps.slice(0, 4).forEach((s, i) => row(`${s[0]}${i ? "" : ", longest"}`, s));
	};

	/* Returns a function that asks for new tables: of(content, rows, from, to) when asked. */
	const of = (host, asked) => {
		let timer = 0;
		const make = () => {
			const { content, rows, from, to, chosen } = asked();
			timer = 0;
			host.replaceChildren();
			element("h3", host, `${chosen ? "In the chosen time" : "In view"}: ${time(from, (to - from) / 1000)} to ${time(to, (to - from) / 1000)}`);
			const beside = element("div", host);
			beside.className = "view-beside";
			put_states(beside, "Ranks", content, rows.filter((r) => !is_device(r)), from, to);
			put_calls(beside, content, from, to);
			put_steps(beside, content, from, to);
			put_states(beside, "GPUs", content, rows.filter(is_device), from, to);
		};
		return () => {
			clearTimeout(timer);
			timer = setTimeout(make, REST);
		};
	};
	return { of };
})();
