-- By how much repetitions of a point differ, of tacho sweep.
select t.label as "Point", p.runs as "Runs|count", p.least_ns as "Shortest|ns",
	p.median_ns as "Median|ns", p.most_ns as "Longest|ns",
	(p.most_ns - p.least_ns) / nullif(p.median_ns, 0)
		as "Spread|percent|longest - shortest, of the median",
	p.least_rate as "Least samples/s|number", 'the program reported no samples' as "|why",
	p.most_rate as "Most samples/s|number", 'the program reported no samples' as "|why"
from sweep_point p join study t on t.run_id = p.run_id where p.runs > 1 order by p.run_id;
