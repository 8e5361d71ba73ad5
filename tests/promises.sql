-- What holds of the findings in every database: each row of these queries is a promise that does
-- not hold, in words. For tests/analyze_identities.sh, tests/unit/findings.c and
-- tests/fuzz/spools.py.
select 'finding ' || f.n || ' promises ' || f.seconds || ' s, of which times are '
		|| total(t.seconds)
	from finding f left join finding_time t on t.run_id = f.run_id and t.n = f.n
	where f.rule <> 'quality' group by f.run_id, f.n
	having abs(f.seconds - total(t.seconds)) > 1e-9 * f.seconds limit 1;
select 'finding ' || n || ' shares ' || shared || ' of ' || seconds || ' s' from finding_time
	where shared < 0 or shared > seconds or seconds < 0 limit 1;
select 'finding ' || t.n || ' shares seconds with none' from finding_time t
	where t.shared > 0 and not exists (select 1 from finding_overlap o
		where o.run_id = t.run_id and o.n = t.n) limit 1;
-- each second is promised once
select 'all findings together promise ' || sum(t.seconds - t.shared) || ' s of '
		|| (r.duration_ns / 1e9)
	from run r join finding_time t on t.run_id = r.id group by r.id
	having sum(t.seconds - t.shared) > r.duration_ns / 1e9 * (1 + 1e-9) limit 1;
