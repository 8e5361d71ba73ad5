/* What a reader does to a page, in any browser: the body of an asynchronous function that returns what went wrong. */
const view = document.querySelector(".view"), wrong = [];
const sums = () => view.querySelector(".view-sums").textContent.replace(/, all rows.*/, "");
const until = async (name, is) => {
	for (let i = 0; i < 400 && !is(); i++)
		await new Promise((next) => setTimeout(next, 25));
	if (!is()) wrong.push(name);
};
await until("unpacked", () => view.querySelector(".view-pane canvas"));
const canvas = view.querySelector(".view-pane canvas");
const at = (x, y) => ({ bubbles: true, cancelable: true, clientX: canvas.getBoundingClientRect().left + x, clientY: canvas.getBoundingClientRect().top + y });
const painted = () => {
	const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data, colours = new Set();
	for (let i = 0; i < pixels.length; i += 4 * 97)
		colours.add(pixels[i] << 16 | pixels[i + 1] << 8 | pixels[i + 2]);
	return colours.size;
};
await until("shown", () => !view.hidden && canvas.clientWidth > 300 && /^0 to /.test(sums()));
await until("painted", () => painted() > 4);
const all = sums();
canvas.focus();
canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }));
await until("zoom by a key", () => sums() !== all);
const nearer = sums();
canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: -300, ...at(400, 5) }));
await until("zoom by the wheel", () => sums() !== nearer);
canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "0", bubbles: true }));
await until("all again", () => sums() === all);
canvas.dispatchEvent(new PointerEvent("pointermove", at(400, 5)));
await until("hover", () => /rank 0.*%/.test(view.querySelector(".view-tip").textContent));
const find = view.querySelector("input");
find.value = "step 3";
find.dispatchEvent(new Event("input"));
await until("search of a step", () => sums() !== all);
const buttons = [...view.querySelectorAll(".view-bar button")], told = (what) => view.querySelector(what).textContent;
find.value = "";
find.dispatchEvent(new Event("input"));
buttons[1].click();
await until("calls of the step", () => /Calls and kernels/.test(told(".view-range")));
canvas.dispatchEvent(new KeyboardEvent("keydown", { key: ".", bubbles: true }));
canvas.dispatchEvent(new KeyboardEvent("keydown", { key: ".", bubbles: true }));
canvas.dispatchEvent(new KeyboardEvent("keydown", { key: ".", bubbles: true }));
await until("collective of a slice", () => /4 members · waited .* for rank 2/.test(told(".view-picked")));
canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", shiftKey: true, bubbles: true }));
await until("chosen time", () => /In the chosen time/.test(told(".view-range")));
const heading = document.querySelector("#table-files th:last-child button");
heading.click();
await until("sort", () => document.querySelector("#table-files th:last-child").hasAttribute("aria-sort"));
const filter = document.querySelector("#table-files .filter input");
filter.value = "shard-0007";
filter.dispatchEvent(new Event("input"));
await until("filter", () => [...document.querySelectorAll("#table-files tbody tr")].filter((r) => !r.hidden).length === 1);
await until("no fetched part", () => performance.getEntriesByType("resource").length === 0);
return wrong.length ? "wrong: " + wrong.join(", ") : "driven";
