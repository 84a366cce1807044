-- uses: facts
-- A fact that is still kept. Takes: key.
return fact(take())
