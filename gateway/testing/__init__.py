"""Contract suites and fakes, shipped for those who write adapters, agents and stores."""
