/*
 * Draws the timeline: time axis, strips of phases, steps and findings, rows, and what joins them. What
 * is shown is in `s` (view.js): content, shown (rows that are not folded away), text that is looked
 * for, marked row, picked and hot slice, chosen range, what is switched on.
 */
"use strict";
const tacho_draw = (s, axis, pane, body) => {
	const { time } = tacho_view;
	const AXIS = 22, STRIP = 18, ROW_LEAST = 15, ROW_MOST = 30, TALL = 560, INDENT = 10;
	let gutter = 160, ratio = 1, pen = null, ink, soft, line, page, late;

	const width = () => body.clientWidth;
	const high = () => Math.max(ROW_LEAST, Math.min(ROW_MOST, (TALL - AXIS) / s.shown.length));
	const top_of = (y) => y * high();
	const view = {
		from: 0, to: 1,
		x: (t) => gutter + (t - view.from) / (view.to - view.from) * (width() - gutter),
		t: (x) => view.from + (x - gutter) / (width() - gutter) * (view.to - view.from),
		rect(x, y, w, h, fill, dim) {
			/* whole pixels: else neighbours leave a line between them */
			const whole = (at) => Math.round(Math.max(gutter, Math.min(width(), at)) * ratio) / ratio;
			const left = whole(x), right = Math.max(whole(x + w), left + (w > 0 && x + w > gutter && x < width() ? 1 / ratio : 0));
			if (right <= left) return;
			pen.globalAlpha = dim ? 0.15 : 1;
			pen.fillStyle = fill;
			pen.fillRect(left, y, right - left, h);
			pen.globalAlpha = 1;
		},
		words(words, x, right, box) {
			const left = Math.max(gutter, x) + 4, room = Math.min(width(), right) - left - 2;
			if (room < 30) return;
			let shown = words;
			if (pen.measureText(shown).width > room) {
				shown = words.slice(0, Math.max(1, Math.floor(words.length * room / pen.measureText(words).width) - 1)) + "…";
				if (shown.length < 4) return;
			}
			pen.fillStyle = "#0d1013";
			pen.fillText(shown, left, box.top + box.height / 2 + 0.5);
		},
		/* What the full height of a row is, at its right end. */
		scale(words, box) {
			const wide = pen.measureText(words).width + 6;
			if (wide > (width() - gutter) / 3) return;
			pen.globalAlpha = 0.75;
			pen.fillStyle = page;
			pen.fillRect(width() - wide, box.top, wide, box.height);
			pen.globalAlpha = 1;
			pen.fillStyle = soft;
			pen.fillText(words, width() - wide + 3, box.top + box.height / 2 + 0.5);
		},
	};

	/* A colour with oblique lines, as style.css has it for waiting. */
	const hatched = (colour) => {
		const tile = Object.assign(document.createElement("canvas"), { width: 6, height: 6 }), tile_pen = tile.getContext("2d");
		tile_pen.fillStyle = colour;
		tile_pen.fillRect(0, 0, 6, 6);
		tile_pen.strokeStyle = "#0004";
		tile_pen.lineWidth = 1.5;
		for (const x of [-6, 0, 6]) {
			tile_pen.moveTo(x - 1, 7);
			tile_pen.lineTo(x + 7, -1);
		}
		tile_pen.stroke();
		return tile_pen.createPattern(tile, "repeat");
	};
	const colours = () => {
		const style = getComputedStyle(s.root), probe = tacho_view.element("i", s.root);
		const variable = (name) => style.getPropertyValue(name).trim();
		s.colour = { lane: variable("--lane"), line: variable("--accent") };
		for (const state of s.content.states) {
			probe.className = tacho_view.css(state);
			const { backgroundColor, backgroundImage } = getComputedStyle(probe);
			s.colour[state] = backgroundImage === "none" ? backgroundColor : hatched(backgroundColor);
		}
		probe.remove();
		[ink, soft, line, page, late] = ["--ink", "--soft", "--line", "--page", "--low"].map(variable);
	};
	const fit = (canvas, height) => {
		ratio = window.devicePixelRatio || 1;
		canvas.style.height = height + "px";
		if (canvas.width !== Math.round(canvas.clientWidth * ratio) || canvas.height !== Math.round(height * ratio)) {
			canvas.width = Math.round(canvas.clientWidth * ratio);
			canvas.height = Math.round(height * ratio);
		}
		pen = canvas.getContext("2d");
		pen.setTransform(ratio, 0, 0, ratio, 0, 0);
		pen.clearRect(0, 0, canvas.clientWidth, height);
		pen.font = "12px system-ui, sans-serif";
		pen.textBaseline = "middle";
	};

	/* Things with a begin and an end, below the axis. */
	const strip = (things, y, title) => {
		pen.fillStyle = soft;
		pen.fillText(title, 4, y + STRIP / 2);
		let drawn = gutter - 3, said = gutter; /* ranks are not all in the same step: these overlap */
		for (const thing of things) {
			const x = Math.max(gutter, view.x(thing[1])), right = Math.min(width(), view.x(thing[2]));
			if (right <= gutter || x >= width() || right - drawn < 2) continue;
			drawn = right;
			pen.strokeStyle = soft;
			if (s.content.full && s.content.full.has(thing[0])) {
				pen.fillStyle = s.colour.lane;
				pen.fillRect(x + 0.5, y + 2.5, Math.max(1, right - x - 1), STRIP - 5);
			}
			if (things === s.content.on_path && thing[0] === "network") {
				pen.fillStyle = s.colour.mpi || s.colour.gloo || s.colour.lane;
				pen.fillRect(x + 0.5, y + 2.5, Math.max(1, right - x - 1), STRIP - 5);
			}
			pen.strokeRect(x + 0.5, y + 2.5, Math.max(1, right - x - 1), STRIP - 5);
			const wide = pen.measureText(`${thing[0]}`).width + 6;
			if (right - x > wide && x >= said) {
				pen.fillStyle = ink;
				pen.fillText(`${thing[0]}`, x + 4, y + STRIP / 2);
				said = x + wide;
			}
		}
	};
	const strips_of = (content) => [[content.phases, "phases"], [content.steps, "steps"], [content.on_path || [], "critical path"], [content.places, "findings"]]
		.filter((t) => t[0].length);
	const draw_axis = () => {
		const strips = strips_of(s.content);
		fit(axis, AXIS + STRIP * strips.length);
		const span = view.to - view.from, raw = span / Math.max(2, (width() - gutter) / 110);
		const base = 10 ** Math.floor(Math.log10(raw)), tick = base * [1, 2, 5, 10].find((m) => base * m >= raw);
		pen.strokeStyle = line;
		for (let t = Math.ceil(view.from / tick) * tick; t <= view.to; t += tick) {
			const x = view.x(t), said = time(t, tick);
			pen.fillStyle = soft;
			if (x + pen.measureText(said).width / 2 < width() && x - pen.measureText(said).width / 2 > gutter - 20)
				pen.fillText(said, x - pen.measureText(said).width / 2, AXIS / 2);
			pen.beginPath();
			pen.moveTo(x, AXIS - 4);
			pen.lineTo(x, AXIS + STRIP * strips.length);
			pen.stroke();
		}
		strips.forEach((t, i) => strip(t[0], AXIS + STRIP * i, t[1]));
	};
	/* Of the strips the thing at a place: [strip, thing], or null. */
	const strip_at = (x, y) => {
		const [things] = strips_of(s.content)[Math.floor((y - AXIS) / STRIP)] || [];
		const t = view.t(x), thing = things && things.find((one) => one[1] <= t && t < one[2]);
		return thing && x >= gutter ? [things, thing] : null;
	};

	/* Its number says which stream or thread it is; else by whole words from the end. Only a single one that has no room is cut. */
	const shorten = (full, room) => {
		const words = [full, full.replace(" · stream ", " · "), full.replace(/^(?!rank |GPU |child )\S+ (\d+)$/, "thread $1")]
			.find((text) => pen.measureText(text).width <= room) || full;
		const parts = words.split(" "), all = parts.length;
		const text = () => parts.join(" ") + (parts.length < all ? "…" : "");
		while (parts.length > 1 && pen.measureText(text()).width > room) parts.pop();
		let shown = text();
		while (shown.length > 4 && pen.measureText(shown).width > room) shown = shown.slice(0, -2) + "…";
		return shown;
	};
	const draw_label = (row, y) => {
		const middle = top_of(y) + high() / 2, x = 4 + INDENT * row.depth;
		pen.fillStyle = row.lane ? soft : ink;
		if (row.folds) pen.fillText(row.open ? "▾" : "▸", x, middle);
		const left = x + (s.foldable ? 13 : 0);
		pen.fillText(row.heading ? row.label : shorten(row.short || row.label, gutter - left - 6), row.heading ? 4 : left, middle);
	};
	const draw_rows = () => {
		const height = high(), lowest = pane.scrollTop + pane.clientHeight;
		s.shown.forEach((row, y) => {
			if (top_of(y) > lowest || top_of(y) + height < pane.scrollTop) return;
			if (!row.heading) s.content.draw(row, view, { top: top_of(y) + 1, height: height - 2 }, s.colour, s.text);
			draw_label(row, y);
			if (row !== s.marked) return;
			pen.strokeStyle = ink;
			pen.lineWidth = 2;
			pen.strokeRect(1, top_of(y) + 1, width() - 2, height - 2);
			pen.lineWidth = 1;
		});
	};

	/* The middle of a row of the step, by its number, or of what it is folded into. */
	const middle = (number) => top_of(tacho_tree.visible(s.content.by_number[number]).place) + high() / 2;
	const draw_path = () => {
		const low = (number) => middle(number) + high() / 2 - 2;
		for (const [colour, wide] of [[page, 5], [ink, 2.5]]) {
			pen.strokeStyle = colour;
			pen.lineWidth = wide;
			pen.beginPath();
			s.content.path.forEach((p, i) => {
				if (i) pen.lineTo(view.x(p[1]), low(p[0]));
				else pen.moveTo(view.x(p[1]), low(p[0]));
				pen.lineTo(view.x(p[2]), low(p[0]));
			});
			pen.stroke();
		}
	};
	const draw_picked = (k) => {
		const p = s.content.place(k), y = top_of(tacho_tree.visible(p.row).place);
		for (const [colour, wide] of [[page, 4], [ink, 2]]) {
			pen.strokeStyle = colour;
			pen.lineWidth = wide;
			pen.strokeRect(view.x(p.from), y + 2, Math.max(2, view.x(p.to) - view.x(p.from)), high() - 4);
		}
	};
	const found_of = (k) => {
		const p = s.content.place(k);
		return s.content.links.at(p.row.y, p.from, p.to);
	};
	const draw_links = () => {
		const links = s.content.links, seen = (a, b) => b >= view.from && a <= view.to;
		pen.save();
		pen.beginPath();
		pen.rect(gutter, 0, width() - gutter, body.clientHeight);
		pen.clip();
		if (s.path_on) draw_path();
		if (s.arrows_on) {
			const all = { messages: links.messages.filter((m) => seen(m[2], m[3])), launches: links.launches.filter((l) => seen(l[1], l[3])) };
			s.too_many = all.messages.length + all.launches.length > tacho_links.ALL_MOST;
			if (!s.too_many) tacho_links.draw_arrows(pen, view, all, middle, ink, page);
		}
		for (const k of new Set([s.hot, s.picked])) {
			if (k === null) continue;
			const found = found_of(k);
			for (const c of found.collectives)
				tacho_links.draw_collective(pen, view, c, middle, high(), ink, page, late);
			if (k !== s.picked) continue;
			draw_picked(k);
			tacho_links.draw_arrows(pen, view, found, middle, ink, page);
		}
		pen.restore();
	};
	const draw_chosen = () => {
		const [left, right] = s.chosen.map(view.x);
		pen.save();
		pen.beginPath();
		pen.rect(gutter, 0, width() - gutter, body.clientHeight);
		pen.clip();
		pen.fillStyle = page;
		pen.globalAlpha = 0.6;
		pen.fillRect(gutter, 0, left - gutter, body.clientHeight);
		pen.fillRect(right, 0, width() - right, body.clientHeight);
		pen.globalAlpha = 1;
		pen.strokeStyle = ink;
		pen.strokeRect(left, -2, right - left, body.clientHeight + 4);
		pen.restore();
	};
	const draw_cursors = () => {
		pen.strokeStyle = late;
		pen.lineWidth = 1.5;
		for (const x of s.cursors.map(view.x).filter((at) => at >= gutter && at <= width())) {
			pen.beginPath();
			pen.moveTo(x, 0);
			pen.lineTo(x, body.clientHeight);
			pen.stroke();
		}
		const [left, right] = s.cursors.map(view.x);
		pen.lineWidth = 1;
		if (s.cursors.length < 2 || right - left < 8 || right < gutter || left > width()) return;
		const words = time(s.cursors[1] - s.cursors[0], (s.cursors[1] - s.cursors[0]) / 1000), wide = pen.measureText(words).width + 8;
		const middle = Math.max(gutter + wide / 2, Math.min(width() - wide / 2, (left + right) / 2)), y = pane.scrollTop + 10;
		tacho_links.arrow(pen, middle, y, Math.min(width(), right), y, late, page);
		tacho_links.arrow(pen, middle, y, Math.max(gutter, left), y, late, page);
		pen.fillStyle = page;
		pen.fillRect(middle - wide / 2, y - 9, wide, 18);
		pen.fillStyle = ink;
		pen.fillText(words, middle - wide / 2 + 4, y + 0.5);
	};
	const draw = () => {
		gutter = width() < 520 ? 104 : 160;
		draw_axis();
		fit(body, s.shown.length * high());
		draw_rows();
		if (s.content.links) draw_links();
		if (s.chosen) draw_chosen();
		if (s.cursors.length) draw_cursors();
	};
	return { view, draw, colours, strip_at, width, high, top_of, gutter: () => gutter,
		joined: (k) => k !== null && s.content.links.any(found_of(k)) };
};
