-- A rank whose memory grows with each step, as the finding says. It saves no time, so no list by
-- seconds has it.
select substr(message, coalesce(length(term) + 3, 1)) as "Sentence", advice as "Advice"
from finding where run_id = :run and rule = 'memory_growth';
