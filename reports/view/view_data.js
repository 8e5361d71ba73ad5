/*
 * What the parts of the timeline share: how times and states are said, and rows whose content is
 * shares of states in bins.
 */
"use strict";
const tacho_view = (() => {
	/* 1234567 ns as people read it, to the precision that `step` ns needs. */
	const time = (ns, step) => {
		if (ns === 0) return "0";
		const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
		const [unit, name] = units.find((u) => Math.abs(ns) >= u[0]) || units[3];
		const digits = Math.max(0, Math.min(6, Math.ceil(Math.log10(unit / (step || ns || 1) * (step ? 1 : 1000)))));
		return (ns / unit).toFixed(digits) + " " + name;
	};
	const percent = (x) => (x >= 0.0995 ? (100 * x).toFixed(0) : (100 * x).toFixed(1)) + " %";
	const amount = (n) => {
		const [scale, unit] = [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]].find((s) => n >= s[0]) || [1, "B"];
		return `${scale === 1 ? n : (n / scale).toPrecision(3)} ${unit}`;
	};
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
	/* Blocks of RFC 1951 with the fixed codes, or with bytes as they are (analyzer/report/report_deflate.c). */
	const inflate = (packed) => {
		let at = 0, out = new Uint8Array(packed.length * 8), n = 0;
		const bit = () => { const b = packed[at >> 3] >> (at & 7) & 1; at++; return b; };
		const bits = (many) => { let value = 0; for (let i = 0; i < many; i++) value |= bit() << i; return value; };
		const code = (many, from) => { let value = from; for (let i = 0; i < many; i++) value = value << 1 | bit(); return value; };
		const symbol = () => {
			const seven = code(7, 0);
			if (seven < 24) return 256 + seven;
			const eight = code(1, seven);
			if (eight < 192) return eight - 48;
			return eight < 200 ? 280 + eight - 192 : 144 + code(1, eight) - 400;
		};
		/* Where a group of lengths or distances begins: group() there, the other way round. */
		const value = (s, per) => { const more = Math.max(0, Math.floor(s / per) - 1); return ((s - more * per) << more) + bits(more); };
		const put = (byte) => {
			if (n === out.length) { const more = new Uint8Array(2 * n); more.set(out); out = more; }
			out[n++] = byte;
		};
		for (let last = 0; !last;) {
			last = bit();
			if (!bits(2)) {
				at = (at + 7) & ~7;
				const length = bits(16);
				bits(16);
				for (let i = 0; i < length; i++) put(bits(8));
				continue;
			}
			for (let s = symbol(); s !== 256; s = symbol()) {
				if (s < 256) { put(s); continue; }
				const length = s === 285 ? 258 : 3 + value(s - 257, 4), distance = 1 + value(code(5, 0), 2);
				for (let i = 0; i < length; i++) put(out[n - distance]);
			}
		}
		return out.subarray(0, n);
	};
	/* The bytes in a script element. Browsers older than 2023 have no deflate-raw. */
	const unpack_bytes = async (script) => {
		const text = atob(script.textContent), packed = new Uint8Array(text.length);
		for (let i = 0; i < text.length; i++)
			packed[i] = text.charCodeAt(i);
		let stream = null;
		try {
			stream = new DecompressionStream("deflate-raw");
		} catch {
			return inflate(packed);
		}
		return new Uint8Array(await new Response(new Blob([packed]).stream().pipeThrough(stream)).arrayBuffer());
	};
	const unpack = async (script) => JSON.parse(new TextDecoder().decode(await unpack_bytes(script)));
	/* Columns of whole numbers (analyzer/report/report_planes.h). */
	const unpack_columns = async (script, many) => {
		const bytes = script.textContent ? await unpack_bytes(script) : new Uint8Array(0), n = bytes.length / 4 / many;
		return Array.from({ length: many }, (_, column) => {
			const values = new Int32Array(n), first = 4 * n * column;
			for (let k = 0; k < n; k++)
				values[k] = bytes[first + k] | bytes[first + n + k] << 8 | bytes[first + 2 * n + k] << 16 | bytes[first + 3 * n + k] << 24;
			return values;
		});
	};
	const names = { useful: "useful", io: "I/O", mpi: "MPI", mpi_transfer: "MPI transfer", mpi_wait: "MPI wait", gloo: "gloo", cuda: "CUDA calls", wait: "wait",
		omp_idle: "OpenMP idle", compute: "compute", nccl: "NCCL", nccl_transfer: "NCCL transfer", nccl_wait: "NCCL wait",
		memcpy: "copies", absent: "not recorded", "idle:io_wait": "idle: I/O", "idle:mpi_wait": "idle: MPI", "idle:gloo_wait": "idle: gloo",
		"idle:host_compute": "idle: host", "idle:host_in_cuda_api": "idle: CUDA calls", "idle:launch_latency": "idle: launch",
		"idle:queued_other": "idle: dependency" };
	const label = (state) => names[state] || state.replace(/_/g, " ").replace(":", ": ");
	const css = (state) => "s-" + state.replace(":", "-");

	/* Shares: { bin: ns, ns: length of all, shares: { state: per mille of each bin } }. */
	const draw_shares = (s, states, view, box, colour, dim) => {
		const first = Math.max(0, Math.floor(view.from / s.bin));
		const last = Math.min(Math.ceil(view.to / s.bin), Math.ceil(s.ns / s.bin));
		for (let bin = first; bin < last; bin++) {
			const x = view.x(bin * s.bin), w = view.x(Math.min((bin + 1) * s.bin, s.ns)) - x;
			let y = box.top;
			for (const state of states) {
				const share = s.shares[state] ? s.shares[state][bin] || 0 : 0;
				if (!share) continue;
				const h = box.height * share / 1000;
				view.rect(x, y, w, h, colour[state], dim(state));
				y += h;
			}
		}
	};
	const shares_at = (s, states, t) => {
		const bin = Math.floor(t / s.bin), parts = states.map((state) => [state, (s.shares[state] || [])[bin] || 0])
			.filter((p) => p[1]).sort((a, b) => b[1] - a[1]);
		return [`${time(bin * s.bin, s.bin)} to ${time(Math.min((bin + 1) * s.bin, s.ns), s.bin)}`]
			.concat(parts.map((p) => `${label(p[0])} ${percent(p[1] / 1000)}`));
	};
	const sum_shares = (s, from, to, add) => {
		for (const state in s.shares) {
			const shares = s.shares[state], last = Math.min(shares.length, Math.ceil(to / s.bin));
			for (let bin = Math.max(0, Math.floor(from / s.bin)); bin < last; bin++) {
				const part = Math.min(to, (bin + 1) * s.bin) - Math.max(from, bin * s.bin);
				if (shares[bin]) add(state, part * shares[bin] / 1000);
			}
		}
	};
	/* The mean of several, in the widest of their bins. */
	const mean = (all) => {
		const bin = Math.max(...all.map((s) => s.bin)), ns = all[0].ns, n = Math.ceil(ns / bin), shares = {};
		for (const s of all)
			for (const state in s.shares) {
				const to = shares[state] || (shares[state] = new Float32Array(n)), from = s.shares[state];
				for (let i = 0; i < from.length; i++) {
					const at = Math.min(n - 1, Math.floor((i + 0.5) * s.bin / bin));
					to[at] += from[i] * s.bin / bin / all.length;
				}
			}
		return { bin, ns, shares };
	};
	return { time, percent, amount, element, search, unpack, unpack_columns, label, css, draw_shares, shares_at, sum_shares, mean };
})();
