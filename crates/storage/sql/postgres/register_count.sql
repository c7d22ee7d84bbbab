-- Number of entries of a copy.
SELECT count(*) FROM taxpayers WHERE copy = :copy
