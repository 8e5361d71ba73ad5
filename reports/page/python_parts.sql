-- Parts of training in PyTorch: what ranks' main threads were doing by its functions on their
-- stacks, communication by the calls that are recorded. What is none of these, as imports and how
-- ranks find each other, is left out.
with state(ord, state, meaning) as (values
	(1, 'loading', 'in the data loader: waiting for its workers, or reading itself'),
	(2, 'forward', 'in modules'),
	(3, 'backward', 'in autograd, but for communication'),
	(4, 'optimizer', 'in optimizers'' steps'),
	(5, 'communication', 'in calls of torch.distributed, MPI and NCCL, also within backward '
		|| 'passes'),
	(6, 'checkpoint', 'in torch.save and torch.load')
), spent as (
	select p.rank, s.ord, s.state, s.meaning, sum(l.ns) as ns
	from python_sample l join state s on s.state = l.state
		join process p on p.id = l.process_id join location t on t.id = l.location_id
	where l.run_id = :run and p.rank is not null and t.is_main
		and (l.state <> 'communication' or l.call glob 'torch:*' or l.call glob 'nccl*'
			or l.call glob 'gloo:*' and l.call <> 'gloo:connect'
			or l.call glob 'MPI_*' and l.call not glob 'MPI_Init*')
	group by p.rank, s.ord
), known as (
	select count(distinct rank) as n, sum(ns) as ns from spent
	having sum(case when state not in ('communication', 'checkpoint') then ns end) > 0
)
select s.state as "State", 1.0 * sum(s.ns) / k.ns as "Share|percent|of the time in these parts",
	1.0 * sum(s.ns) / k.n as "Per rank|ns|mean over the ranks",
	case when count(*) < k.n then 0 else min(s.ns) end as "Least|ns|of a rank",
	max(s.ns) as "Most|ns|of a rank", 'rank ' || s.rank as "of", s.meaning as "Meaning"
from spent s join known k group by s.ord order by s.ord;
