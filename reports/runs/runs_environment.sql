-- needs: runs_differences
-- What the runs do not have in common.
select key as "Key|path", value as "Value|path", runs as "Runs" from difference order by nth
limit 400;
