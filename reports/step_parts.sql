-- Parts of a training step in PyTorch, as they were measured, over all steps that have rows and all
-- ranks: they add up to the steps. A part that the trace cannot tell is in "other".
with part(ord, state, meaning) as (values
	(1, 'loading', 'waiting for the next batch of the data loader, or reading it'),
	(2, 'forward', 'in the model that DistributedDataParallel or FSDP wraps'),
	(3, 'backward', 'in backward passes, but for communication'),
	(4, 'communication', 'in calls that communicate, also within the other parts'),
	(5, 'optimizer', 'in optimizers'' steps'),
	(6, 'checkpoint', 'in torch.save, or a phase of that name'),
	(7, 'other', 'all else: code of the program itself, a loss, what it waits for')
), of_rank as (
	select p.rank, sum(s.stands_for) as steps,
		sum(s.stands_for * (s.end_ns - s.start_ns)) as ns,
		sum(s.stands_for * s.loading_ns) as loading,
		sum(s.stands_for * s.forward_ns) as forward,
		sum(s.stands_for * s.backward_ns) as backward,
		sum(s.stands_for * s.communication_ns) as communication,
		sum(s.stands_for * s.optimizer_ns) as optimizer,
		sum(s.stands_for * s.checkpoint_ns) as checkpoint,
		sum(s.stands_for * s.other_ns) as other
	from step s join process p on p.id = s.process_id
	where s.run_id = :run and p.rank is not null and s.cut = 0 and s.other_ns is not null
	group by p.rank
), spent as (
	select o.rank, o.steps, o.ns as whole, t.*, case t.state when 'loading' then loading
			when 'forward' then forward when 'backward' then backward
			when 'communication' then communication when 'optimizer' then optimizer
			when 'checkpoint' then checkpoint else other end as ns
	from of_rank o join part t
)
select state as "State", 1.0 * sum(ns) / sum(whole) as "Share|percent|of the steps",
	1.0 * sum(ns) / sum(steps) as "Per step|ns|mean over the ranks",
	min(1.0 * ns / steps) as "Least|ns|per step, of a rank",
	max(1.0 * ns / steps) as "Most|ns|per step, of a rank",
	'rank ' || max(rank) filter (where ns * 1.0 / steps = most) as "of", meaning as "Meaning"
from (select *, max(1.0 * ns / steps) over (partition by state) as most from spent)
where ns is not null group by ord having sum(whole) > 0 order by ord;
