/*
 * The place in the timeline as a link, #t=60.0-62.9&rank=1&sel=4711, which is read when the page opens and kept up to
 * date; the timeline as a picture.
 */
"use strict";
const tacho_share = (() => {
	const { element } = tacho_view;
	const REST = 250; /* ms after the last change */

	/* Seconds, no more digits than a 10,000th of `step` ns needs. */
	const seconds = (ns, step) => {
		const digits = Math.max(0, Math.min(9, Math.ceil(Math.log10(1e13 / step))));
		return digits ? (ns / 1e9).toFixed(digits).replace(/\.?0+$/, "") : (ns / 1e9).toFixed(0);
	};
	/* What is shown as the text behind "#". Times are of the run, or of the step that is shown. */
	const text_of = (s, view, n) => {
		const span = view.to - view.from, all = [["t", `${seconds(view.from, span)}-${seconds(view.to, span)}`]];
		const pair = (of) => of.map((t) => seconds(t, span)).join("-");
		if (n !== undefined) all.unshift(["step", n]);
		if (s.marked) all.push(/^rank \d+$/.test(s.marked.label) ? ["rank", s.marked.label.slice(5)] : ["row", s.marked.label]);
		if (s.picked !== null) all.push(["sel", s.picked]);
		if (s.chosen) all.push(["range", pair(s.chosen)]);
		if (s.cursors.length) all.push(["cursors", pair(s.cursors)]);
		if (s.text) all.push(["find", s.text]);
		return all.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
	};
	/* The reverse; null: it is no place in the timeline. */
	const read = (text) => {
		if (!/^#(.*&)?t=/.test(text)) return null;
		const said = new URLSearchParams(text.slice(1)), number = (name) => (/^\d+$/.test(said.get(name) || "") ? Number(said.get(name)) : null);
		const times = (name) => {
			const found = (said.get(name) || "").split("-").map((t) => 1e9 * Number.parseFloat(t));
			return found.every(Number.isFinite) && found.length < 3 ? found : [];
		};
		return { step: said.get("step"), t: times("t"), row: said.has("rank") ? `rank ${said.get("rank")}` : said.get("row"),
			sel: number("sel"), range: times("range"), cursors: times("cursors"), find: said.get("find") || "" };
	};

	/* Keeps the address up to date: call it after a change. `text`: what is shown, "" where nothing was chosen. */
	const keeper = (text) => {
		let timer = 0;
		const keep = () => {
			const wanted = text(), have = location.hash.slice(1);
			if (wanted !== have && (wanted || read(location.hash)))
				history.replaceState(null, "", wanted ? `#${wanted}` : location.pathname + location.search);
		};
		return () => {
			clearTimeout(timer);
			timer = setTimeout(keep, REST);
		};
	};

	/* Says on a button that it was done. */
	const said = (button, words) => {
		const before = button.dataset.words || (button.dataset.words = button.textContent);
		button.textContent = words;
		setTimeout(() => { button.textContent = before; }, 1500);
	};
	const copy_link = async (button, text) => {
		const link = location.href.replace(/#.*/, "") + `#${text}`;
		try {
			await navigator.clipboard.writeText(link);
		} catch { /* no clipboard for this page */
			const field = element("textarea", document.body, link);
			field.select();
			document.execCommand("copy");
			field.remove();
		}
		said(button, "copied");
	};

	/* Axis, rows and the legend below each other, with what they are of. */
	const picture = (title, axis, body, sums) => {
		const ratio = body.width / body.clientWidth, style = getComputedStyle(document.body), HEAD = 26, LINE = 20;
		const canvas = document.createElement("canvas"), pen = canvas.getContext("2d"), font = "13px system-ui, sans-serif";
		const parts = [...sums.children].map((e) => [e.textContent, e.querySelector("i") && getComputedStyle(e.querySelector("i")).backgroundColor]);
		const lines = [[]];
		let x = 8;
		pen.font = font;
		for (const [words, colour] of parts) {
			const wide = pen.measureText(words).width + 28;
			if (x + wide > body.clientWidth && lines[lines.length - 1].length) { lines.push([]); x = 8; }
			lines[lines.length - 1].push([words, colour, x]);
			x += wide;
		}
		canvas.width = body.width;
		canvas.height = axis.height + body.height + Math.round((HEAD + LINE * lines.length + 8) * ratio);
		pen.fillStyle = style.backgroundColor;
		pen.fillRect(0, 0, canvas.width, canvas.height);
		pen.drawImage(axis, 0, Math.round(HEAD * ratio));
		pen.drawImage(body, 0, Math.round(HEAD * ratio) + axis.height);
		pen.setTransform(ratio, 0, 0, ratio, 0, 0);
		pen.textBaseline = "middle";
		pen.fillStyle = style.color;
		pen.font = `600 ${font}`;
		pen.fillText(title, 8, HEAD / 2);
		pen.font = font;
		lines.forEach((line, i) => {
			const y = HEAD + (axis.height + body.height) / ratio + LINE * (i + 0.5) + 4;
			for (const [words, colour, left] of line) {
				if (colour) {
					pen.fillStyle = colour;
					pen.fillRect(left, y - 5, 10, 10);
				}
				pen.fillStyle = style.color;
				pen.fillText(words, left + (colour ? 14 : 0), y);
			}
		});
		return new Promise((done) => { canvas.toBlob(done, "image/png"); });
	};
	/* To the clipboard; where the page may not, as a file. */
	const copy_picture = async (button, name, blob) => {
		try {
			await navigator.clipboard.write([new ClipboardItem({ "image/png": blob })]);
			said(button, "copied");
		} catch {
			const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(await blob), download: `${name}.png` });
			link.click();
			setTimeout(() => URL.revokeObjectURL(link.href), 10000);
			said(button, "saved");
		}
	};
	return { text_of, read, keeper, copy_link, picture, copy_picture };
})();
