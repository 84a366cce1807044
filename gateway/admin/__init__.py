"""What operators ask a gateway: its control socket and the stories of turns."""
