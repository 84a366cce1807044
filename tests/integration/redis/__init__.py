"""The store on a real server: faults, kills, several gateways."""
