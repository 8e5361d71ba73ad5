-- Where figures of tacho history change their level: the first run of the new one, the medians
-- before and after (back to the change before, up to the next one), and by what chance runs
-- without a change would look so.
select f.title as figure, c.nth as run, h.began as began, h.label as label,
	substr(h.commit_hash, 1, 12) as "commit", c.before * f.factor as before,
	c.after * f.factor as after, f.said_unit as unit,
	100 * (c.after / nullif(c.before, 0) - 1) as "change_%",
	case when f.better = '' or c.after = c.before then ''
		when (c.after < c.before) = (f.better = 'less') then 'better' else 'worse' end as
			"way",
	100 * c.p as "chance_%"
from history_change c join history_figure f using (figure) join history h on h.nth = c.nth
order by c.nth, f.ord;
