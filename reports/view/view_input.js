/*
 * What pointer and keys do to the timeline, and what is said at the pointer. `s`: what is shown
 * (view.js); `act`: how it is changed there.
 */
"use strict";
const tacho_input = (s, painter, body, tip, act) => {
	const CLICK = 4; /* pixels that a pointer may move and still click */
	const { element } = tacho_view, view = painter.view, held = new Map();
	let pressed = null, pointed = null;

	const row_at = (y) => s.shown[Math.floor(y / painter.high())];
	const slice_at = (x, y) => {
		const row = row_at(y);
		return !row || row.heading || x < painter.gutter() ? null : s.content.slice(row, view.t(x));
	};
	const heat = (k) => {
		if (k === s.hot) return;
		const before = s.hot;
		s.hot = k;
		if (painter.joined(before) || painter.joined(k)) act.redraw();
	};
	const show_tip = (event) => {
		const box = body.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top, row = row_at(y);
		pointed = x >= painter.gutter() && row && !row.heading ? [row, x] : null;
		tip.hidden = x < painter.gutter() || !row || row.heading || held.size > 0;
		heat(tip.hidden ? null : slice_at(x, y));
		if (tip.hidden) return;
		const t = view.t(x), phase = s.content.phases.find((p) => p[1] <= t && t < p[2]);
		const step = s.content.steps.find((one) => one[1] <= t && t < one[2]);
		tip.replaceChildren();
		element("b", tip, row.label);
		for (const said of s.content.at(row, t)) element("div", tip, said);
		if (step || phase) element("div", tip, [step ? `step ${step[0]}` : "", phase ? phase[0] : ""].filter(Boolean).join(", "));
		if (step && step[3])
			element("div", tip, s.content.parts.map((part, i) => [part, step[3][i]]).filter((p) => p[1] >= 5)
				.map((p) => `${p[0]} ${Math.round(p[1] / 10)} %`).join(", "));
		const around = tip.parentElement.getBoundingClientRect();
		tip.style.left = Math.max(0, Math.min(event.clientX - around.left + 14, around.width - tip.offsetWidth - 4)) + "px";
		tip.style.top = event.clientY - around.top + 16 + "px";
	};
	/* Where a slice begins or ends, if that is near; else the time there. */
	const edge_near = (row, x) => {
		const near = [x - CLICK, x, x + CLICK].map((at) => s.content.slice(row, view.t(at))).filter((k) => k !== null)
			.flatMap((k) => [s.content.place(k).from, s.content.place(k).to]).sort((a, b) => Math.abs(view.x(a) - x) - Math.abs(view.x(b) - x));
		return near.length && Math.abs(view.x(near[0]) - x) <= CLICK ? near[0] : view.t(x);
	};
	const click = (x, y) => {
		const row = row_at(y), k = slice_at(x, y);
		if (!row) return;
		if (x < painter.gutter()) {
			act.mark(row);
			if (row.folds) act.toggle(row);
			return;
		}
		if (s.measuring) {
			act.cursor_put(edge_near(row, x));
			return;
		}
		act.range_set(null);
		act.pick(k === s.picked ? null : k);
	};

	body.addEventListener("wheel", (event) => {
		if (document.activeElement !== body && !event.ctrlKey) return;
		event.preventDefault();
		if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) act.move(event.deltaX / 800);
		else act.zoom(1.0015 ** event.deltaY, event.offsetX);
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
			act.zoom(Math.max(10, Math.abs(before - other)) / Math.max(10, Math.abs(x - other)), (x + other) / 2);
		} else if (pressed.chosen !== undefined && pressed.moved) {
			const t = view.t(Math.max(painter.gutter(), Math.min(painter.width(), x)));
			act.range_set([Math.min(pressed.chosen, t), Math.max(pressed.chosen, t)]);
		} else if (pressed.moved) {
			act.move((before - x) / (painter.width() - painter.gutter()));
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
	body.addEventListener("pointerleave", () => { tip.hidden = true; pointed = null; heat(null); });
	body.addEventListener("dblclick", (event) => {
		const t = view.t(event.offsetX), step = s.content.steps.find((one) => one[1] <= t && t < one[2]);
		if (event.offsetX >= painter.gutter()) act.look(step ? step[1] : s.content.from, step ? step[2] : s.content.to);
	});

	const walk = (by) => act.mark(s.shown[s.marked ? Math.max(0, Math.min(s.shown.length - 1, s.marked.place + by)) : 0]);
	const step_pick = (by) => {
		if (!s.content.next) return;
		const row = s.picked === null ? s.marked || s.shown.find((r) => !r.heading) : s.content.place(s.picked).row;
		const k = s.content.next(row, s.picked, by, view.from), p = k === null ? null : s.content.place(k);
		act.pick(k);
		if (p && (p.to < view.from || p.from > view.to)) act.look(p.from - (view.to - view.from) / 2, p.from + (view.to - view.from) / 2);
	};
	/* Grows or shrinks the chosen time at its end by a twentieth of what is in view. */
	const extend = (by) => {
		const part = (view.to - view.from) / 20, [from, to] = s.chosen || [view.from + 9 * part, view.from + 10 * part];
		act.range_set([from, Math.min(s.content.to, Math.max(from + part / 2, to + by * part))]);
	};
	const keys = { "+": () => act.zoom(0.7), "=": () => act.zoom(0.7), "-": () => act.zoom(1.4), 0: () => act.look(s.content.from, s.content.to),
		Home: () => act.look(s.content.from, s.content.to), ArrowLeft: () => act.move(-0.15), ArrowRight: () => act.move(0.15),
		ArrowUp: () => walk(-1), ArrowDown: () => walk(1), Enter: () => s.marked && s.marked.folds && act.toggle(s.marked),
		" ": () => act.pick(s.content.slice(s.marked || s.shown.find((r) => !r.heading), (view.from + view.to) / 2)), ",": () => step_pick(-1), ".": () => step_pick(1),
		z: () => s.chosen && act.look(...s.chosen), Escape: () => { act.range_set(null); act.pick(null); act.cursors_clear(); },
		c: () => act.cursor_put(pointed ? edge_near(...pointed) : (view.from + view.to) / 2),
		"shift ArrowLeft": () => extend(-1), "shift ArrowRight": () => extend(1) };
	body.addEventListener("keydown", (event) => {
		const pressed_key = keys[(event.shiftKey && event.key.startsWith("Arrow") ? "shift " : "") + event.key];
		if (!pressed_key || event.ctrlKey || event.metaKey || event.altKey) return;
		event.preventDefault();
		pressed_key();
	});
};
