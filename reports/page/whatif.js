/*
 * The time of the steps without the causes that a reader chooses. All combinations are in the page
 * (reports/page/whatif.sql), as `tacho whatif` computes them.
 */
"use strict";
(() => {
	const { time, percent, element, unpack } = tacho_view;
	const digits = (ns) => time(ns, ns / 1000);

	/* A bar of a time as a share of the longest. */
	const bar = (parent) => {
		const outer = element("div", parent), inner = element("i", outer);
		outer.className = "whatif-bar";
		return (share) => { outer.hidden = share >= 1; inner.style.width = `${100 * share}%`; };
	};

	const start = async (root) => {
		const { causes, times } = await unpack(root.querySelector("script"));
		const form = element("fieldset", root), answer = element("p", root), set_bar = bar(root), command = element("p", root);
		const wholly = (without) => times[without][0] + times[without][1] * causes.some((c) => c.outside);
		const chosen = () => boxes.reduce((sum, box, i) => sum + (box.checked ? 1 << i : 0), 0);
		element("legend", form, "Take out");
		answer.setAttribute("role", "status");
		command.className = "small";
		const saves = [], boxes = causes.map((c) => {
			const label = element("label", form), box = element("input", label);
			box.type = "checkbox";
			label.append(` ${c.n}  ${c.name}${c.place ? `, ${c.place}` : ""} `);
			saves.push(element("span", label));
			if (c.from !== null && c.from !== undefined) {
				const margin = (c.to - c.from) / 2, link = element("a", form, "see it in the timeline");
				link.href = `#t=${(Math.max(0, c.from - margin) / 1e9).toFixed(6)}-${((c.to + margin) / 1e9).toFixed(6)}&rank=${c.row.slice(5)}`;
				link.className = "small";
				link.setAttribute("aria-label", `see it in the timeline: cause ${c.n}`);
			} else
				element("span", form);
			box.addEventListener("change", show);
			return box;
		});
		function show() {
			const without = chosen(), now = wholly(0), then = wholly(without);
			boxes.forEach((box, i) => {
				const less = Math.abs(wholly(without ^ 1 << i) - then);
				saves[i].textContent = box.checked ? `saves ${digits(less)}` : `${without || causes.length < 2 ? "" : "alone "}would save ${digits(less)}${without ? " more" : ""}`;
			});
			const what = causes.every((c) => c.outside) ? "The time outside of steps" : causes.some((c) => c.outside) ? "Steps and the time outside of them" : "The steps";
			const verb = what.startsWith("The time") ? "takes" : "take";
			answer.textContent = without ? `${what} would take ${digits(then)} instead of ${digits(now)} (${percent(1 - then / now)} less).`
				: `${what} ${verb} ${digits(now)}.`;
			set_bar(then / now);
			command.replaceChildren();
			if (!without) return;
			command.append("The same on a terminal: ");
			element("code", command, `tacho whatif RUN${causes.filter((_, i) => boxes[i].checked).map((c) => ` --without cause=${c.n}`).join("")}`);
		}
		show();
		root.hidden = false;
	};
	document.querySelectorAll(".whatif").forEach(start);
})();
