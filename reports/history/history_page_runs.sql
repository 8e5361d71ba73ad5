-- The runs of tacho history for its page.
select h.nth as "Run|count", h.began as "Began", h.label as "Label",
	coalesce(substr(h.commit_hash, 1, 12), '') as "Commit", coalesce(h.branch, '') as "Branch",
	h.nranks as "Ranks|count", max(case v.figure when 'step_ns' then v.value end) as
		"Step|ns|median, begin to begin; of runs without steps the run time",
	max(case v.figure when 'samples_per_s' then v.value end) as "Samples/s|number",
	max(case v.figure when 'parallel_efficiency' then v.value end) as "Efficiency|efficiency",
	max(case v.figure when 'idle' then v.value end) as "Idle|percent",
	max(case v.figure when 'storage_read_gbps' then v.value end) as "Read, Gb/s|number",
	max(case v.figure when 'storage_write_gbps' then v.value end) as "Written, Gb/s|number",
	max(case v.figure when 'network_sent_gbps' then v.value end) as "Sent, Gb/s|number",
	max(case v.figure when 'time_to_target' then v.value end)
		as "To target|ns|time to quality: from the start of the run (--target)",
	coalesce(case when h.failed then 'failed' else (select group_concat(title, ', ')
		from (select f.title from history_change c join history_figure f using (figure)
		where c.nth = h.nth order by f.ord)) end, '') as "Changed"
from history h left join history_value v on v.run_id = h.run_id
group by h.nth order by h.nth desc limit 300;
