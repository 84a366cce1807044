"""The error codes and types of providers, and the class names of their errors, in one spelling.

Sources: type definitions of the SDKs named in `openai`, `anthropic`, `gemini`, `bedrock` and `vendors`;
`google.rpc.ErrorInfo` reasons. The numbers of Zhipu, MiniMax and Baidu were written from knowledge of their
documentation as of 2026-11 and not checked against a live service.
"""

from __future__ import annotations

import re

from gateway.completion.readers import openai
from gateway.completion.readers.access import squash

__all__ = ["STRONG", "WEAK", "baidu", "code_keys", "minimax", "strong", "weak", "zhipu"]

# A strong code decides by itself. A weak one is what a provider also says for more specific faults, so a
# narrow phrase in its message may say more.
_STRONG_WORDS: dict[str, str] = {
    "content_filtered": """
        content_filter content_filtered content_filter_blocked responsible_ai_policy_violation
        content_policy_violation content_policy content_blocked data_inspection_failed data_inspection
        moderation moderation_blocked content_moderation prohibited_content safety_violation guardrail
        guardrail_intervened guardrail_violation prompt_blocked response_blocked input_blocked
        output_blocked blocked_by_policy blocked_by_guardrail sensitive_content censorship_blocked
        input_sensitive output_sensitive unsafe_content policy_violation
        input_guardrail_tripwire_triggered output_guardrail_tripwire_triggered
        guardrail_tripwire_triggered tool_input_guardrail_tripwire_triggered
        tool_output_guardrail_tripwire_triggered content_filter_finish_reason blocked_prompt
        stop_candidate response_validation content_safety cyber_policy_violation cyber_policy
        image_generation_user_error ip_infringement_suspect copyright_violation illegal_content
        invalid_prompt safety_check_failed policy_blocked content_restricted
    """,
    "refused": "model_refusal refusal content_refusal",
    "quota_exhausted": """
        insufficient_quota billing billing_hard_limit_reached billing_not_active billing_disabled
        quota_exceeded quota_exhausted model_quota_exceeded insufficient_balance insufficient_credits
        insufficient_funds insufficient_user_quota pre_consume_token_quota_failed payment_required
        arrearage account_arrears service_quota_exceeded enforced_spend_limit_reached spend_limit_reached
        spending_limit_reached credit_limit_reached budget_limit_exceeded out_of_credits credits_exhausted
        free_tier_only allocation_quota_free_tier_only exceeded_current_quota prepaid_bill_overdue
        postpaid_bill_overdue commodity_not_purchased resource_pack_exhausted
        failed_operation_resource_pack_exhausted out_of_quota usage_limit_reached no_credits
        openrouter_credits daily_limit_exceeded credit_balance_too_low monthly_limit_exceeded lm_billing
    """,
    "context_overflow": """
        context_length_exceeded model_max_prompt_tokens_exceeded exceed_context_size request_too_large
        context_window_exceeded model_context_window_exceeded context_overflow context_window_overflow
        llm_context_length_exceeded string_above_max_length input_too_long prompt_too_long
        max_context_length_exceeded input_tokens_exceeded max_prompt_tokens_exceeded
        context_limit_exceeded token_limit_exceeded tokens_limit_reached payload_too_large
        request_entity_too_large content_too_large invalid_parameter_input_length
    """,
    "length_truncated": """
        max_output_tokens length_finish_reason max_tokens_reached output_token_limit_exceeded
        incomplete_tool_call max_tokens_exceeded output_parse_length
    """,
    "auth_failed": """
        invalid_api_key incorrect_api_key api_key_invalid invalid_authentication authentication_failed
        invalid_x_api_key expired_token invalid_token invalid_client_token_id unrecognized_client
        invalid_signature signature_does_not_match account_deactivated account_suspended
        organization_suspended organization_disabled access_terminated
        unsupported_country_region_territory user_location_not_supported oauth_org_not_allowed
        consumer_suspended service_disabled credentials_missing access_token_expired
        access_token_scope_insufficient access_token_type_unsupported api_key_service_blocked
        api_key_http_referrer_blocked api_key_ip_address_blocked no_credentials no_auth_credentials
        partial_credentials token_refresh credential_retrieval refresh default_credentials auth_failure
        key_inactive api_key_expired api_key_disabled ip_not_authorized invalid_organization
        mismatched_organization not_organization_member key_not_found unpurchased lm_auth missing_api_key
    """,
    "model_not_found": """
        model_not_found deployment_not_found invalid_model unsupported_model model_not_exist
        model_not_exists unknown_model model_not_supported model_does_not_exist model_decommissioned
        model_deprecated model_not_available model_terms_required no_such_model model_access_denied
        unsupported_model_or_region model_does_not_exist_or_no_access model_unavailable_in_region
        key_model_access_denied team_model_access_denied org_model_access_denied
        resource_not_found_model not_found_model repository_not_found gated_repo model_offline
    """,
    "invalid_request": "previous_response_not_found thread_not_found conversation_not_found",
    "rate_limited": """
        requests_limit_exceeded tokens_limit_exceeded too_many_requests_per_minute
        throttling_rate_quota throttling_allocation_quota throttling_burst_rate limit_requests
        limit_burst_rate request_limit_exceeded limit_exceeded_requests upstream_provider_shared_pool
    """,
    "provider_error": """
        overloaded engine_overloaded model_overloaded server_overloaded resource_overloaded
        service_overloaded model_capacity_exhausted capacity_exceeded model_not_ready model_loading
        no_capacity tool_use_failed internal_server server_is_busy server_busy model_stream
        internal_failure bad_gateway incomplete_generation model_behavior flex_capacity_exceeded
        resource_unavailable json_validate_failed failed_generation output_parser adapter_parse
        unexpected_model_behavior slow_down at_capacity queue_exceeded
    """,
    "timeout": """
        timeout deadline_exceeded request_timeout model_timeout gateway_timeout read_timeout
        connect_timeout write_timeout pool_timeout connection_timeout server_timeout api_timeout
        run_timed_out model_request_timeout vector_store_timeout request_timed_out time_out socket_timeout
        sock_timeout llm_timeout lm_timeout etimedout esockettimedout und_err_headers_timeout
        und_err_body_timeout und_err_connect_timeout inference_timeout operation_timeout timed_out
        sse_read_timeout
    """,
    "cancelled": """
        cancelled canceled request_cancelled run_cancelled request_canceled client_closed_request abort
        user_abort api_user_abort user_cancel client_cancelled agent_cancelled task_cancelled
        cancelled_by_user future_cancelled
    """,
    "max_steps": """
        graph_recursion max_turns_exceeded max_turns max_iterations max_steps max_iterations_reached
        agent_max_steps max_steps_exceeded recursion_limit graph_recursion_limit
        usage_limit_exceeded_requests max_agent_steps max_iterations_exceeded max_turn_requests
        model_call_limit_exceeded agent_max_iterations
    """,
    "budget_exhausted": "budget_exceeded budget_exhausted token_budget_exceeded cost_limit_exceeded",
    "tool_error": """
        tool_error tool_execution tool_invocation tool_call_execution tool_failed mcp_tool
        tool_execution_failed tool mcp tool_runtime tool_call
    """,
    "tool_loop_guard": "tool_loop_detected loop_detected too_many_tool_calls",
    "stream_cut": """
        incomplete_read chunked_encoding client_payload incomplete_read_error stream_interrupted
        stream_disconnected stream_cut stream_closed transfer_encoding incomplete_message
        mid_stream_fallback suspended_response_expired
    """,
    "network_error": "new_connection",  # urllib3 derives its error from the one of a connection's timeout
    "suspended": "approval_required call_deferred graph_interrupt node_interrupt input_required",
    "approval_stop": "approval_denied permission_denied_by_user tool_denied",
}

