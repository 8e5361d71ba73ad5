/*
 * What axe-core calls button-name, color-contrast, duplicate-id, empty-table-header, heading-order, label, landmark-unique, link-name,
 * list, nested-interactive, region, scrollable-region-focusable, svg-img-alt and the like, for machines that have no axe: the body of
 * an asynchronous function that returns what is wrong.
 */
const wrong = new Map(), fault = (rule, one) => wrong.set(rule, [...(wrong.get(rule) || []), one.outerHTML.replace(/\s+/g, " ").slice(0, 120)]);
const shown = (one) => one.getClientRects().length > 0 && getComputedStyle(one).visibility === "visible" && !one.closest("[aria-hidden=true]");
const all = (what) => [...document.querySelectorAll(what)].filter(shown);
const named = (one) => (one.getAttribute("aria-labelledby") || "").split(/\s+/).map((id) => id && document.getElementById(id)).filter((o) => o).map((o) => o.textContent).join(" ").trim() ||
	(one.getAttribute("aria-label") || "").trim() || (one.labels && one.labels.length ? one.labels[0].textContent.trim() : "") ||
	(one.querySelector && one.querySelector(":scope > title") ? one.querySelector(":scope > title").textContent.trim() : "") || (one.getAttribute("title") || "").trim() || (one.getAttribute("alt") || "").trim();

for (const one of all("button, a[href], summary, th, [role=button], [role=link]"))
	if (!named(one) && !one.textContent.trim()) fault("has no name", one);
for (const one of all("input, select, textarea, canvas, iframe, img, [role=img], [role=region], [role=application], [role=slider], [role=tree], section, nav"))
	if (!named(one)) fault("has no name", one);
for (const one of all("a[aria-label], button[aria-label]"))
	if (!one.getAttribute("aria-label").includes(one.textContent.trim())) fault("is called otherwise than it reads", one);
const ids = [...document.querySelectorAll("[id]")].map((one) => one.id);
for (const one of document.querySelectorAll("[id]"))
	if (ids.indexOf(one.id) !== ids.lastIndexOf(one.id)) fault("has the id of another one", one);
for (const name of ["aria-labelledby", "aria-describedby", "aria-controls", "aria-activedescendant", "for"])
	for (const one of document.querySelectorAll(`[${name}]`))
		for (const id of one.getAttribute(name).split(/\s+/))
			if (!document.getElementById(id)) fault(`names "${id}", which is not there`, one);
const marks = all("main, nav, section, [role=region]"), called = (one) => `${one.tagName === "SECTION" ? "region" : one.getAttribute("role") || one.tagName} ${named(one)}`;
for (const one of marks)
	if (marks.some((other) => other !== one && called(other) === called(one))) fault("is called as another landmark", one);
if (all("main").length !== 1) fault("has not one main", document.documentElement);
if (all("h1").length !== 1) fault("has not one h1", document.documentElement);
if (!document.title || !document.documentElement.lang) fault("has no title or language", document.documentElement);
let level = 0;
for (const one of all("h1, h2, h3, h4, h5, h6")) {
	const is = Number(one.tagName[1]);
	if (level && is > level + 1) fault("skips a level of headings", one);
	level = is;
}
for (const one of all("ul > :not(li), ol > :not(li), dl > :not(dt):not(dd):not(div)")) fault("is no item of its list", one);
for (const one of all("a a, a button, button a, button button, summary a, summary button, [role=img] a")) fault("is a control in a control", one);
for (const one of document.querySelectorAll("[tabindex]"))
	if (Number(one.getAttribute("tabindex")) > 0) fault("changes the order of focus", one);
for (const one of all("[aria-hidden=true] a[href], [aria-hidden=true] button, [aria-hidden=true] [tabindex='0']")) fault("has the focus unseen", one);
for (const one of all("body *")) {
	const style = getComputedStyle(one);
	const scrolls = (/auto|scroll/.test(style.overflowX) && one.scrollWidth > one.clientWidth + 14) || (/auto|scroll/.test(style.overflowY) && one.scrollHeight > one.clientHeight + 14);
	if (scrolls && one.tabIndex < 0 && !one.querySelector("a[href], button, input, select, summary, [tabindex]")) fault("scrolls and cannot have the focus", one);
}

/* Contrast of text with what lies below it, WCAG 2.1: 4.5, of large text 3. Text over a picture is left out. */
const channels = (text) => {
	const found = /^rgba?\(([^)]*)\)$/.exec(text);
	if (found) { const v = found[1].split(/[ ,/]+/).map(Number); return [v[0], v[1], v[2], v.length > 3 ? v[3] : 1]; }
	const srgb = /^color\(srgb ([^)]*)\)$/.exec(text);
	if (!srgb) return null;
	const v = srgb[1].split(/[ /]+/).map(Number);
	return [255 * v[0], 255 * v[1], 255 * v[2], v.length > 3 ? v[3] : 1];
};
const over = (top, below) => [0, 1, 2].map((i) => top[i] * top[3] + below[i] * (1 - top[3])).concat(1);
const light = (c) => { const v = c.slice(0, 3).map((x) => (x /= 255) <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2]; };
const contrast = (a, b) => { const [x, y] = [light(a), light(b)].sort((p, q) => q - p); return (x + 0.05) / (y + 0.05); };
const canvas = matchMedia("(prefers-color-scheme: dark)").matches ? [18, 18, 18, 1] : [255, 255, 255, 1];
const below = (one) => {
	const layers = [];
	for (let o = one; o; o = o.parentElement) {
		const style = getComputedStyle(o), colour = channels(style.backgroundColor);
		if (style.backgroundImage !== "none") return null;
		if (colour && colour[3] > 0) layers.push(colour);
		if (colour && colour[3] === 1) break;
	}
	return layers.reduceRight((base, layer) => over(layer, base), canvas);
};
const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), looked = new Set();
while (texts.nextNode()) {
	const one = texts.currentNode.parentElement;
	if (!texts.currentNode.textContent.trim() || looked.has(one) || !shown(one) || one.closest("script, style, option, desc, title, [disabled], :disabled")) continue;
	looked.add(one);
	if (!one.closest("main, nav, header, footer, .skip, [role=region]")) fault("is outside of all landmarks", one);
	const style = getComputedStyle(one), svg = one.closest("svg"), base = below(svg || one), ink = channels(svg ? style.fill : style.color);
	if (!base || !ink) continue;
	let seen = 1;
	for (let o = one; o; o = o.parentElement) seen *= Number(getComputedStyle(o).opacity);
	const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
	const box = one.getBoundingClientRect();
	if (svg && [...svg.querySelectorAll("rect, path, polygon, circle, image")].some((s) => {
		const b = s.getBoundingClientRect(), fill = channels(getComputedStyle(s).fill);
		return (s.tagName === "image" || (fill && fill[3] > 0)) && b.left < box.right && b.right > box.left && b.top < box.bottom && b.bottom > box.top;
	})) continue;
	const has = contrast(over([ink[0], ink[1], ink[2], ink[3] * seen], base), base);
	if (has < (large ? 3 : 4.5)) fault(`has a contrast of ${has.toFixed(2)}`, one);
}
return [...wrong].map(([rule, ones]) => `${ones.length} ${rule}: ${ones[0]}`);
