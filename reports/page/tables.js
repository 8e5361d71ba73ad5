/*
 * Tables that sort, by a click or by keys on a heading, and filter, from eight rows on; and links
 * from findings to the rows that show them. Without script tables stay as they are.
 */
"use strict";
(() => {
	const LEAST = 8; /* rows, for a filter to be of use */
	const scales = { ns: 1, µs: 1e3, ms: 1e6, s: 1e9, B: 1, kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12, PB: 1e15 };
	const natural = new Intl.Collator("en", { numeric: true });

	/* "≤ 1,234 ms" in ns, "12 %" as 12; what is no number is text, and NaN comes last. */
	const number = (text) => {
		const found = /^[▼▽≤><\s]*([-−]?[\d,]*\.?\d+(?:e[-+]?\d+)?)\s*([^\d\s]*)/.exec(text);
		if (!found) return NaN;
		return Number(found[1].replace(/,/g, "").replace("−", "-")) * (scales[found[2].replace("/s", "")] || 1);
	};
	const own = (cell) => [...cell.childNodes].filter((n) => n.nodeName !== "SUP").map((n) => n.textContent).join("").trim();

	/* The rows that were folded away join the others: what is sorted is all of them. */
	const unfold = (part) => {
		const [table, more] = part.querySelectorAll("table");
		if (!more) return;
		const fold = more.closest("details"), old = [...fold.querySelectorAll("ol.reasons li")].map((li) => li.textContent);
		let list = [...part.querySelectorAll("ol.reasons")].find((n) => !fold.contains(n));
		if (!list && old.length) {
			list = Object.assign(document.createElement("ol"), { className: "reasons" });
			table.parentElement.after(list);
		}
		for (const sup of more.querySelectorAll("sup")) {
			const said = old[Number(sup.textContent) - 1], known = list ? [...list.children].map((li) => li.textContent) : [];
			if (said === undefined) continue;
			let at = known.indexOf(said);
			if (at < 0) {
				list.append(Object.assign(document.createElement("li"), { textContent: said }));
				at = known.length;
			}
			sup.textContent = at + 1;
		}
		table.tBodies[0].append(...more.tBodies[0].rows);
		fold.remove();
		table.parentElement.classList.add("tall");
	};

	/* Whether a cell of a row holds the text, as a word of its own: "rank 1" is not in "rank 10". */
	const holds = (row, text) => {
		const word = new RegExp(`(^|[^\\w])${text.replace(/[^\w\s]/g, "\\$&")}($|[^\\w])`, "i");
		return !text || [...row.cells].some((cell) => word.test(own(cell)));
	};
	/* Shows the rows that hold the text: of what a reader types in any part of them, `whole`: as `holds` says. */
	const filter = (part, text, whole) => {
		const wanted = text.trim().toLowerCase(), table = part.querySelector("table");
		if (wanted) unfold(part);
		let shown = 0;
		for (const row of table.tBodies[0].rows) {
			row.hidden = !(whole ? holds(row, text) : row.textContent.toLowerCase().includes(wanted));
			shown += !row.hidden;
		}
		const said = part.querySelector("[role=status]");
		if (said) said.textContent = wanted ? `${shown} of ${table.tBodies[0].rows.length}` : "";
		return shown;
	};

	const sort = (part, heading) => {
		unfold(part);
		const table = part.querySelector("table"), body = table.tBodies[0], column = heading.cellIndex;
		const counts = heading.classList.contains("n"), before = heading.getAttribute("aria-sort");
		/* numbers from the largest, text from the first; the next time the other way */
		const falls = before ? before === "ascending" : counts;
		const keyed = [...body.rows].map((row, i) => {
			const text = own(row.cells[column]);
			return { row, i, text, value: counts ? number(text) : 0 };
		});
		const sign = falls ? -1 : 1;
		keyed.sort((a, b) => (counts ? isNaN(a.value) - isNaN(b.value) || (isNaN(a.value) ? 0 : sign * (a.value - b.value))
			: sign * natural.compare(a.text, b.text)) || a.i - b.i);
		body.append(...keyed.map((k) => k.row));
		for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
		heading.setAttribute("aria-sort", falls ? "descending" : "ascending");
	};

	const start = (part) => {
		const table = part.querySelector("table");
		if (!table || !table.tHead || table.tBodies[0].rows.length < 2) return;
		const many = [...part.querySelectorAll("tbody")].reduce((sum, body) => sum + body.rows.length, 0);
		for (const heading of table.tHead.rows[0].cells) {
			const button = document.createElement("button");
			button.type = "button";
			button.append(...heading.childNodes);
			button.addEventListener("click", () => sort(part, heading));
			heading.append(button);
			heading.classList.add("sorts");
		}
		if (many < LEAST) return;
		const bar = document.createElement("p"), find = document.createElement("input"), said = document.createElement("span");
		bar.className = "filter";
		find.type = "search";
		find.placeholder = "filter rows";
		find.setAttribute("aria-label", `filter the rows of ${table.caption.textContent}`);
		said.setAttribute("role", "status");
		find.addEventListener("input", () => filter(part, find.value));
		bar.append(find, said);
		table.parentElement.before(bar);
	};
	document.querySelectorAll(".part").forEach(start);

	/* A finding's rows, where the page has some: a link that filters them. */
	document.querySelectorAll("[data-rows]").forEach((finding) => {
		const [part, text] = JSON.parse(finding.dataset.rows).map(([name, words]) => [document.getElementById(`table-${name}`), words])
			.find(([where, words]) => where && [...where.querySelectorAll("tbody tr")].some((row) => holds(row, words))) || [];
		if (!part) return;
		const link = document.createElement("a");
		link.href = `#${part.id}`;
		link.textContent = "rows that show it";
		link.className = "small rows";
		link.addEventListener("click", () => {
			const find = part.querySelector(".filter input"), fold = part.querySelector("details");
			if (fold && fold.contains(part.querySelector("table"))) fold.open = true;
			if (find) find.value = text;
			filter(part, text, true);
		});
		finding.querySelector("details").before(link);
	});
})();
