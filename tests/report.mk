# Tests of report.
