-- Data-loader workers that are processes of their own and are started anew for each epoch: until
-- their first sample they import what they need, and the ranks wait. Kept from epoch to epoch they
-- start once. It is no more than any rank waited, for whatever: PyTorch's loader looks every 5 s
-- whether its workers are alive, and of waits that long only the last one is ended by a reader.
select min(s.again + s.ended, w.ns) / 1e9 as seconds, s.times, s.ns / 1e9 / s.times as each,
	nullif(s.ended, 0) / 1e9 / (s.times - 1) as ended,
	100 * min(s.ns + s.ended, w.ns) / 1e9 / r.seconds_all as percent
from finding_starting s, finding_waits w, finding_run r where s.times > 1;
