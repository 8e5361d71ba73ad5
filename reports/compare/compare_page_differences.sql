-- Sizes, batch, command and environment that differ.
select what as "What", base as "Base|path", new as "New|path" from compared_differences;
