"""How agents of known frameworks are asked, a module for each; none imports its framework at the start."""
