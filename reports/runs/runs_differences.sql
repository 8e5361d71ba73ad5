-- For tables of what runs do not have in common: the temporary tables `setting`, a row per run, key
-- and value of its environment and kind of devices, and `difference`. Numbers of jobs, processes,
-- ports and times differ always and are left out, as are those that only give the size; a value
-- that several scopes of a run have counts once.
create temp table setting as
select distinct run_id, key, value from environment
where key not in ('TACHO::START_NS', 'TACHO::LABEL', 'TACHO::CALL_COST_NS', 'boot_id',
		'call_cost_ns', 'call_cost_spread_ns', 'sampler_ns', 'gpu_overhead_ns',
		'memory_bytes', 'cwd', 'command', 'affinity')
	and key not like '%RANK%' and key not like '%JOB%' and key not like '%PMIX%'
	and key not like '%PMI_%' and key not like '%TMPDIR%'
	and key not like '%session_dir%' and key not like '%_uri'
	and key not like '%\_ess\_%' escape '\' and key not like '%precondition_transports'
	and key not like '%OMPI_MCA_orte%' and key not like '%TACHO_DIR%'
	and key not like '%STEP_ID%' and key not like '%_PID%' and key <> 'var.MASTER_PORT'
	and key not like '%WORLD_SIZE' and key not like '%LOCAL_SIZE'
	and key not like '%UNIVERSE_SIZE' and key not like 'SLURM%TASKS%'
	and key not like 'SLURM%NPROCS' and key not like 'SLURM%NODE%'
	and key not like 'SLURM%CPUS%' and key not like 'OMPI%_num_%'
union
select run_id, 'devices', name from device;

create temp table difference as
with sets as (
	select run_id, key, group_concat(value, char(10)) as all_values
	from (select * from setting order by run_id, key, value) group by run_id, key
), differing as (
	select key from sets group by key having count(distinct all_values) > 1
		or count(*) < (select count(*) from run)
)
select t.key, t.value, case when count(*) > 8 then count(*) || ' runs'
		else group_concat(s.label, ', ') end as runs,
	row_number() over (order by t.key not like 'TACHO::COMMAND', t.key <> 'devices',
			t.key like 'var.%', t.key, min(t.run_id)) as nth
from setting t join differing d on d.key = t.key join study s on s.run_id = t.run_id
group by t.key, t.value;
