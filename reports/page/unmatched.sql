-- Messages whose partner is not in the trace, and why.
select message as "Message|path" from unmatched where run_id = :run order by n;
