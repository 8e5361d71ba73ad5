/*
 * The timeline that one can enter: the data of reports/timeline_view.sql on a canvas. Without script
 * the pictures below it stay. Text reaches the page as text only.
 */
"use strict";
(() => {
	let GUTTER = 150;
	const AXIS = 22, STRIP = 18, ROW_LEAST = 15, ROW_MOST = 30, TALL = 560;

	/* 1234567 ns as people read it, to the precision that `step` ns needs. */
	const time = (ns, step) => {
		if (ns === 0) return "0";
		const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
		const [unit, name] = units.find((u) => Math.abs(ns) >= u[0]) || units[3];
		const digits = Math.max(0, Math.min(6, Math.ceil(Math.log10(unit / (step || ns || 1) * (step ? 1 : 1000)))));
		return (ns / unit).toFixed(digits) + " " + name;
	};
	const percent = (x) => (x >= 0.0995 ? (100 * x).toFixed(0) : (100 * x).toFixed(1)) + " %";
	const element = (name, parent, text) => {
		const e = document.createElement(name);
		if (text !== undefined) e.textContent = text;
		if (parent) parent.append(e);
		return e;
	};
	/* The first index for which `before` is false. */
	const search = (n, before) => {
		let low = 0, high = n;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (before(middle)) low = middle + 1; else high = middle;
		}
		return low;
	};
	const names = { useful: "useful", io: "I/O", mpi: "MPI", gloo: "gloo", cuda: "CUDA calls", wait: "wait",
		omp_idle: "OpenMP idle", compute: "compute", nccl: "NCCL", nccl_transfer: "NCCL", nccl_wait: "NCCL wait",
		memcpy: "copies", absent: "not recorded" };
	const label = (state) => names[state] || state.replace(/_/g, " ").replace(":", ": ");

	/* The run: shares of states in bins. Both kinds of content answer the same questions. */
	const run_of = (data, places, lanes) => {
		const states = [...new Set(data.rows.flatMap((r) => Object.keys(r.shares)))];
		const all = data.rows.flatMap((r) => [r, ...lanes.filter((l) => l.row === r.label)]).concat(lanes.filter((l) => !l.row));
		const content = {
			title: "Run", from: 0, to: data.ns, states, items: all, lanes: lanes.length,
			get labels() { return content.items.map((i) => i.label); },
			show(lanes) { content.items = lanes ? all : data.rows; },
			note: data.many > data.rows.length ? `${data.rows.length} of ${data.many} rows` : "",
			phases: data.phases, steps: data.steps, messages: [], path: [], places,
			draw(row, view, box, colour, found) {
				const r = content.items[row];
				if (!r.shares) { tacho_lanes.draw(r, view, box, colour.lane); return; }
				const first = Math.max(0, Math.floor(view.from / r.bin));
				const last = Math.min(Math.ceil(view.to / r.bin), Math.ceil(data.ns / r.bin));
				for (let bin = first; bin < last; bin++) {
					const x = view.x(bin * r.bin), w = view.x(Math.min((bin + 1) * r.bin, data.ns)) - x;
					let y = box.top;
					for (const state of states) {
						const share = r.shares[state] ? r.shares[state][bin] || 0 : 0;
						if (!share) continue;
						const h = box.height * share / 1000;
						view.rect(x, y, w, h, colour[state], !found(row, state));
						y += h;
					}
				}
			},
			at(row, t) {
				const r = content.items[row], bin = Math.floor(t / r.bin);
				if (!r.shares) return tacho_lanes.at(r, t);
				const parts = states.map((s) => [s, (r.shares[s] || [])[bin] || 0]).filter((p) => p[1])
					.sort((a, b) => b[1] - a[1]);
				return [`${time(bin * r.bin, r.bin)} to ${time(Math.min((bin + 1) * r.bin, data.ns), r.bin)}`]
					.concat(parts.map((p) => `${label(p[0])} ${percent(p[1] / 1000)}`));
			},
			sum(from, to, add) {
				for (const r of data.rows)
					for (const state in r.shares) {
						const shares = r.shares[state];
						const last = Math.min(shares.length, Math.ceil(to / r.bin));
						for (let bin = Math.max(0, Math.floor(from / r.bin)); bin < last; bin++) {
							const part = Math.min(to, (bin + 1) * r.bin) - Math.max(from, bin * r.bin);
							add(state, part * shares[bin] / 1000);
						}
					}
			},
			matches: (row, state, text) => content.items[row].label.toLowerCase().includes(text) ||
				label(state).toLowerCase().includes(text),
			count: () => "",
		};
		return content;
	};

	/* One step: intervals [row, start, ns, state, name, how many], sorted by row and start. */
	const step_of = (step) => {
		const first = step.rows.map((_, y) => search(step.intervals.length, (i) => step.intervals[i][0] < y));
		first.push(step.intervals.length);
		const ends = (row, t) => {
			const n = first[row + 1] - first[row];
			return first[row] + search(n, (i) => step.intervals[first[row] + i][1] + step.intervals[first[row] + i][2] <= t);
		};
		const name = (i) => i[4] < 0 ? label(step.states[i[3]]) : step.names[i[4]];
		const matches = (i, text) => name(i).toLowerCase().includes(text) ||
			step.rows[i[0]].toLowerCase().includes(text);
		return {
			title: `Step ${step.step}`, from: 0, to: step.to - step.from, states: step.states,
			labels: step.rows, note: step.phase ? `of ${step.phase}, begins at ${time(step.from)}` : "",
			phases: [], steps: [], places: [], messages: step.messages, path: step.path,
			draw(row, view, box, colour, found, text) {
				let drawn = -1;
				for (let k = ends(row, view.from); k < first[row + 1]; k++) {
					const i = step.intervals[k], x = view.x(i[1]), right = view.x(i[1] + i[2]);
					if (i[1] > view.to) break;
					if (right - drawn < 0.5) continue;
					drawn = Math.max(right, x + 0.5);
					view.rect(x, box.top, drawn - x, box.height, colour[step.states[i[3]]], text && !matches(i, text));
					if (right - x > 50 && i[4] >= 0) view.words(step.names[i[4]], x, right, box);
				}
			},
			at(row, t) {
				const k = ends(row, t), i = step.intervals[k];
				if (k >= first[row + 1] || i[1] > t) return ["nothing recorded"];
				return [name(i), `${label(step.states[i[3]])}, ${time(i[2])}`, `from ${time(i[1])} to ${time(i[1] + i[2])}`]
					.concat(i[5] > 1 ? [`${i[5]} short ones in a row`] : []);
			},
			sum(from, to, add) {
				for (const i of step.intervals) {
					const part = Math.min(to, i[1] + i[2]) - Math.max(from, i[1]);
					if (part > 0) add(step.states[i[3]], part);
				}
			},
			matches: () => true,
			count(text) {
				const hits = step.intervals.filter((i) => matches(i, text));
				const n = hits.reduce((sum, i) => sum + i[5], 0);
				return `${n} found, ${time(hits.reduce((sum, i) => sum + i[2], 0))}`;
			},
		};
	};

	/* Two runs as one: rows of the one, then of the other, which begin together. */
	const both_runs = (pair) => ({
		ns: Math.max(...pair.map((p) => p[1].ns)), many: 0, phases: [], steps: [],
		rows: pair.flatMap(([name, data]) => data.rows.map((r) => ({ ...r, label: `${name} · ${r.label}` }))),
	});
	const both_steps = (pair) => {
		if (!pair.every((p) => p[1].step)) return null;
		const one = { step: "of both", from: 0, to: 0, rows: [], names: [], states: [], intervals: [], messages: [], path: [] };
		for (const [name, { step }] of pair) {
			const rows = one.rows.length, names = one.names.length;
			const states = step.states.map((s) => (one.states.includes(s) ? one.states.indexOf(s) : one.states.push(s) - 1));
			one.to = Math.max(one.to, step.to - step.from);
			one.rows.push(...step.rows.map((r) => `${name} · ${r}`));
			one.names.push(...step.names);
			for (const i of step.intervals)
				one.intervals.push([i[0] + rows, i[1], i[2], states[i[3]], i[4] < 0 ? -1 : i[4] + names, i[5]]);
			for (const m of step.messages)
				one.messages.push([m[0] + rows, m[1] + rows, ...m.slice(2)]);
		}
		return one;
	};

	const start = (root) => {
		let [data, more] = [...root.querySelectorAll("script")].map((s) => JSON.parse(s.textContent));
		const pair = Array.isArray(data) ? data : null;
		if (pair) data = { ...both_runs(pair), step: both_steps(pair) };
		const section = root.closest("section");
		const bar = element("div", root), buttons = element("span", bar);
		const find = element("input", bar), found = element("span", bar), reset = element("button", bar, "all");
		const used = element("button", bar, "resources"), pictures = element("button", bar, "pictures"), frame = element("div", root);
		const axis = element("canvas", frame), pane = element("div", frame), body = element("canvas", pane);
		const tip = element("div", frame), sums = element("p", root), help = element("p", root);
		/* What the findings point at: from, to, a row, a state to look for. */
		const links = [...document.querySelectorAll("a.place")];
		const places = links.map((a, i) => ({ n: i + 1, ...JSON.parse(a.dataset.place) }));
		const contents = [run_of(data, places.filter((p) => p.to).map((p) => [`${p.n}`, p.from, p.to]), tacho_lanes.of(more))].concat(data.step ? [step_of(data.step)] : []);
		if (pair) {
			contents.reverse();
			contents[contents.length - 1].title = "Runs";
		}
		let ratio = 1, content, view, colour, ink, soft, line, page, pen, text = "", pointer = null, pending = false, held = new Map(), marked = -1;

		bar.className = "view-bar";
		frame.className = "view-frame";
		pane.className = "view-pane";
		tip.className = "view-tip";
		sums.className = "view-sums";
		sums.setAttribute("role", "status");
		help.className = "small";
		const keys_help = "Click into it, then: scroll or + and − to zoom, drag or arrow keys to move, " +
			"Shift and drag to choose a time, 0 for all, double click on a step to fill the view with it.";
		find.type = "search";
		find.placeholder = "find a call, state or rank";
		find.setAttribute("aria-label", "find a call, state or rank");
		reset.type = used.type = pictures.type = "button";
		body.tabIndex = 0;
		body.setAttribute("role", "img");
		tip.hidden = true;

		const rows_height = () => Math.max(ROW_LEAST, Math.min(ROW_MOST, (TALL - AXIS) / content.labels.length));
		const width = () => body.clientWidth;
		const colours = () => {
			const style = getComputedStyle(root), probe = element("i", root);
			const variable = (name) => style.getPropertyValue(name).trim();
			colour = { lane: variable("--lane") };
			for (const c of contents)
				for (const state of c.states) {
					probe.className = "s-" + state.replace(":", "-");
					colour[state] = getComputedStyle(probe).backgroundColor;
				}
			probe.remove();
			[ink, soft, line, page] = ["--ink", "--soft", "--line", "--page"].map(variable);
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
		view = {
			from: 0, to: 1,
			x: (t) => GUTTER + (t - view.from) / (view.to - view.from) * (width() - GUTTER),
			t: (x) => view.from + (x - GUTTER) / (width() - GUTTER) * (view.to - view.from),
			rect(x, y, w, h, fill, dim) {
				/* whole pixels: else neighbours leave a line between them */
				const whole = (at) => Math.round(Math.max(GUTTER, Math.min(width(), at)) * ratio) / ratio;
				const left = whole(x), right = Math.max(whole(x + w), left + (w > 0 && x + w > GUTTER && x < width() ? 1 / ratio : 0));
				if (right <= left) return;
				pen.globalAlpha = dim ? 0.15 : 1;
				pen.fillStyle = fill;
				pen.fillRect(left, y, right - left, h);
				pen.globalAlpha = 1;
			},
			words(words, x, right, box) {
				const left = Math.max(GUTTER, x) + 4, room = Math.min(width(), right) - left - 2;
				if (room < 30) return;
				let shown = words;
				if (pen.measureText(shown).width > room) {
					shown = words.slice(0, Math.max(1, Math.floor(words.length * room / pen.measureText(words).width) - 1)) + "…";
					if (shown.length < 4) return;
				}
				pen.fillStyle = "#0d1013";
				pen.fillText(shown, left, box.top + box.height / 2 + 0.5);
			},
		};
		const top_of = (y) => y * rows_height();
		const box_of = (y) => ({ top: top_of(y) + 1, height: rows_height() - 2 });

		const draw_axis = () => {
			const strips = [[content.phases, "phases"], [content.steps, "steps"], [content.places, "findings"]].filter((s) => s[0].length);
			fit(axis, AXIS + STRIP * strips.length);
			const span = view.to - view.from, raw = span / Math.max(2, (width() - GUTTER) / 110);
			const base = 10 ** Math.floor(Math.log10(raw)), tick = base * [1, 2, 5, 10].find((m) => base * m >= raw);
			pen.strokeStyle = line;
			for (let t = Math.ceil(view.from / tick) * tick; t <= view.to; t += tick) {
				const x = view.x(t), said = time(t, tick);
				pen.fillStyle = soft;
				if (x + pen.measureText(said).width / 2 < width() && x - pen.measureText(said).width / 2 > GUTTER - 20)
					pen.fillText(said, x - pen.measureText(said).width / 2, AXIS / 2);
				pen.beginPath();
				pen.moveTo(x, AXIS - 4);
				pen.lineTo(x, AXIS + STRIP * strips.length);
				pen.stroke();
			}
			strips.forEach((s, i) => strip(s[0], AXIS + STRIP * i, (thing) => `${thing[0]}`, s[1]));
		};
		/* Things with a begin and an end, below the axis. */
		const strip = (things, y, words, title) => {
			if (!things.length) return;
			pen.fillStyle = soft;
			pen.fillText(title, 4, y + STRIP / 2);
			let drawn = GUTTER - 3;
			for (const thing of things) {
				const x = Math.max(GUTTER, view.x(thing[1])), right = Math.min(width(), view.x(thing[2]));
				if (right <= GUTTER || x >= width() || right - drawn < 2) continue;
				drawn = right;
				pen.strokeStyle = soft;
				pen.strokeRect(x + 0.5, y + 2.5, Math.max(1, right - x - 1), STRIP - 5);
				if (right - x > pen.measureText(words(thing)).width + 6) {
					pen.fillStyle = ink;
					pen.fillText(words(thing), x + 4, y + STRIP / 2);
				}
			}
		};
		const draw_links = () => {
			const middle = (y) => top_of(y) + rows_height() / 2;
			pen.save();
			pen.beginPath();
			pen.rect(GUTTER, 0, width() - GUTTER, body.clientHeight);
			pen.clip();
			const seen = content.messages.filter((m) => m[3] >= view.from && m[2] <= view.to);
			pen.strokeStyle = ink;
			pen.globalAlpha = 0.5;
			for (const m of seen.length <= 500 ? seen : []) {
				pen.beginPath();
				pen.moveTo(view.x(m[2]), middle(m[0]));
				pen.lineTo(view.x(m[3]), middle(m[1]));
				pen.stroke();
			}
			pen.globalAlpha = 1;
			pen.lineWidth = 2.5;
			pen.beginPath();
			content.path.forEach((p, i) => {
				if (i) pen.lineTo(view.x(p[1]), top_of(p[0]) + rows_height() - 2);
				else pen.moveTo(view.x(p[1]), top_of(p[0]) + rows_height() - 2);
				pen.lineTo(view.x(p[2]), top_of(p[0]) + rows_height() - 2);
			});
			pen.stroke();
			pen.restore();
		};
		const draw_sums = () => {
			const ns = {};
			let all = 0;
			content.sum(view.from, view.to, (state, part) => { ns[state] = (ns[state] || 0) + part; all += part; });
			sums.replaceChildren();
			element("span", sums, `${time(view.from, (view.to - view.from) / 1000)} to ` +
				`${time(view.to, (view.to - view.from) / 1000)} (${time(view.to - view.from)}), all rows: `);
			for (const state of content.states.filter((s) => ns[s] > all / 1000).sort((a, b) => ns[b] - ns[a])) {
				const part = element("span", sums);
				part.className = "state";
				element("i", part).className = "swatch s-" + state.replace(":", "-");
				part.append(`${label(state)} ${percent(ns[state] / all)}`);
			}
		};
		/* By whole words from the end; only a single one that has no room is cut. */
		const shorten = (words, room) => {
			const parts = words.trimStart().split(" "), indent = words.slice(0, words.length - words.trimStart().length);
			const text = () => indent + parts.join(" ") + (parts.length < words.trim().split(" ").length ? "…" : "");
			while (parts.length > 1 && pen.measureText(text()).width > room) parts.pop();
			let shown = text();
			while (shown.length > 4 && pen.measureText(shown).width > room) shown = shown.slice(0, -2) + "…";
			return shown;
		};
		const draw = () => {
			const height = rows_height();
			if (!pending || !width()) return;
			pending = false;
			const begun = performance.now();
			GUTTER = width() < 520 ? 92 : 150;
			draw_axis();
			fit(body, content.labels.length * height);
			const lowest = pane.scrollTop + pane.clientHeight;
			content.labels.forEach((words, y) => {
				if (top_of(y) > lowest || top_of(y) + height < pane.scrollTop) return;
				content.draw(y, view, box_of(y), colour, (row, state) => !text || content.matches(row, state, text), text);
				pen.fillStyle = content.items && !content.items[y].shares ? soft : ink;
				pen.fillText(shorten(words, GUTTER - 10), 4, top_of(y) + height / 2);
				if (y === marked) {
					pen.strokeStyle = ink;
					pen.lineWidth = 2;
					pen.strokeRect(1, top_of(y) + 1, width() - 2, height - 2);
					pen.lineWidth = 1;
				}
			});
			draw_links();
			if (pointer && pointer.chosen !== undefined) {
				const left = Math.min(pointer.chosen, pointer.x), w = Math.abs(pointer.x - pointer.chosen);
				pen.globalAlpha = 0.25;
				pen.fillStyle = ink;
				pen.fillRect(left, 0, w, body.clientHeight);
				pen.globalAlpha = 1;
			}
			draw_sums();
			performance.clearMeasures("tacho redraw"); /* the last one, for tests/bench/pages */
			performance.measure("tacho redraw", { start: begun });
		};
		const redraw = () => {
			if (pending) return;
			pending = true;
			requestAnimationFrame(draw);
			setTimeout(draw, 100); /* where nobody looks there are no frames */
		};
		const look = (from, to) => {
			const all = content.to - content.from, least = Math.min(all, 100);
			let span = Math.max(least, Math.min(all, to - from));
			const middle = (from + to) / 2;
			from = Math.max(content.from, Math.min(content.to - span, middle - span / 2));
			view.from = from;
			view.to = from + span;
			redraw();
		};
		const zoom = (factor, x) => {
			const t = x === undefined ? (view.from + view.to) / 2 : view.t(Math.max(GUTTER, x));
			look(t - (t - view.from) * factor, t + (view.to - t) * factor);
			if (x !== undefined) { /* what lies below the pointer stays there */
				const shift = t - view.t(Math.max(GUTTER, x));
				look(view.from + shift, view.to + shift);
			}
		};
		const move = (share) => look(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));
		const choose = (which) => {
			content = contents[which];
			used.hidden = !content.lanes;
			[...buttons.children].forEach((b, i) => b.setAttribute("aria-pressed", i === which));
			body.setAttribute("aria-label", `Timeline of ${content.title}: ${content.labels.length} rows`);
			pane.scrollTop = 0;
			marked = -1;
			help.textContent = keys_help + (content.path.length ? " Thick line: critical path." : "") +
				(content.messages.length ? " Thin lines: messages." : "");
			seek();
			look(content.from, content.to);
		};
		const seek = () => {
			text = find.value.trim().toLowerCase();
			const step = /^step +(\d+)$/.exec(text);
			const wanted = step && content.steps.find((s) => s[0] === Number(step[1]));
			if (wanted) { look(wanted[1], wanted[2]); text = ""; }
			found.textContent = text ? content.count(text) : "";
			redraw();
		};
		const show_tip = (event) => {
			const box = body.getBoundingClientRect(), x = event.clientX - box.left, y = event.clientY - box.top;
			const row = Math.floor(y / rows_height());
			tip.hidden = x < GUTTER || row < 0 || row >= content.labels.length || held.size > 0;
			if (tip.hidden) return;
			const t = view.t(x), phase = content.phases.find((p) => p[1] <= t && t < p[2]);
			const step = content.steps.find((s) => s[1] <= t && t < s[2]);
			tip.replaceChildren();
			element("b", tip, content.labels[row]);
			for (const said of content.at(row, t)) element("div", tip, said);
			if (step || phase) element("div", tip, [step ? `step ${step[0]}` : "", phase ? phase[0] : ""].filter(Boolean).join(", "));
			const around = frame.getBoundingClientRect();
			tip.style.left = Math.max(0, Math.min(event.clientX - around.left + 14, around.width - tip.offsetWidth - 4)) + "px";
			tip.style.top = event.clientY - around.top + 16 + "px";
		};

		links.forEach((a, i) => a.addEventListener("click", () => {
			const p = places[i];
			choose(0);
			find.value = p.state ? label(p.state) : "";
			seek();
			if (p.to) look(p.from, p.to);
			marked = content.labels.indexOf(p.row);
			if (marked >= 0) pane.scrollTop = top_of(marked) - pane.clientHeight / 2;
		}));
		contents.forEach((c, i) => {
			const button = element("button", buttons, c.title + (c.note ? ` (${c.note})` : ""));
			button.type = "button";
			button.addEventListener("click", () => choose(i));
		});
		buttons.hidden = contents.length < 2;
		pictures.hidden = !section.querySelector("figure");
		find.addEventListener("input", seek);
		reset.addEventListener("click", () => look(content.from, content.to));
		pictures.addEventListener("click", () => {
			pictures.setAttribute("aria-pressed", section.classList.toggle("with-pictures"));
		});
		const show_used = (on) => {
			contents.forEach((c) => c.lanes && c.show(on));
			used.setAttribute("aria-pressed", on);
			marked = -1;
			redraw();
		};
		used.addEventListener("click", () => show_used(used.getAttribute("aria-pressed") !== "true"));
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
			pointer = { x: event.offsetX, chosen: event.shiftKey ? event.offsetX : undefined };
			tip.hidden = true;
		});
		body.addEventListener("pointermove", (event) => {
			if (!held.has(event.pointerId)) { show_tip(event); return; }
			const before = held.get(event.pointerId);
			if (held.size === 2) {
				const other = [...held].find((h) => h[0] !== event.pointerId)[1];
				zoom(Math.max(10, Math.abs(before - other)) / Math.max(10, Math.abs(event.offsetX - other)), (event.offsetX + other) / 2);
			} else if (pointer.chosen === undefined) {
				move((before - event.offsetX) / (width() - GUTTER));
			}
			pointer.x = event.offsetX;
			held.set(event.pointerId, event.offsetX);
			redraw();
		});
		const release = (event) => {
			const chosen = pointer && pointer.chosen;
			held.delete(event.pointerId);
			if (chosen !== undefined && pointer && Math.abs(pointer.x - chosen) > 3)
				look(view.t(Math.max(GUTTER, Math.min(chosen, pointer.x))), view.t(Math.max(chosen, pointer.x)));
			pointer = null;
			redraw();
		};
		body.addEventListener("pointerup", release);
		body.addEventListener("pointercancel", release);
		body.addEventListener("pointerleave", () => { tip.hidden = true; });
		body.addEventListener("dblclick", (event) => {
			const t = view.t(event.offsetX), step = content.steps.find((s) => s[1] <= t && t < s[2]);
			look(step ? step[1] : content.from, step ? step[2] : content.to);
		});
		body.addEventListener("keydown", (event) => {
			const keys = { "+": () => zoom(0.7), "=": () => zoom(0.7), "-": () => zoom(1.4), 0: () => look(content.from, content.to),
				Home: () => look(content.from, content.to), ArrowLeft: () => move(-0.15), ArrowRight: () => move(0.15) };
			if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
			event.preventDefault();
			keys[event.key]();
		});
		matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { colours(); redraw(); });
		new ResizeObserver(redraw).observe(frame);
		root.hidden = false;
		section.classList.add("entered");
		colours();
		choose(0);
		show_used(contents.every((c) => !c.lanes || c.items.length <= 48)); /* of many rows a click shows them */
	};
	document.querySelectorAll(".view").forEach(start);
})();