_WEAK_WORDS: dict[str, str] = {
    "rate_limited": """
        rate_limit rate_limited rate_limit_exceeded rate_limit_reached model_rate_limit too_many_requests
        throttling throttled throttle resource_exhausted requests tokens model_throttled lm_rate_limit
        quota_failure provisioned_throughput_exceeded resource_exhaustion concurrency_limit_exceeded
        request_throttled user_rate_limit_exceeded http429 429 quota_exceeded_per_minute
        token_quota_exceeded request_quota_exceeded
    """,
    "auth_failed": """
        authentication unauthorized unauthenticated permission permission_denied access_denied forbidden
        auth not_authorized authorization model_authentication invalid_credentials unauthorised
        missing_authorization model_permission_denied security_token
    """,
    "model_not_found": """
        not_found resource_not_found model_not_found_error entity_not_found 404 gone
    """,
    "invalid_request": """
        invalid_request bad_request invalid_argument validation invalid_parameter unprocessable_entity
        failed_precondition out_of_range unimplemented method_not_allowed model_request_rejected json_rpc
        invalid_params unsupported_params not_implemented unsupported_media_type invalid_input
        http_validation bad_parameter parameter already_exists precondition_failed method_not_found
        invalid_request_body length_required request_rejected model_bad_request
        invalid_function_parameters invalid_tool_schema unsupported_parameter unsupported_value
        missing_required_parameter invalid_value invalid_type integer_above_max_value
        integer_below_min_value decimal_below_min_value decimal_above_max_value unknown_parameter
        array_above_max_length array_below_min_length unsupported_api_version client not_supported
    """,
    "provider_error": """
        model_error
        server service_unavailable unavailable internal unknown_server api internal_service api_status
        generation model_server model_unavailable model_api model_http api_response
        api_connection_upstream conflict upstream provider inference aborted data_loss server_unavailable
        service engine internal_server_error model_provider llm_provider internal_algo
        api_call system unavailable_service service_not_available no_response
        api_response_validation content_type invalid_json
    """,
    "network_error": """
        connection connect api_connection network read write close proxy ssl remote_protocol
        local_protocol protocol client_connector client_connection server_disconnected client_os
        connection_reset connection_refused connection_aborted broken_pipe name_resolution max_retry
        model_connection gai transport socket url econnreset econnrefused enotfound
        eai_again epipe ehostunreach enetunreach und_err_socket endpoint_connection connection_closed
        websocket connection_closed_error http_client ssl_cert_verification client_connector_dns
        client_connector_certificate remote_disconnected bad_status_line not_connected err_network
        closed_resource broken_resource certificate ssl_eof ssl_zero_return end_of_stream cert_has_expired
    """,
}


