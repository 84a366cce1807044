-- uses: write once facts
-- Write a fact. Takes: the fact.
take_fact()
return done('ok')
