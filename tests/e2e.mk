# End to end: record, merge, analyze, report on real runs.
