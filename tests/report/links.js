/*
 * Follows every link of every finding, as a reader does, and looks at where it leads: the body of an asynchronous function of
 * document, window and facts that returns what is wrong. Facts: what the database says of each finding (report_common.sh).
 */
const view = document.querySelector(".view"), wrong = [], rest = (ms) => new Promise((next) => setTimeout(next, ms));
for (let i = 0; i < 400 && !(view && view.querySelector(".view-sums .state")); i++) await rest(25);
const word = (text) => new RegExp(`(^|[^\\w])${text.replace(/[^\w\s]/g, "\\$&")}($|[^\\w])`);
/* What rows hold that show a finding which names no rank, line, call or phase. */
const topics = [[/checkpoint/, /checkpoint/], [/^data_loading|^exposed_io.[^w]/, /dataset/], [/writes$/, /[1-9].*B/], [/nccl|^slow_/, /NCCL/], [/small_coll|exposed_comm|transfer$/, /MPI|GLOO/],
	[/gradient/, /reduce/i], [/serialisation$/, /network|rank|[a-z]/], [/start_end/, /MPI_Init/], [/pinning/, /✗/], [/tensor/, /gemm|convolution|attention/], [/pageable/, /pageable/],
	[/launches$/, /GPU/], [/synchronisations$/, /cu|hip|nccl/], [/starved.host|unused|limited|memory/, /GPU|rank/]];
const said = new Set();

const follow_place = async (fact, link) => {
	const at = `finding ${fact.n} (${fact.rule}), "${link.textContent.trim()}"`, fault = (what) => wrong.push(`${at}: ${what}`);
	link.click();
	await rest(700);
	const place = new URLSearchParams(window.location.hash.slice(1)), rank = place.get("rank"), row = place.get("row");
	if (fact.rank === null && rank !== null) fault(`goes to rank ${rank}`);
	if (fact.rank !== null && rank !== `${fact.rank}` && !(row || "").includes(`GPU ${fact.rank}:`)) fault(`goes to ${rank === null ? row : `rank ${rank}`}, not to rank ${fact.rank}`);
	const [from, to] = (place.get("t") || "").split("-").map(Number), step = place.get("step");
	if (!(to > from)) fault(`shows no time: ${window.location.hash}`);
	if (step === null && fact.from !== null && (to < fact.from || from > fact.to)) fault(`shows ${from} to ${to} s, the steps are from ${fact.from} to ${fact.to} s`);
	if (step !== null && fact.first !== null && (Number(step) < fact.first || Number(step) > fact.last)) fault(`opens step ${step}, the steps are ${fact.first} to ${fact.last}`);
	if (fact.outside && step !== null) fault(`opens step ${step}, and it is outside of steps`);
	if (fact.outside === -2 && to > fact.begin * 1.001) fault(`shows ${from} to ${to} s, not the time before the first step at ${fact.begin} s`);
	if (fact.outside === -1 && from < fact.finish * 0.999) fault(`shows ${from} to ${to} s, not the time after the last step at ${fact.finish} s`);
	const state = place.get("find");
	if (!state) return;
	/* of a row that is marked it, else of any row */
	const wanted = rank === null ? row : `rank ${rank}`, shares = [...view.querySelectorAll(".view-range table")].flatMap((table) => {
		const heads = [...table.tHead.rows[0].cells].map((c) => c.textContent.toLowerCase()), column = heads.indexOf(state);
		return column < 0 ? [] : [...table.tBodies[0].rows].filter((r) => wanted === null || r.cells[0].textContent === wanted).map((r) => r.cells[column] && r.cells[column].textContent);
	});
	if (!shares.some((share) => share && share !== "–")) fault(`shows no ${state}${wanted ? ` of ${wanted}` : ""}`);
};
const follow_rows = async (fact, link) => {
	const fault = (what) => wrong.push(`finding ${fact.n} (${fact.rule}), rows that show it: ${what}`), part = document.querySelector(link.getAttribute("href"));
	link.click();
	await rest(50);
	const rows = part ? [...part.querySelectorAll("tbody tr")].filter((r) => r.getClientRects().length) : [];
	const named = [fact.rank === null ? null : `rank ${fact.rank}`, fact.line, fact.call, fact.phase].filter((w) => w), topic = topics.find((t) => t[0].test(fact.rule));
	const shows = (r) => named.some((w) => [...r.cells].some((c) => word(w).test(c.textContent))) || (topic && topic[1].test(r.textContent));
	if (!rows.length) fault("there is none");
	for (const r of rows)
		if (!shows(r)) fault(`"${[...r.cells].map((c) => c.textContent).join(" | ")}" in ${part.id} does not show it`);
	said.add(part && part.id);
};
let places = 0, tables = 0;
for (const fact of facts) {
	const item = document.getElementById(`finding-${fact.n}`);
	if (!item) { wrong.push(`finding ${fact.n} is not there`); continue; }
	for (const link of document.querySelectorAll("a.place"))
		if (JSON.parse(link.dataset.place).n === fact.n) { places++; await follow_place(fact, link); }
	for (const link of item.querySelectorAll("a.rows")) { tables++; await follow_rows(fact, link); }
}
for (const link of document.querySelectorAll("a[href^='#']"))
	if (!/^#(t|step)=/.test(link.getAttribute("href")) && link.getAttribute("href") !== "#" && !document.getElementById(link.getAttribute("href").slice(1)))
		wrong.push(`"${link.textContent}" leads to ${link.getAttribute("href")}, which is not there`);
for (const link of document.querySelectorAll(".whatif a")) {
	const n = Number(/\d+/.exec(link.getAttribute("aria-label"))[0]), cause = causes.find((c) => c.n === n);
	window.location.hash = link.getAttribute("href");
	await rest(700);
	const place = new URLSearchParams(window.location.hash.slice(1));
	if (!cause || place.get("rank") !== `${cause.rank}`) wrong.push(`cause ${n} leads to rank ${place.get("rank")}`);
}
/* What axe calls button-name, empty-table-header, label-content-name-mismatch and landmark-unique, of what scripts made, too. */
for (const one of document.querySelectorAll("th, button, a"))
	if (!one.textContent.trim() && !one.getAttribute("aria-label")) wrong.push(`without a name: ${one.outerHTML}`);
for (const one of document.querySelectorAll("a[aria-label], button[aria-label]"))
	if (!one.getAttribute("aria-label").includes(one.textContent.trim())) wrong.push(`"${one.textContent}" is called "${one.getAttribute("aria-label")}"`);
const regions = [...document.querySelectorAll("[role=region]")].filter((r) => r.getClientRects().length).map((r) => r.getAttribute("aria-label"));
for (const name of regions.filter((r, i) => regions.indexOf(r) !== i)) wrong.push(`two regions are called "${name}"`);
return `${places} places, ${tables} tables${wrong.length ? `, wrong: ${wrong.join("; ")}` : ""}`;
