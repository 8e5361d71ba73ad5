-- Where figures of tacho history change their level, for its page.
select f.title as "Figure", c.nth as "Run|count|the first one of the new level",
	h.label || coalesce(' ' || substr(h.commit_hash, 1, 12), '') as "Which",
	printf('%.4g', c.before * f.factor) || ' ' || f.said_unit as
		"Before||median back to the change before",
	printf('%.4g', c.after * f.factor) || ' ' || f.said_unit as
		"After||median up to the next change",
	c.after / nullif(c.before, 0) - 1 as "Change|percent",
	c.p as "Chance|percent|of runs without a change to look so"
from history_change c join history_figure f using (figure) join history h on h.nth = c.nth
order by c.nth desc, f.ord;
