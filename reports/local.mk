# Data of the reports, installed as they are.
reportsdir = $(pkgdatadir)/reports
dist_reports_DATA = reports/page.html reports/style.css reports/view.js reports/timeline_view.sql \
	reports/bandwidth.gp reports/bandwidth.sql reports/collective_wait.gp reports/collective_wait.sql reports/copies.sql \
	reports/devices.gp reports/devices.sql reports/idle.sql reports/kernel_classes.sql reports/kernels.sql \
	reports/launches.sql reports/step_efficiency.gp reports/step_device.gp reports/step_efficiency.sql reports/step_device.sql reports/synchronisations.sql \
	reports/pinning.sql reports/pinning_map.gp reports/pinning_map.sql reports/pinning_map_data.sql reports/pinning_tables.sql \
	reports/calls.sql reports/collective_ranks.sql reports/collectives.sql reports/collective_tables.sql reports/common.gp reports/critical_path.sql \
	reports/device_shares.sql reports/gpu_ends.sql reports/environment.sql reports/file_classes.sql reports/file_tables.sql reports/files.sql reports/findings.sql reports/findings_top.sql reports/touched.sql \
	reports/active.sql reports/compare_blocks.sql reports/compare_calls.sql reports/compare_differences.sql reports/compare_disturbances.sql reports/compare_figures.sql reports/compare_findings.sql \
	reports/compare_notes.sql reports/compare_parts.sql reports/compare_runs.sql reports/compare_tables.sql reports/compare_time.sql \
	reports/compare_page_head.sql reports/compare_page_said.sql reports/compare_page_pair.sql reports/compare_page_steps.sql \
	reports/compare_page_time.sql reports/compare_page_parts.sql reports/compare_page_calls.sql reports/compare_page_figures.sql \
	reports/compare_page_findings.sql reports/compare_page_differences.sql reports/compare_page_steps.gp \
	reports/head.sql reports/losses.sql reports/messages.sql reports/sockets.sql reports/sockets_all.sql reports/threads_silent.sql reports/network_rate.gp \
	reports/network_rate.sql reports/phases.sql reports/pop.sql reports/processes.sql \
	reports/quality.sql reports/ranks.gp reports/ranks.sql reports/rate_loss.gp \
	reports/rate_loss.sql reports/rate_tables.sql reports/rates.sql reports/shares.sql reports/step_histogram.gp \
	reports/step_histogram.sql reports/step_tables.sql reports/step_map.gp reports/step_map.sql reports/slow_ranks.sql reports/steps.gp \
	reports/steps.sql reports/storage_rate.gp reports/storage_rate.sql reports/stragglers.sql \
	reports/runs.sql reports/runs_devices.gp reports/runs_devices.sql \
	reports/runs_environment.sql reports/runs_findings.sql reports/runs_head.sql \
	reports/runs_hosts.gp reports/runs_hosts.sql reports/runs_pop.sql reports/runs_rates.sql \
	reports/runs_speed.gp reports/runs_speed.sql reports/runs_speedup.gp \
	reports/runs_speedup.sql reports/runs_study.sql reports/runs_differences.sql reports/runs_scaling.sql reports/runs_laws.sql \
	reports/scaling_tables.sql reports/scaling_fits.sql reports/scaling_study.sql reports/scaling_runs.sql reports/scaling_counters.sql \
	reports/scaling_phases.sql reports/scaling_laws.sql reports/scaling_differences.sql \
	reports/unseen_tables.sql reports/throughput.sql reports/timeline.gp reports/timeline.sql reports/timeline_data.sql reports/timeline_step.gp reports/timeline_step.sql \
	reports/timeline_step_data.sql reports/trouble_tables.sql reports/unmatched.sql reports/verdict.sql reports/waits.sql \
	reports/python_icicle.sql reports/python_lines.sql reports/python_ranks.sql

EXTRA_DIST += reports/README.md analyzer/README.md
