/*
 * The timeline that one can enter: the data of reports/view/timeline_view.sql on a canvas, and what pointer,
 * keys and buttons do to it. Without script the pictures below it stay. Text reaches the page as text only.
 */
"use strict";
(() => {
	const { time, percent, element, label, css } = tacho_view;

	/*
	 * `runs`: data of the run, or [label, data] of two; `steps`: the script elements of each step that is there
	 * in full. A step is unpacked when it is looked at: it may have 100,000 slices.
	 */
	const contents_of = (runs, more, steps, links) => {
		const pair = Array.isArray(runs[0]), places = links.map((a) => JSON.parse(a.dataset.place));
		/* a finding has several links, and one mark */
		const marks = places.filter((p, i) => p.to && places.findIndex((q) => q.to && q.n === p.n) === i);
		const run = pair ? tacho_run.both(runs) : { ...runs[0], full: runs[0].full.slice(0, steps.length) };
		const whole = tacho_run.of(run, marks.map((p) => [`${p.n}`, p.from, p.to]), tacho_lanes.of(more));
		const contents = [{ title: pair ? "Runs" : "Run", note: whole.note, is_run: true, content: whole }];
		const load_both = async () => {
			const both = await Promise.all(steps.map(tacho_step.load));
			return tacho_step.of(tacho_step.both(both.map((step, i) => [runs[i][0], step])));
		};
		if (pair && steps.length === runs.length)
			contents.unshift({ ...tacho_step.name({ step: "of both" }), n: "both", more: "the typical step of each", content: null, load: load_both });
		for (const [i, step] of pair ? [] : run.full.entries())
			contents.push({ ...tacho_step.name(step), n: step.step, is_more: !step.why, content: null, load: async () => tacho_step.of(await tacho_step.load(steps[i])) });
		return { contents, places };
	};
	const help_of = (root) => {
		const help = element("details", root), list = element("dl", help);
		help.prepend(element("summary", undefined, "Keys, mouse and touch"));
		help.className = "view-help";
		for (const [what, does] of [["+ −, scroll, pinch", "zoom; 0: all"], ["← →, drag", "move"],
			["↑ ↓, click on a name", "go to a row; Enter or a click on ▸ folds it and unfolds it"],
			["Shift and ← →, Shift and drag", "choose a time: the tables below are of it; z fills the view with it, Escape lets it go"],
			["Space, click", "select what lies there: its collective, messages and launches are drawn; , and . select the one before or after"],
			["c", "put a cursor where the pointer is, else in the middle; with the second one the distance is shown"],
			["double click", "fill the view with the step"],
			["click on a finding, step or phase above", "go there; a step that is filled is there in full"]]) {
			element("dt", list, what);
			element("dd", list, does);
		}
	};

	/* What the timeline consists of, within `root`. */
	const parts_of = (root) => {
		const bar = element("div", root), buttons = element("span", bar), more_steps = element("select", bar);
		const find = element("input", bar), found = element("span", bar);
		const [reset, fold, used, path, arrows, choosing, measuring, link, png, pictures] =
			["all", "unfold", "resources", "critical path", "arrows", "choose time", "cursors", "copy link", "copy PNG", "pictures"]
			.map((words) => Object.assign(element("button", bar, words), { type: "button" }));
		const frame = element("div", root), axis = element("canvas", frame), pane = element("div", frame), body = element("canvas", pane);
		const tip = element("div", frame), sampled = element("p", root), sums = element("p", root), measured = element("p", root), picked = element("p", root), range = element("div", root);

		bar.className = "view-bar";
		frame.className = "view-frame";
		pane.className = "view-pane";
		tip.className = "view-tip";
		sampled.className = "view-sampled";
		sums.className = "view-sums";
		measured.className = "view-measured";
		picked.className = "view-picked";
		range.className = "view-range";
		sums.setAttribute("role", "status");
		measured.setAttribute("role", "status");
		picked.setAttribute("role", "status");
		more_steps.setAttribute("aria-label", "another step in full");
		find.type = "search";
		find.placeholder = "find a call, state or rank";
		find.setAttribute("aria-label", "find a call, state or rank");
		body.tabIndex = 0;
		body.setAttribute("role", "img");
		axis.setAttribute("aria-hidden", "true");
		tip.hidden = true;
		help_of(root);
		return { buttons, more_steps, find, found, reset, fold, used, path, arrows, choosing, measuring, link, png, pictures, axis, pane, body, tip, sampled, sums, measured, picked, range };
	};

	const start = async (root) => {
		const scripts = (what) => [...root.querySelectorAll(`script[data-what=${what}]`)];
		const runs = await Promise.all(scripts("run").map(tacho_view.unpack)), [more] = await Promise.all(scripts("lanes").map(tacho_view.unpack));
		const slices = scripts("slices"), launches = scripts("launches"), steps = scripts("step").map((step, i) => [step, slices[i], launches[i]]);
		if (!runs.length || (Array.isArray(runs[0]) && runs.length < 2)) return;
		const section = root.closest("section"), links = [...document.querySelectorAll("a.place")];
		const { buttons, more_steps, find, found, reset, fold, used, path, arrows, choosing, measuring, link, png, pictures, axis, pane, body, tip, sampled, sums, measured, picked, range } = parts_of(root);
		const { contents, places } = contents_of(runs, more, steps, links);
		const s = { root, content: contents[0].content || await contents[0].load(), shown: [], colour: {}, text: "", marked: null, picked: null, hot: null, chosen: null, cursors: [],
			foldable: false, lanes_on: true, path_on: true, arrows_on: false, too_many: false };
		const painter = tacho_draw(s, axis, pane, body), view = painter.view;
		let pending = false;

		const tables = tacho_range.of(range, () => ({ content: s.content, rows: s.shown.filter((r) => !r.lane && !r.heading && !(r.members && r.open)), chosen: s.chosen,
			from: s.chosen ? s.chosen[0] : view.from, to: s.chosen ? s.chosen[1] : view.to }));
		const draw_sums = () => {
			const ns = {};
			let all = 0;
			s.content.sum(view.from, view.to, (state, part) => { ns[state] = (ns[state] || 0) + part; all += part; });
			sums.replaceChildren();
			element("span", sums, `${time(view.from, (view.to - view.from) / 1000)} to ` +
				`${time(view.to, (view.to - view.from) / 1000)} (${time(view.to - view.from)}), all rows: `);
			for (const state of s.content.states.filter((name) => ns[name] > all / 1000).sort((a, b) => ns[b] - ns[a])) {
				const part = element("span", sums);
				part.className = "state";
				element("i", part).className = "swatch " + css(state);
				part.append(`${label(state)} ${percent(ns[state] / all)}`);
			}
		};
		const draw = () => {
			if (!pending || !painter.width()) return;
			pending = false;
			const begun = performance.now();
			painter.draw();
			arrows.textContent = s.arrows_on && s.too_many ? "arrows: too many, zoom in" : "arrows";
			draw_sums();
			performance.clearMeasures("tacho redraw"); /* the last one, for tests/bench/pages */
			performance.measure("tacho redraw", { start: begun });
			tables();
			keep();
		};
		const redraw = () => {
			if (pending) return;
			pending = true;
			requestAnimationFrame(draw);
			setTimeout(draw, 100); /* where nobody looks there are no frames */
		};
		const look = (from, to) => {
			const all = s.content.to - s.content.from, least = Math.min(all, 100);
			const span = Math.max(least, Math.min(all, to - from)), middle = (from + to) / 2;
			view.from = Math.max(s.content.from, Math.min(s.content.to - span, middle - span / 2));
			view.to = view.from + span;
			redraw();
		};
		const zoom = (factor, x) => {
			const t = x === undefined ? (view.from + view.to) / 2 : view.t(Math.max(painter.gutter(), x));
			look(t - (t - view.from) * factor, t + (view.to - t) * factor);
			if (x !== undefined) { /* what lies below the pointer stays there */
				const shift = t - view.t(Math.max(painter.gutter(), x));
				look(view.from + shift, view.to + shift);
			}
		};
		const move = (share) => look(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));
		const press = (button, on) => button.setAttribute("aria-pressed", on);

		/* Which rows there are to see, after something was folded. */
		const folded = () => {
			s.shown = s.content.rows.filter((r) => tacho_tree.is_shown(r, s.lanes_on));
			s.shown.forEach((r, i) => { r.place = i; });
			const over = new Set(s.content.rows.filter((r) => s.lanes_on || !r.lane).map((r) => r.up));
			for (const r of s.content.rows)
				r.folds = over.has(r);
			s.foldable = s.content.rows.some((r) => r.folds);
			fold.hidden = !s.foldable;
			fold.textContent = s.content.rows.some((r) => r.folds && !r.open) ? "unfold" : "fold";
			if (s.marked && !s.shown.includes(s.marked)) s.marked = null;
			body.setAttribute("aria-label", `Timeline of ${s.content.title}: ${s.shown.length} rows`);
			redraw();
		};
		const toggle = (row) => {
			row.open = !row.open;
			folded();
		};
		const pick = (k) => {
			s.picked = k;
			picked.textContent = k === null ? "" : [s.content.place(k).row.label].concat(s.content.said(k)).join(" · ");
			redraw();
		};
		const mark = (row) => {
			s.marked = row;
			if (row) {
				const y = painter.top_of(row.place);
				if (y < pane.scrollTop || y + painter.high() > pane.scrollTop + pane.clientHeight) pane.scrollTop = y - pane.clientHeight / 2;
				body.setAttribute("aria-label", `Timeline of ${s.content.title}, ${row.label}${row.folds ? (row.open ? ", unfolded" : ", folded") : ""}`);
			}
			redraw();
		};
		const range_set = (range_chosen) => {
			s.chosen = range_chosen && range_chosen[1] > range_chosen[0] ? range_chosen : null;
			redraw();
		};
		/* One after the other; a third one begins anew. */
		const cursor_put = (t) => {
			const cursors = s.cursors = (s.cursors.length < 2 ? s.cursors : []).concat([Math.max(s.content.from, Math.min(s.content.to, t))]).sort((a, b) => a - b);
			const apart = cursors[1] - cursors[0], step = (view.to - view.from) / 1000;
			measured.textContent = cursors.length < 2 ? `cursor at ${time(cursors[0], step)}` : `cursors at ${time(cursors[0], step)} and ` +
				`${time(cursors[1], step)}: ${time(apart, apart / 1000)} apart`;
			redraw();
		};
		const cursors_clear = () => {
			s.cursors = [];
			measured.textContent = "";
			redraw();
		};
		const seek = () => {
			s.text = find.value.trim().toLowerCase();
			const step = /^step +(\d+)$/.exec(s.text), wanted = step && s.content.steps.find((one) => one[0] === Number(step[1]));
			if (wanted) { look(wanted[1], wanted[2]); s.text = ""; }
			const revealed = s.text && s.content.reveal && s.content.reveal(s.text);
			if (revealed) { folded(); mark(revealed); }
			found.textContent = s.text ? s.content.count(s.text) : "";
			redraw();
		};
		let wanted_content = null;
		const choose = async (which) => {
			const chosen = wanted_content = contents[which];
			chosen.content = chosen.content || await chosen.load();
			if (wanted_content !== chosen) return; /* another one was chosen meanwhile */
			s.content = chosen.content;
			painter.colours();
			used.hidden = !s.content.lanes;
			sampled.textContent = s.content.sampled || "";
			path.hidden = !s.content.path.length;
			arrows.hidden = !s.content.links || !(s.content.links.messages.length + s.content.links.launches.length);
			contents.forEach((c, i) => { if (c.button) press(c.button, i === which); });
			more_steps.value = chosen.is_more ? `${which}` : "";
			pane.scrollTop = 0;
			s.marked = s.hot = s.chosen = null;
			pick(null);
			cursors_clear();
			seek();
			folded();
			look(s.content.from, s.content.to);
		};
		/* The row of a name, which is unfolded for it. */
		const row_show = (name) => {
			const row = s.content.rows.find((r) => r.label === name) || (s.content.reveal && s.content.reveal(name));
			for (let up = row && row.up; up; up = up.up)
				up.open = true;
			folded();
			if (row) mark(row);
		};
		const go_to = async (i) => {
			const p = places[i], full = p.step === undefined ? -1 : contents.findIndex((c) => c.n === p.step);
			await choose(full >= 0 ? full : contents.findIndex((c) => c.is_run));
			const state = [p.state, `${p.state}_transfer`].find((name) => s.content.states.includes(name)); /* a step has no idle states */
			find.value = state ? label(state) : "";
			seek();
			if (p.to) look(p.from, p.to);
			row_show(p.row);
		};
		/* Goes where the address says. */
		const restore = async () => {
			const p = tacho_share.read(location.hash), which = p && contents.findIndex((c) => (p.step === null ? c.is_run : `${c.n}` === p.step));
			if (!p || which < 0) return false;
			await choose(which);
			find.value = p.find;
			seek();
			if (p.t.length === 2 && p.t[1] > p.t[0]) look(...p.t);
			if (p.row !== null) row_show(p.row);
			if (p.sel !== null && s.content.slices > p.sel) pick(p.sel);
			if (p.range.length === 2) range_set(p.range);
			for (const t of p.cursors) cursor_put(t);
			section.scrollIntoView();
			return true;
		};
		const chosen_content = () => contents.find((c) => c.content === s.content) || {};
		const link_text = () => tacho_share.text_of(s, view, chosen_content().is_run ? undefined : chosen_content().n);
		const is_first = () => s.content === contents[0].content && view.from === s.content.from && view.to === s.content.to && !s.marked &&
			s.picked === null && !s.chosen && !s.cursors.length && !s.text;
		const keep = tacho_share.keeper(() => (is_first() ? "" : link_text()));
		link.addEventListener("click", () => tacho_share.copy_link(link, link_text()));
		png.addEventListener("click", () => {
			const title = `${document.querySelector("h1").textContent} · ${s.content.title}`;
			tacho_share.copy_picture(png, title.replace(/[^\w.-]+/g, "-"), tacho_share.picture(title, axis, body, sums));
		});
		addEventListener("hashchange", restore);
		links.forEach((a, i) => a.addEventListener("click", () => go_to(i)));
		/* A click on a finding, a step or a phase goes there. */
		axis.addEventListener("click", (event) => {
			const found = painter.strip_at(event.offsetX, event.offsetY), [things, thing] = found || [];
			if (!found) return;
			const full = things === s.content.steps ? contents.findIndex((c) => c.n === thing[0]) : -1;
			if (things === s.content.places) go_to(places.findIndex((p) => p.to && `${p.n}` === thing[0]));
			else if (full >= 0) choose(full);
			else look(thing[1], thing[2]);
		});
		const others = [...contents.entries()].filter(([, c]) => c.is_more).sort((a, b) => a[1].n - b[1].n);
		more_steps.hidden = !others.length;
		element("option", more_steps, `${others.length} more steps`).value = "";
		for (const [i, c] of others)
			Object.assign(element("option", more_steps, `${c.title}, ${time(c.ns, c.ns / 100)}`), { value: `${i}`, title: c.more });
		more_steps.addEventListener("change", () => { if (more_steps.value) choose(Number(more_steps.value)); });
		contents.forEach((c, i) => {
			if (c.is_more) return;
			const button = c.button = element("button", buttons, c.title + (c.note ? ` · ${c.note}` : ""));
			button.type = "button";
			button.title = c.more || "";
			button.addEventListener("click", () => choose(i));
		});
		buttons.hidden = contents.length < 2;
		pictures.hidden = !section.querySelector("figure");
		find.addEventListener("input", seek);
		reset.addEventListener("click", () => look(s.content.from, s.content.to));
		fold.addEventListener("click", () => {
			const open = s.content.rows.some((r) => r.folds && !r.open);
			for (const r of s.content.rows.filter((row) => row.folds))
				r.open = open;
			folded();
		});
		pictures.addEventListener("click", () => press(pictures, section.classList.toggle("with-pictures")));
		const switch_on = (button, name, on, after) => {
			const set = (value) => { s[name] = value; press(button, value); after(); };
			button.addEventListener("click", () => set(!s[name]));
			set(on);
		};
		pane.addEventListener("scroll", redraw);
		tacho_input(s, painter, body, tip, { redraw, look, zoom, move, mark, toggle, pick, range_set, cursor_put, cursors_clear });
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { painter.colours(); redraw(); });
		new ResizeObserver(redraw).observe(body.parentElement);
		root.hidden = false;
		section.classList.add("entered");
		/* of many rows a click shows the resources */
		const run_rows = contents.find((c) => c.is_run).content.rows, few = run_rows.filter((r) => tacho_tree.is_shown(r, true)).length <= 48;
		switch_on(used, "lanes_on", few && !run_rows.some((r) => r.members), folded);
		switch_on(path, "path_on", true, redraw);
		switch_on(arrows, "arrows_on", false, redraw);
		switch_on(choosing, "choosing", false, () => {});
		switch_on(measuring, "measuring", false, () => {});
		if (!await restore()) choose(0);
	};
	document.querySelectorAll(".view").forEach(start);
})();
