-- needs: step_tables
-- What training steps in PyTorch consist of, mean over the ranks of which it is known; at most
-- about 1000 points, as steps. A part that the trace cannot tell (NULL) is in "other".
with width as (
	select max(1, (max(n) - min(n) + 1000) / 1000) as w from step_of_ranks where parted > 0
)
select min(n) as "Step|count", coalesce(sum(loading), 0) / 1e6 / sum(parted) as "loading|number|ms",
	coalesce(sum(forward), 0) / 1e6 / sum(parted) as "forward|number|ms",
	coalesce(sum(backward), 0) / 1e6 / sum(parted) as "backward|number|ms",
	coalesce(sum(communication), 0) / 1e6 / sum(parted) as "communication|number|ms",
	coalesce(sum(optimizer), 0) / 1e6 / sum(parted) as "optimizer|number|ms",
	coalesce(sum(checkpoint), 0) / 1e6 / sum(parted) as "checkpoint|number|ms",
	sum(other) / 1e6 / sum(parted) as "other|number|ms"
from step_of_ranks, width where parted > 0 group by n / w
having (select max(n) > min(n) from step_of_ranks where parted > 0) order by 1;
