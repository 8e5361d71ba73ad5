-- What tacho compare says on the terminal, in its order.
select line as "Line", level as "Level|level", sentence as "Sentence" from said order by rowid;
