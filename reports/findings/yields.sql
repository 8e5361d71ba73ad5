-- No second is promised twice where the step model knows it: the ladder (table cause) has each
-- once.
-- A finding of it yields to one that has most of its seconds and names the cause more closely, but
-- one about a single rank not to one about all, nor the other way round. One that only knows who
-- waits for whom yields to the ladder.
create temp view finding_both as
select a.rowid as claim, a.n, b.n as other, a.account, b.account as other_account,
	(a.who is null) <> (b.who is null) as of_one, b.who as other_who,
	min(a.seconds, b.seconds, coalesce(t.ns / 1e9, a.seconds)) as seconds
from finding_claim a join finding_claim b on b.n <> a.n
	left join finding_together t on t.phase = a.phase and t.other = b.phase
where (a.phase is null or b.phase is null or a.phase = b.phase or t.ns > 0)
	and (a.kind = b.kind or 'all' in (a.kind, b.kind) or a.kind like b.kind || '/%'
		or b.kind like a.kind || '/%')
	and (a.who is null or b.who is null or a.who = b.who)
	and (a.during is null or b.during is null or a.during = b.during);

-- One about a rank that several causes of the ladder make up yields to these. A cause with more
-- time elsewhere is no part of it.
create temp table finding_split as
select n, max(ladder) as other, seconds
from (select f.n, b.n as ladder, sum(b.seconds) as common, f.seconds
	from finding_both b join finding_ranked f on f.n = b.other
		join finding_ranked l on l.n = b.n join noise_constant z
	where b.account = 'ladder' and b.other_account = 'cause' and f.who is not null
		and not b.of_one
	group by f.n, b.n having sum(b.seconds) >= z.most * l.seconds) join noise_constant z
group by n having count(*) > 1 and sum(common) >= z.most * seconds;

create temp table finding_yields as
select b.n, f.account, b.other, b.other_who, max(b.seconds) as most, f.seconds
from (select n, other, max(other_who) as other_who, sum(seconds) as seconds from finding_both
	where account = 'ladder' and other_account = 'cause' and not of_one
			and other not in (select n from finding_split)
		or account = 'waiters' and other_account = 'ladder'
	group by n, other) b
	join finding_ranked f on f.n = b.n join noise_constant z
group by b.n having sum(b.seconds) >= z.most * f.seconds;

insert into finding_yields select n, 'cause', other, null, seconds, seconds from finding_split;

-- What stays about a rank has the ladder's seconds, where these are more. A cause that all ranks
-- have, as loaders that start anew, explains its own part of the ladder's only.
create temp table finding_number as
select f.n, row_number() over (order by f.rule = 'hang' desc, max(f.seconds, coalesce(y.seconds, 0))
		desc, f.n) as now, f.seconds as before,
	max(f.seconds, coalesce(y.seconds, 0)) as seconds
from finding_ranked f left join (select other, max(seconds) as seconds from finding_yields
	where account = 'ladder' and other_who is not null group by other) y on y.other = f.n
where f.n not in (select n from finding_yields);

delete from finding_ranked where n in (select n from finding_yields);
delete from finding_claim where n in (select n from finding_yields);
update finding_claim set (n, seconds) = (select u.now, coalesce(finding_claim.seconds * u.seconds
		/ nullif(u.before, 0), 0) from finding_number u where u.n = finding_claim.n);
update finding_ranked set (n, seconds) = (select u.now, u.seconds from finding_number u
	where u.n = finding_ranked.n);
