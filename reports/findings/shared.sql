-- What findings share. Two may promise the same seconds where these are of one phase, or of such as
-- lie in each other, or of whichever, and of one kind, or of a part of it: no more than each has of
-- it. The later one shows it. Others wait for one rank at a time: of two it is not the
-- same. Findings of the ladder share nothing, as it has each second once, and what is left of
-- others (account rest) shares nothing with them; nor do rules that take off what others say, or
-- are asked of other time (apart).

create temp table finding_same as
select claim, n, other, sum(seconds) as seconds from finding_both
where other < n and 'rest' not in (account, other_account)
	and not (account = 'ladder' and other_account = 'ladder')
	and not exists (select 1 from rule_key x join finding_ranked a on a.n = finding_both.n
			join finding_ranked b on b.n = finding_both.other
		where x.key = 'apart' and (x.rule = a.rule and x.variant in ('', a.variant)
				and x.value in (b.rule, b.rule || '/' || b.variant)
			or x.rule = b.rule and x.variant in ('', b.variant)
				and x.value in (a.rule, a.rule || '/' || a.variant)))
group by claim, other;

insert into main.finding_overlap
select r.run_id, n, other, sum(s.most) from finding_run r,
	(select s.n, s.other, min(c.seconds, s.seconds) as most
	from finding_same s join finding_claim c on c.rowid = s.claim) s
group by n, other;

insert into main.finding_time
select r.run_id, c.n, c.phase, c.kind, c.seconds, min(c.seconds, coalesce((
	select sum(seconds) from finding_same s where s.claim = c.rowid), 0))
from finding_claim c, finding_run r;

-- The run has no more seconds than these: what all promise beyond is in those before.
create temp table finding_beyond as
select at, n, min(left, max(0, total - whole)) as seconds from (
	select t.rowid as at, t.n, t.seconds - t.shared as left, r.whole,
		sum(t.seconds - t.shared) over (order by t.n, t.rowid) as total
	from main.finding_time t join finding_run r on r.run_id = t.run_id)
where total > whole and n > 1;

update main.finding_time as t set shared = shared
	+ (select seconds from finding_beyond where at = t.rowid)
where rowid in (select at from finding_beyond);

insert into main.finding_overlap
select r.run_id, b.n, 1, sum(b.seconds) from finding_beyond b, finding_run r where true
group by b.n
on conflict do update set seconds = seconds + excluded.seconds;
