# Tests of report.
report_tests = tests/compare.sh tests/explain.sh tests/export.sh tests/export_kineto.sh tests/report_access.sh tests/report_browser.sh tests/report_firefox.sh tests/report_hostile.sh tests/report_layout.sh tests/report_links.sh tests/report_long.sh tests/report_page.sh \
	tests/report_pinning.sh tests/report_places.sh tests/report_rules.sh tests/report_runs.sh tests/report_share.sh tests/report_steps.sh tests/scaling.sh tests/report_summary.sh tests/report_tables.sh tests/report_training.sh \
	tests/report_trouble.sh tests/report_verdict.sh tests/report_whatif.sh
TESTS += $(report_tests)
EXTRA_DIST += $(report_tests) tests/export_check.py tests/export_kineto.py tests/export_chrome.py tests/export_crossing.case tests/report_common.sh tests/report_browse.sh tests/report/train.sql tests/report/killed.sql \
	tests/report/empty.sql tests/report/gpu.sql tests/report/hostile.sql tests/report/html_check.py tests/report/firefox.py tests/report/chromium.py tests/report/access.py tests/report/access.js tests/report/drive.js tests/report/links.js tests/report/steps_check.py tests/report/page_gpu.txt tests/report/page_run1.txt tests/report/page_runs.txt \
	tests/report/summary_run1.txt tests/report/summary_killed.txt tests/report/summary_nothing.txt tests/report/summary_gpu.txt

if HAVE_CMOCKA
check_PROGRAMS += tests/report_text
TESTS += tests/report_text
endif
tests_report_text_SOURCES = tests/report_text.c
tests_report_text_CPPFLAGS = $(analyzer_cppflags) $(CMOCKA_CFLAGS)
tests_report_text_LDADD = $(CMOCKA_LIBS) $(analyzer_link)

check_PROGRAMS += tests/unit/report_deflate
tests_unit_report_deflate_SOURCES = tests/unit/report_deflate.c
tests_unit_report_deflate_CPPFLAGS = $(analyzer_cppflags)
tests_unit_report_deflate_LDADD = $(analyzer_link)
TESTS += tests/report_packed.sh
EXTRA_DIST += tests/report_packed.sh

check_PROGRAMS += tests/unit/report_sums
tests_unit_report_sums_SOURCES = tests/unit/report_sums.c
tests_unit_report_sums_CPPFLAGS = $(analyzer_cppflags)
tests_unit_report_sums_LDADD = $(analyzer_link)
TESTS += tests/unit/report_sums

check_PROGRAMS += tests/unit/change_points tests/unit/commit_find
tests_unit_change_points_SOURCES = tests/unit/change_points.c
tests_unit_change_points_CPPFLAGS = $(analyzer_cppflags)
tests_unit_change_points_LDADD = $(analyzer_link)
tests_unit_commit_find_SOURCES = tests/unit/commit_find.c
tests_unit_commit_find_CPPFLAGS = $(analyzer_cppflags)
tests_unit_commit_find_LDADD = $(analyzer_link)
TESTS += tests/unit/change_points tests/history_known.sh tests/compare_known.sh tests/history.sh tests/record_commit.sh
EXTRA_DIST += tests/history_known.sh tests/report/histories_make.py tests/compare_known.sh tests/report/comparisons_make.py tests/history.sh tests/record_commit.sh
