-- needs: rate_tables
-- Network rate per node and second.
select name as "Series|block", second as "Second|count", gbps as "Gb/s|number"
from rate_of_nodes where what = 'network' order by name, second;
