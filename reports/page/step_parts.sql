-- Parts of a training step in PyTorch, as they were measured, over all steps that have rows and all
-- ranks: they add up to the steps. Where no wrapper tells of forward passes, these are as much of
-- the rest as main threads were seen in modules; a part that the trace cannot tell is in "other".
with part(ord, state, meaning) as (values
	(1, 'loading', 'waiting for the next batch of the data loader, or reading it'),
	(2, 'forward', 'in the model that DistributedDataParallel or FSDP wraps; sampled: in '
		|| 'modules, as 50 times a second on the stacks of Python'),
	(3, 'backward', 'in backward passes, but for communication'),
	(4, 'communication', 'in calls that communicate, also within the other parts'),
	(5, 'optimizer', 'in optimizers'' steps'),
	(6, 'checkpoint', 'in torch.save, or a phase of that name'),
	(7, 'other', 'all else: code of the program itself, a loss, what it waits for')
), seen as (
	select l.process_id, sum(l.ns) as ns from python_sample l
		join location t on t.id = l.location_id
	where l.run_id = :run and l.state = 'forward' and t.is_main group by l.process_id
), measured as (
	select p.rank, sum(s.stands_for) as steps,
		sum(s.stands_for * (s.end_ns - s.start_ns)) as ns,
		sum(s.stands_for * s.loading_ns) as loading,
		sum(s.stands_for * s.forward_ns) as forward,
		sum(s.stands_for * s.backward_ns) as backward,
		sum(s.stands_for * s.communication_ns) as communication,
		sum(s.stands_for * s.optimizer_ns) as optimizer,
		sum(s.stands_for * s.checkpoint_ns) as checkpoint,
		sum(s.stands_for * s.other_ns) as other, max(v.ns) as seen
	from step s join process p on p.id = s.process_id
		left join seen v on v.process_id = p.id
	where s.run_id = :run and p.rank is not null and s.cut = 0 and s.other_ns is not null
	group by p.rank
), of_rank as (
	select rank, steps, ns, loading, coalesce(forward, min(other, seen)) as forward, backward,
		communication, optimizer, checkpoint, other - case when forward is null
			then coalesce(min(other, seen), 0) else 0 end as other,
		forward is null and seen > 0 as sampled
	from measured
), spent as (
	select o.rank, o.steps, o.sampled, o.ns as whole, t.*, case t.state
			when 'loading' then loading when 'forward' then forward
			when 'backward' then backward when 'communication' then communication
			when 'optimizer' then optimizer when 'checkpoint' then checkpoint
			else other end as ns
	from of_rank o join part t
)
select state || case when state = 'forward' and max(sampled) then ' (sampled)'
	else '' end as "State", 1.0 * sum(ns) / sum(whole) as "Share|percent|of the steps",
	1.0 * sum(ns) / sum(steps) as "Per step|ns|mean over the ranks",
	min(1.0 * ns / steps) as "Least|ns|per step, of a rank",
	max(1.0 * ns / steps) as "Most|ns|per step, of a rank",
	'rank ' || max(rank) filter (where ns * 1.0 / steps = most) as "of", meaning as "Meaning"
from (select *, max(1.0 * ns / steps) over (partition by state) as most from spent)
group by ord having sum(whole) > 0 and count(ns) > 0 order by ord;
