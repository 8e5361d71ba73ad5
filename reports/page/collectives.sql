-- needs: collective_tables
-- Collectives by kind, operation and size class (powers of two).
select op as "Operation", upper(kind) as "By",
	coalesce(algorithm, '?') as "Algorithm||as reported by NCCL; ?: not reported",
	class as "Size from|bytes|buffers of this size up to twice that",
	case when class is null then 'the trace has no sizes' end as "|why",
	many as "Count|count", bytes as "Moved|bytes|sum of the buffers",
	1.0 * spread / many as "Mean wait|ns|from the first rank's arrival to the last one's",
	1.0 * transfer / many as "Mean transfer|ns|from the last arrival to the end",
	spread as "Wait in all|ns", transfer as "Transfer in all|ns",
	busbw as "Bus bandwidth|rate|while transferring, as defined by nccl-tests",
	best as "best|rate",
	'undefined without a size or a duration' as "*|why"
from collective_class order by spread + transfer desc limit 200;
