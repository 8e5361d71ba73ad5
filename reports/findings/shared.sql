-- What findings share. Two may promise the same seconds where these are of one phase, or of such as
-- lie in each other, or of whichever, and of one kind, or of a part of it: no more than each has of
-- it. The later one shows it. Others wait for one rank at a time: of two it is not the
-- same.

-- Rules that take off what the others say, or are asked of other time.
create temp table finding_apart(rule text, others text);
insert into finding_apart values
	('rank_alone', 'rank_checkpoints'), ('step_sleep', 'step_sleep'),
	('outside_sleep', 'outside_sleep step_sleep'),
	('step_wait', 'step_wait step_sleep'),
	('slow_rank', 'without_core'), ('without_core', 'without_core'), ('sleep', 'sleep'),
	('input_storage', 'input_starting slow_rank'),
	('input_preparing', 'input_starting slow_rank'),
	('input_small_reads', 'input_starting'), ('input_same_files', 'input_starting'),
	('input_waiting', 'input_storage input_preparing'), ('input_between_steps', 'slow_rank'),
	('serialisation', 'serial_phase slow_rank input_storage input_preparing input_waiting'
		|| ' input_between_steps output_between_steps load_imbalance sleep lock blocked'
		|| ' without_core blocking_checkpoint late_start serial_end'),
	('transfer', 'small_collectives exposed_communication'),
	('host_starves', 'input_storage input_preparing launch_bound'),
	('gpu_start_end', 'mpi_start_end late_start serial_end sleep input_starting');

create temp table finding_same as
select a.rowid as claim, a.n, b.n as other, sum(min(a.seconds, b.seconds,
	coalesce(t.ns / 1e9, a.seconds))) as seconds
from finding_claim a join finding_claim b on b.n < a.n
	left join finding_together t on t.phase = a.phase and t.other = b.phase
where (a.phase is null or b.phase is null or a.phase = b.phase or t.ns > 0)
	and (a.kind = b.kind or 'all' in (a.kind, b.kind) or a.kind like b.kind || '/%'
		or b.kind like a.kind || '/%')
	and (a.who is null or b.who is null or a.who = b.who)
	and not exists (select 1 from finding_apart x
		where x.rule = a.rule and instr(' ' || x.others || ' ', ' ' || b.rule || ' ')
		or x.rule = b.rule and instr(' ' || x.others || ' ', ' ' || a.rule || ' '))
group by a.rowid, b.n;

insert into main.finding_overlap
select r.run_id, n, other, sum(s.most) from finding_run r,
	(select s.n, s.other, min(c.seconds, s.seconds) as most
	from finding_same s join finding_claim c on c.rowid = s.claim) s
group by n, other;

insert into main.finding_time
select r.run_id, c.n, c.phase, c.kind, c.seconds, min(c.seconds, coalesce((
	select sum(seconds) from finding_same s where s.claim = c.rowid), 0))
from finding_claim c, finding_run r;
