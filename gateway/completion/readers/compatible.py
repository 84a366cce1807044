"""Words that servers with an OpenAI-like interface add to OpenAI's.

Source: `pydantic-ai` 2.68 (OpenRouter, Z.ai), `huggingface_hub` 2.4.0, `litellm` 1.110.2 (Together), the
servers' own documentation (DeepSeek, vLLM, SGLang, llama.cpp, watsonx, Baidu, AI21), read 2026-11-30.
"""

from __future__ import annotations

from collections.abc import Mapping

from gateway.completion.readers.verdict import GOES_ON

__all__ = [
    "AI21",
    "BAIDU",
    "DEEPSEEK",
    "HUGGING_FACE",
    "LLAMA",
    "OPENROUTER",
    "TOGETHER",
    "VLLM",
    "WATSONX",
    "ZAI",
]

DEEPSEEK: Mapping[str, str] = {
    "insufficient_system_resource": "provider_error",
    "repetition_truncation": "stream_cut",
}

VLLM: Mapping[str, str] = {
    "abort": "cancelled",
    "aborted": "cancelled",
    "error": "provider_error",
    "repetition": "length_truncated",
}

ZAI: Mapping[str, str] = {
    "sensitive": "content_filtered",
    "network_error": "provider_error",
    "model_context_window_exceeded": "context_overflow",
}

HUGGING_FACE: Mapping[str, str] = {
    "eos_token": "completed",
    "stop_sequence": "completed",
    "length": "length_truncated",
}

TOGETHER: Mapping[str, str] = {"eos": "completed", "stop": "completed", "length": "length_truncated"}

OPENROUTER: Mapping[str, str] = {"error": "provider_error"}

LLAMA: Mapping[str, str] = {"eos": "completed", "word": "completed", "limit": "length_truncated"}

WATSONX: Mapping[str, str] = {
    "not_finished": GOES_ON,
    "max_tokens": "length_truncated",
    "token_limit": "length_truncated",
    "eos_token": "completed",
    "cancelled": "cancelled",
    "time_limit": "timeout",
    "error": "provider_error",
}

BAIDU: Mapping[str, str] = {"normal": "completed", "content_filter": "content_filtered"}

AI21: Mapping[str, str] = {"endoftext": "completed"}
