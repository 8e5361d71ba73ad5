/*
 * The timeline that one can enter: the data of reports/timeline_view.sql on a canvas, and what pointer,
 * keys and buttons do to it. Without script the pictures below it stay. Text reaches the page as text only.
 */
"use strict";
(() => {
	const { time, percent, element, label, css } = tacho_view;
	const CLICK = 4; /* pixels that a pointer may move and still click */

	const contents_of = (data, more, links) => {
		const pair = Array.isArray(data), places = links.map((a, i) => ({ n: i + 1, ...JSON.parse(a.dataset.place) }));
		const step = pair ? tacho_step.both(data) : data.step, run = pair ? tacho_run.both(data) : data;
		const contents = [tacho_run.of(run, places.filter((p) => p.to).map((p) => [`${p.n}`, p.from, p.to]), tacho_lanes.of(more))];
		if (step) contents.push(tacho_step.of(step));
		if (pair) {
			contents.reverse();
			contents[contents.length - 1].title = "Runs";
		}
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
			["double click", "fill the view with the step"]]) {
			element("dt", list, what);
			element("dd", list, does);
		}
	};

	const start = async (root) => {
		const [data, more] = await Promise.all([...root.querySelectorAll("script")].map(tacho_view.unpack));
		const section = root.closest("section"), links = [...document.querySelectorAll("a.place")];
		const bar = element("div", root), buttons = element("span", bar);
		const find = element("input", bar), found = element("span", bar);
		const [reset, fold, used, path, arrows, choosing, pictures] = ["all", "unfold", "resources", "critical path", "arrows", "choose time", "pictures"]
			.map((words) => Object.assign(element("button", bar, words), { type: "button" }));
		const frame = element("div", root), axis = element("canvas", frame), pane = element("div", frame), body = element("canvas", pane);
		const tip = element("div", frame), sums = element("p", root), chosen_said = element("p", root), range = element("div", root);
		const { contents, places } = contents_of(data, more, links);
		const s = { root, contents, content: contents[0], shown: [], colour: {}, text: "", marked: null, picked: null, hot: null, chosen: null,
			foldable: false, lanes_on: true, path_on: true, arrows_on: false, too_many: false };
		const painter = tacho_draw(s, axis, pane, body), view = painter.view, held = new Map();
		let pending = false, pressed = null;

		bar.className = "view-bar";
		frame.className = "view-frame";
		pane.className = "view-pane";
		tip.className = "view-tip";
		sums.className = "view-sums";
		chosen_said.className = "view-picked";
		range.className = "view-range";
		sums.setAttribute("role", "status");
		chosen_said.setAttribute("role", "status");
		find.type = "search";
		find.placeholder = "find a call, state or rank";
		find.setAttribute("aria-label", "find a call, state or rank");
		body.tabIndex = 0;
		body.setAttribute("role", "img");
		tip.hidden = true;
		help_of(root);

		const tables = tacho_range.of(range, () => ({ content: s.content, rows: s.shown.filter((r) => !r.lane), chosen: s.chosen,
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
			draw_sums();
			performance.clearMeasures("tacho redraw"); /* the last one, for tests/bench/pages */
			performance.measure("tacho redraw", { start: begun });
			tables();
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
			s.foldable = s.content.rows.some((r) => r.folds && s.content.rows.some((u) => u.up === r && (s.lanes_on || !u.lane)));
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
			chosen_said.textContent = k === null ? "" : [s.content.place(k).row.label].concat(s.content.said(k)).join(" · ");
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
		const seek = () => {
			s.text = find.value.trim().toLowerCase();
			const step = /^step +(\d+)$/.exec(s.text), wanted = step && s.content.steps.find((one) => one[0] === Number(step[1]));
			if (wanted) { look(wanted[1], wanted[2]); s.text = ""; }
			found.textContent = s.text ? s.content.count(s.text) : "";
			redraw();
		};
		const choose = (which) => {
			s.content = contents[which];
			used.hidden = !s.content.lanes;
			path.hidden = !s.content.path.length;
			arrows.hidden = !s.content.links || !(s.content.links.messages.length + s.content.links.launches.length);
			[...buttons.children].forEach((b, i) => press(b, i === which));
			pane.scrollTop = 0;
			s.marked = s.hot = s.chosen = null;
			pick(null);
			seek();
			folded();
			look(s.content.from, s.content.to);
		};
		const row_at = (y) => s.shown[Math.floor(y / painter.high())];
		const slice_at = (x, y) => {
			const row = row_at(y);
			return !row || x < painter.gutter() ? null : s.content.slice(row, view.t(x));
		};
		const heat = (k) => {
			if (k === s.hot) return;
			const before = s.hot;
			s.hot = k;
			if (painter.joined(before) || painter.joined(k)) redraw();
		};
		const show_tip = (event) => {
			const box = body.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top, row = row_at(y);
			tip.hidden = x < painter.gutter() || !row || held.size > 0;
			heat(tip.hidden ? null : slice_at(x, y));
			if (tip.hidden) return;
			const t = view.t(x), phase = s.content.phases.find((p) => p[1] <= t && t < p[2]);
			const step = s.content.steps.find((one) => one[1] <= t && t < one[2]);
			tip.replaceChildren();
			element("b", tip, row.label);
			for (const said of s.content.at(row, t)) element("div", tip, said);
			if (step || phase) element("div", tip, [step ? `step ${step[0]}` : "", phase ? phase[0] : ""].filter(Boolean).join(", "));
			const around = frame.getBoundingClientRect();
			tip.style.left = Math.max(0, Math.min(event.clientX - around.left + 14, around.width - tip.offsetWidth - 4)) + "px";
			tip.style.top = event.clientY - around.top + 16 + "px";
		};
		const click = (x, y) => {
			const row = row_at(y), k = slice_at(x, y);
			if (!row) return;
			if (x < painter.gutter()) {
				mark(row);
				if (row.folds) toggle(row);
				return;
			}
			range_set(null);
			pick(k === s.picked ? null : k);
		};

		links.forEach((a, i) => a.addEventListener("click", () => {
			const p = places[i], which = contents.findIndex((c) => c.lanes !== undefined);
			choose(which);
			find.value = p.state ? label(p.state) : "";
			seek();
			if (p.to) look(p.from, p.to);
			const row = s.content.rows.find((r) => r.label === p.row);
			for (let up = row && row.up; up; up = up.up)
				up.open = true;
			folded();
			if (row) mark(row);
		}));
		contents.forEach((c, i) => {
			const button = element("button", buttons, c.title + (c.note ? ` (${c.note})` : ""));
			button.type = "button";
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
		body.addEventListener("wheel", (event) => {
			if (document.activeElement !== body && !event.ctrlKey) return;
			event.preventDefault();
			if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(event.deltaX / 800);
			else zoom(1.0015 ** event.deltaY, event.offsetX);
		}, { passive: false });
		body.addEventListener("pointerdown", (event) => {
			held.set(event.pointerId, event.offsetX);
			body.setPointerCapture(event.pointerId);
			pressed = { x: event.offsetX, y: event.offsetY, moved: held.size > 1,
				chosen: (event.shiftKey || s.choosing) && event.offsetX >= painter.gutter() ? view.t(event.offsetX) : undefined };
			tip.hidden = true;
		});
		body.addEventListener("pointermove", (event) => {
			if (!held.has(event.pointerId)) { show_tip(event); return; }
			const before = held.get(event.pointerId), x = event.offsetX;
			pressed.moved = pressed.moved || Math.abs(x - pressed.x) >= CLICK;
			if (held.size === 2) {
				const other = [...held].find((h) => h[0] !== event.pointerId)[1];
				zoom(Math.max(10, Math.abs(before - other)) / Math.max(10, Math.abs(x - other)), (x + other) / 2);
			} else if (pressed.chosen !== undefined && pressed.moved) {
				const t = view.t(Math.max(painter.gutter(), Math.min(painter.width(), x)));
				range_set([Math.min(pressed.chosen, t), Math.max(pressed.chosen, t)]);
			} else if (pressed.moved) {
				move((before - x) / (painter.width() - painter.gutter()));
			}
			held.set(event.pointerId, x);
		});
		body.addEventListener("pointerup", (event) => {
			const was = pressed;
			held.delete(event.pointerId);
			if (held.size) return;
			pressed = null;
			if (was && !was.moved) click(was.x, was.y);
		});
		body.addEventListener("pointercancel", (event) => {
			held.delete(event.pointerId);
			pressed = null;
		});
		body.addEventListener("pointerleave", () => { tip.hidden = true; heat(null); });
		body.addEventListener("dblclick", (event) => {
			const t = view.t(event.offsetX), step = s.content.steps.find((one) => one[1] <= t && t < one[2]);
			if (event.offsetX >= painter.gutter()) look(step ? step[1] : s.content.from, step ? step[2] : s.content.to);
		});

		const walk = (by) => mark(s.shown[s.marked ? Math.max(0, Math.min(s.shown.length - 1, s.marked.place + by)) : 0]);
		const step_pick = (by) => {
			if (!s.content.next) return;
			const row = s.picked === null ? s.marked || s.shown[0] : s.content.place(s.picked).row;
			const k = s.content.next(row, s.picked, by, view.from), p = k === null ? null : s.content.place(k);
			pick(k);
			if (p && (p.to < view.from || p.from > view.to)) look(p.from - (view.to - view.from) / 2, p.from + (view.to - view.from) / 2);
		};
		/* Grows or shrinks the chosen time at its end by a twentieth of what is in view. */
		const extend = (by) => {
			const part = (view.to - view.from) / 20, [from, to] = s.chosen || [view.from + 9 * part, view.from + 10 * part];
			range_set([from, Math.min(s.content.to, Math.max(from + part / 2, to + by * part))]);
		};
		const keys = { "+": () => zoom(0.7), "=": () => zoom(0.7), "-": () => zoom(1.4), 0: () => look(s.content.from, s.content.to),
			Home: () => look(s.content.from, s.content.to), ArrowLeft: () => move(-0.15), ArrowRight: () => move(0.15),
			ArrowUp: () => walk(-1), ArrowDown: () => walk(1), Enter: () => s.marked && s.marked.folds && toggle(s.marked),
			" ": () => pick(s.content.slice(s.marked || s.shown[0], (view.from + view.to) / 2)), ",": () => step_pick(-1), ".": () => step_pick(1),
			z: () => s.chosen && look(...s.chosen), Escape: () => { range_set(null); pick(null); },
			"shift ArrowLeft": () => extend(-1), "shift ArrowRight": () => extend(1) };
		body.addEventListener("keydown", (event) => {
			const act = keys[(event.shiftKey && event.key.startsWith("Arrow") ? "shift " : "") + event.key];
			if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
			event.preventDefault();
			act();
		});
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { painter.colours(); redraw(); });
		new ResizeObserver(redraw).observe(frame);
		root.hidden = false;
		section.classList.add("entered");
		painter.colours();
		/* of many rows a click shows the resources */
		const rows_with = contents.find((c) => c.lanes !== undefined).rows.filter((r) => tacho_tree.is_shown(r, true)).length;
		switch_on(used, "lanes_on", rows_with <= 48, folded);
		switch_on(path, "path_on", true, redraw);
		switch_on(arrows, "arrows_on", false, redraw);
		switch_on(choosing, "choosing", false, () => {});
		choose(0);
	};
	document.querySelectorAll(".view").forEach(start);
})();
