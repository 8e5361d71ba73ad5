-- What a study found, of tacho sweep; of other runs nothing.
select line as "Line", level as "Level", sentence as "Sentence" from sweep_said order by rowid;
