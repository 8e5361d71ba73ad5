# A browser for tests that are in report_common.sh's frame; sourced. Its console is in $work/log.
browse() {
	timeout 400 chromium --headless --no-sandbox --disable-gpu --disable-quic --no-first-run \
		--disable-background-networking --disable-component-update --disable-sync --disable-dev-shm-usage \
		--enable-logging=stderr --log-level=0 --user-data-dir="$(mktemp -d -p "$work")" "$@" 2>"$work/log"
}
