-- needs: runs_differences
-- For tacho scaling: the first of what the runs do not have in common; the page has all.
select key, runs, value from difference order by nth limit 16;
