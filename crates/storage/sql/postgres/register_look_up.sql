-- The newest complete copy of the register, with the entry of a taxpayer if there is one.
SELECT copy.as_of, taxpayers.legal_name, taxpayers.status
FROM register_copies copy LEFT JOIN taxpayers ON taxpayers.copy = copy.id AND taxpayers.tax_id = :tax_id
WHERE copy.id = (SELECT id FROM register_copies WHERE is_complete ORDER BY as_of DESC, id DESC LIMIT 1)
