"""What people live through in a conversation, from YAML to what Telegram shows."""
