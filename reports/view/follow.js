/*
 * The page around the page of a run (`tacho view`): asks for its state, and shows the newest page at the
 * place where the reader is.
 */
"use strict";
(() => {
	const EVERY = 2000; /* ms */
	const said = document.querySelector("p"), frame = document.querySelector("iframe");
	let shown = 0;

	/* The address keeps the view, as that of the page itself does. */
	const hash_keep = () => {
		const hash = shown && !frame.hidden ? frame.contentWindow.location.hash : location.hash;
		if (hash !== location.hash) history.replaceState(null, "", hash || location.pathname);
	};
	const show = (version) => {
		const page = frame.contentWindow, at = page.scrollY;
		if (!shown) {
			frame.src = `report.html${location.hash}`;
			frame.hidden = false;
		} else {
			frame.addEventListener("load", () => setTimeout(() => page.scrollTo(0, at), 100), { once: true });
			page.location.reload();
		}
		shown = version;
	};
	const look = async () => {
		let again = EVERY;
		try {
			const state = await (await fetch("state", { cache: "no-store" })).json();
			if (state.version > shown) show(state.version);
			else hash_keep();
			if (state.state === "running")
				said.textContent = `running · ${state.line}${state.version ? "" : " · the first page is being made"}`;
			else if (state.state === "ended")
				said.textContent = "The run has ended; its last page is being made.";
			else
				said.textContent = state.version ? "" : "The page is being made.";
			if (!shown) again = EVERY / 4;
		} catch {
			said.textContent = "tacho view has ended; this is the last page.";
		}
		setTimeout(look, again);
	};
	look();
})();
