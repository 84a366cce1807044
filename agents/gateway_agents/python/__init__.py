"""Any Python object as an agent: a function, an object with `chat(text)`, or a framework's own agent."""
