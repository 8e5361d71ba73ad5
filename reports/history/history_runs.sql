-- The runs of tacho history in the order in which they began, one row each; what changed with one.
select h.nth as run, h.began as began, h.label as label, substr(h.commit_hash, 1, 12) as "commit",
	h.branch as branch, h.nranks as ranks, h.ngpus as gpus,
	max(case v.figure when 'step_ns' then v.value end) as step_ns,
	max(case v.figure when 'samples_per_s' then v.value end) as samples_per_s,
	max(case v.figure when 'parallel_efficiency' then v.value end) as efficiency,
	100 * max(case v.figure when 'idle' then v.value end) as "idle_%",
	max(case v.figure when 'storage_read_gbps' then v.value end) as read_gbps,
	max(case v.figure when 'storage_write_gbps' then v.value end) as write_gbps,
	max(case v.figure when 'network_sent_gbps' then v.value end) as sent_gbps,
	max(case v.figure when 'time_to_target' then v.value end) as target_ns,
	case when h.failed then 'failed' else (select group_concat(title, ', ') from (select f.title
		from history_change c join history_figure f using (figure) where c.nth = h.nth
		order by f.ord)) end as changed
from history h left join history_value v on v.run_id = h.run_id group by h.nth order by h.nth;
