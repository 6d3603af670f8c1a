"""What the examples of ``docs/rules.md`` leave open: one small test a rule, named after it."""