def _table(words: dict[str, str]) -> dict[str, str]:
    return {_bare(squash(word)): reason for reason, listed in words.items() for word in listed.split()}


_SUFFIX = re.compile(r"(?:exception|error|err)+$")


def _bare(key: str) -> str:
    """Without the endings that class names and types add: `RateLimitError` and `rate_limit_error` are one."""
    return _SUFFIX.sub("", key)


_RESPONSES = {_bare(squash(word)): reason for word, reason in openai.ERRORS.items()}
WEAK = _table(_WEAK_WORDS)
STRONG = {key: reason for key, reason in {**_RESPONSES, **_table(_STRONG_WORDS)}.items() if key not in WEAK}


def code_keys(raw: str) -> tuple[str, ...]:
    """A code in its one spelling: whole, then its last and its first dotted segment."""
    plain = raw.partition(":")[0].rpartition("#")[2]
    segments = [part for part in plain.split(".") if part]
    found = [plain, segments[-1], segments[0]] if segments else []
    return tuple(key for key in map(_bare, map(squash, found)) if key)


def strong(raw: str) -> str | None:
    """What a code says that decides by itself."""
    return _search(STRONG, _STRONG_ENDS, raw)


def weak(raw: str) -> str | None:
    """What a general code says."""
    return _search(WEAK, _WEAK_ENDS, raw)


# What the names of errors nobody has listed end in, such as `StreamIdleTimeoutError`.
_STRONG_ENDS = {
    "timeout": "timeout",
    "timedout": "timeout",
    "quotaexceeded": "quota_exhausted",
    "insufficientquota": "quota_exhausted",
    "contextlengthexceeded": "context_overflow",
    "contextwindowexceeded": "context_overflow",
    "contentfilter": "content_filtered",
    "contentpolicyviolation": "content_filtered",
    "guardrailtripwiretriggered": "content_filtered",
    "modelnotfound": "model_not_found",
    "overloaded": "provider_error",
}
_WEAK_ENDS = {
    "ratelimit": "rate_limited",
    "ratelimitexceeded": "rate_limited",
    "authentication": "auth_failed",
}


def _search(table: dict[str, str], ends: dict[str, str], raw: str) -> str | None:
    keys = code_keys(raw)
    listed = next((table[key] for key in keys if key in table), None)
    if listed or any(key in STRONG or key in WEAK for key in keys):
        return listed
    return next((reason for end, reason in ends.items() for key in keys if key.endswith(end)), None)


_ZHIPU = {
    "auth_failed": (1000, 1001, 1002, 1003, 1004, 1100, 1110, 1111, 1112, 1220),
    "quota_exhausted": (1113, 1304, 1308, 1309, 1310),
    "model_not_found": (1211, 1221, 1222, 1311),
    "invalid_request": (1210, 1212, 1213, 1214, 1215),
    "provider_error": (1120, 1200, 1230, 1231, 1234, 1305, 1312),
    "context_overflow": (1261,),
    "content_filtered": (1300, 1301),
    "rate_limited": (1302, 1303, 1313),
}
_MINIMAX = {
    "provider_error": (1000, 1013, 1024, 1033, 2045),
    "timeout": (1001,),
    "rate_limited": (1002, 1039, 1041),
    "auth_failed": (1004, 2049),
    "quota_exhausted": (1008, 2056),
    "content_filtered": (1026, 1027),
    "invalid_request": (1042, 2013),
}
_BAIDU = {
    "provider_error": (1, 2, 336000, 336100),
    "rate_limited": (4, 18, 336501, 336502),
    "auth_failed": (6, 13, 14, 15, 100, 110, 111),
    "quota_exhausted": (17, 19),
    "invalid_request": (336001, 336002, 336003, 336004, 336005),
    "context_overflow": (336006, 336007, 336103),
    "content_filtered": (336101, 336104),
}


def _numbers(table: dict[str, tuple[int, ...]]) -> dict[int, str]:
    return {number: reason for reason, numbers in table.items() for number in numbers}


_ZHIPU_NUMBERS, _MINIMAX_NUMBERS, _BAIDU_NUMBERS = map(_numbers, (_ZHIPU, _MINIMAX, _BAIDU))


def zhipu(code: int) -> str | None:
    """What a number in Zhipu's `error.code` says."""
    return _ZHIPU_NUMBERS.get(code)


def minimax(code: int) -> str | None:
    """What a number in MiniMax's `base_resp.status_code` says."""
    return _MINIMAX_NUMBERS.get(code)


def baidu(code: int) -> str | None:
    """What a number in Baidu's top-level `error_code` says."""
    return _BAIDU_NUMBERS.get(code)
