"""Phrases in the message of a provider, read last: narrow, never over what a person or a file contributed."""

from __future__ import annotations

import re

__all__ = ["said", "spoken", "transport"]

_LONGEST = 4_000
_QUOTED = re.compile(
    r'"[^"\n]{0,400}"|`[^`\n]{0,400}`|“[^”\n]{0,400}”|«[^»\n]{0,400}»|(?<!\w)\'[^\'\n]{0,400}\'(?!\w)'
)
_NAMES = re.compile(
    r"https?://\S{1,400}|(?:[\w.-]{2,64}/)+[\w.-]{2,64}|(?<!\w)(?:/[\w.-]{1,64}){2,}|"
    r"\b[\w-]{1,64}\.(?!\s)[A-Za-z]\w{0,4}\b"
)
_SPACE = re.compile(r"\s+")


def spoken(message: str) -> str:
    """What the provider itself says: lower case, without quoted parts, addresses, paths and file names."""
    plain = _QUOTED.sub(" ~ ", message[:_LONGEST])
    return _SPACE.sub(" ", _NAMES.sub(" ~ ", plain)).lower()


def _any(*phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{phrase})" for phrase in phrases))


_CLOSED = _any(
    r"(?:account|organi[sz]ation|project|api key|key|access)\b[^.]{0,40}\b(?:deactivated|suspended|"
    r"disabled|banned|"
    r"terminated|revoked|has expired|is expired|restricted)",
    r"(?:location|country|region|territory)\b[^.]{0,40} (?:is |are )?not (?:supported|available|allowed)",
    r"not (?:available|supported) in your (?:country|region|location)",
)
_FILTERED = _any(
    r"content management policy",
    r"content[- ]?(?:filter(?:ing)?|safety|moderation|usage) (?:polic|system|blocked|error|triggered)",
    r"(?:blocked|rejected|filtered|stopped|denied|flagged|refused|prohibited)\b[^.]{0,40}\b(?:content|"
    r"safety|moderation|guardrail|usage polic|responsible ai|policy)",
    r"(?:content|prompt|input|output|response|request|message|text|image)s? (?:was|were|has been|have "
    r"been|is|are|got) (?:been )?(?:flagged|blocked|filtered|censored|moderated)",
    r"violat\w{0,5} (?:\w+ ){0,6}(?:polic(?:y|ies)|guidelines?|terms|safety)",
    r"usage guidelines|safety system|content exists risk|flagged as potentially|flagged by (?:\w+ "
    r"){0,3}moderation",
    r"(?:requires?|failed|by|did not pass) (?:\w+ ){0,3}moderation",
    r"(?:inappropriate|sensitive|unsafe|harmful|prohibited|disallowed|illegal) (?:\w+ ){0,2}(?:content|"
    r"information|words?|material|text)",
    r"guardrail (?:\w+ ){0,2}(?:intervened|blocked|triggered|violat|tripped)",
    r"safety (?:check|filters?|settings?|guidelines?) (?:failed|blocked|triggered|violat)|safety_check_type",
    r"敏感|违规|违法|"
    r"不安全|不当内容|内容安全|涉黄|审核(?:不|未)通过|内容过滤",
)
_QUOTA = _any(
    r"credit balance is too low|(?:insufficient|not enough|no|out of|depleted|exhausted|ran out of|run "
    r"out of|low on|add|purchase|buy|"
    r"more|prepaid|prepayment|remaining|available|used (?:up )?all|used up your|exceeded your)(?: "
    r"\w+){0,3} (?:credits?|funds|balance)\b",
    r"(?:credits?|funds|balance)\b[^.]{0,40} (?:insufficient|exhausted|depleted|too low|used up|run out|"
    r"not enough|expired|exceeded)",
    r"exceeded your current quota|check your plan and billing|billing (?:hard )?limit|(?:no|missing|"
    r"invalid|without) (?:\w+ ){0,2}payment method",
    r"payment (?:is )?required|enable billing|billing (?:is |has )?(?:not |been )?(?:active|enabled|"
    r"disabled|inactive|overdue)|billing account",
    r"(?:spend|spending|usage|monthly|budget|weekly)(?:ing)? (?:\w+ ){0,2}(?:limit|cap|quota)s? (?:\w+ "
    r"){0,3}(?:reached|exceeded|exhausted|hit)|"
    r"(?:reached|exceeded|hit) (?:\w+ ){0,5}(?:spend|spending|usage|monthly|weekly|budget)(?:ing)? (?:\w+ "
    r"){0,2}(?:limit|cap|quota)s?",
    r"monthly included|included credits|(?:quota|allocation|package|free tier|free trial|free allocated "
    r"quota|tokens?) (?:\w+ ){0,4}(?:exhausted|used up|expired|depleted|run out)",
    r"(?:per|daily|free)[- _]?(?:model[s]?[- _]per[- _])?day\b[^.]{0,60}(?:credits|quota|upgrade|exceeded|"
    r"free)",
    r"daily (?:\w+ ){0,2}(?:limit|quota|allocation)s?\b[^.]{0,40}(?:reached|exceeded|exhausted|used)|"
    r"(?:reached|exceeded|used up) (?:\w+ ){0,5}daily (?:\w+ ){0,3}(?:limit|quota|allocation)",
    r"\blimit: 0\b|in good standing|in arrears|overdue (?:payment|bill|balance)|top up|recharge",
    r"余额不足|欠费|请充值|额度(?:已|不足)|资源包|账户余额|配额已|套餐已",
)
_OVERFLOW = _any(
    r"(?:prompt|input|request|message|conversation|context|query|text|payload)s? (?:\w+ ){0,3}(?:is|are|"
    r"was|were) (?:\w+ ){0,2}(?:too long|too large|longer than)",
    r"(?:context|prompt|input|token)s?(?: \w+){0,3} (?:window|length|size|limit)s?\b[^.]{0,60}(?:exceed|"
    r"overflow|too (?:long|large|small)|is \d|of \d|surpass)",
    r"exceed\w{0,3}\b[^.]{0,60}\b(?:context|input|prompt|maximum (?:number of )?(?:input )?tokens?)\b(?: "
    r"\w+){0,3} ?(?:window|length|size|limit|tokens?|allowed|~|\()",
    r"(?:prompt|input)(?: \w+){0,3} (?:tokens?|token count)\b[^.]{0,60}(?:exceed|greater than|larger than|"
    r"more than|over the)",
    r"maximum (?:context|prompt|input|sequence|model) (?:length|tokens?|window|size)|maximum allowed "
    r"(?:number of )?(?:input )?(?:tokens?|length)",
    r"(?:longer|larger|greater) than (?:the |this )?(?:[\w'’]+ ){0,3}(?:context|maximum (?:prompt|input|"
    r"context))",
    r"too many (?:input )?tokens in|(?:too long|too large) for (?:the |this )?(?:requested |~ )?model|"
    r"input length and .{0,3}max_tokens.{0,3} exceed|"
    r"reduce (?:the |your )?(?:length|size) of (?:the |your )?(?:messages?|prompt|input|request)|reduce "
    r"(?:the |your )?(?:prompt|input|message|context)(?: \w+)? (?:length|size)|reduce your message size",
    r"must be reduced in order to run|request (?:entity )?too large|payload too large|content too large|"
    r"(?:sum of|total) (?:\w+ ){0,4}tokens\b[^.]{0,40}(?:exceed|greater|more than)|"
    r"(?:inputs?|~) tokens? \+ (?:max_new_tokens|~) must be|tokens? \(\d+\) exceed|range of input length|"
    r"too many total "
    r"text bytes",
    r"上下文(?:长度)?(?:超|过长)|(?:输入|提示词?|prompt|token)\w{0,6}(?:过长|超过|超出|超长)|超过(?:了)?(?:模型)?最大(?:长度|上下文|输入|token)",
)
_INPUT_OK = _any(
    r"max_?(?:completion_|output_|new_)?_?tokens\b[^.]{0,60}(?:cannot|must|should|may not|is too large|"
    r"too large|greater than)"
)
_CUT = _any(
    r"(?:output |completion |generation )?token limit (?:was |has been )?(?:reached|hit)",
    r"(?:maximum|max) (?:number of )?(?:output|completion|response) (?:tokens?|length)(?: limit)? (?:was |"
    r"has been )?(?:reached|exceeded|hit)",
    r"output (?:token )?(?:limit|maximum) (?:was |has been )?(?:reached|exceeded|hit)|response exceeded "
    r"the (?:\w+ ){0,4}output token",
    r"(?:max_tokens|max_output_tokens|max_completion_tokens)(?: or model output limit)? (?:limit )?(?:was "
    r"|has been )?(?:reached|hit)|could not finish the message because max_tokens",
)
_MODEL = _any(
    r"\bmodel\b(?: id| name| identifier)?(?: (?!not\b)\S+){0,3}? (?:is not|isn't|was not|not|does not|"
    r"doesn't|could not be|cannot be|is no longer|has been|is) "
    r"(?:currently )?(?:be )?(?:found|exist|available|supported|served|valid|recogni[sz]ed|deprecated|"
    r"decommissioned|retired|loaded|deployed|invalid|a valid model|accessible|known|permitted)",
    r"not a valid model|(?:unknown|invalid|no such|unsupported|unrecogni[sz]ed|non-?existent) "
    r"(?:foundation )?model\b|model identifier is invalid|"
    r"(?:deployment|engine|endpoint) (?:\S+ ){0,4}(?:does not exist|not found|doesn't exist)",
    r"(?:do not|don't|does not) have access to (?:the |this )?(?:\S+ )?model|no access to (?:the |this "
    r")?model|access to (?:the |this )?model (?:\S+ ){0,3}(?:denied|required)|"
    r"no (?:allowed |available )?(?:endpoints?|providers?) (?:are )?(?:available |found )(?:\w+ )?(?:for|"
    r"matching|supporting)|try pulling it first|model (?:\S+ )?(?:was )?not found|no model (?:named|with|"
    r"called)",
    r"on-demand throughput isn.t supported|模型不存在|不存在的模型|"
    r"模型(?:名称)?(?:错误|未找到|已下线)|无权访问该模型",
)
_AUTH = _any(
    r"(?:invalid|incorrect|wrong|expired|missing|revoked|bad|malformed|no|unknown) (?:\w+[- "
    r"]){0,2}(?:api[- ]?key|access[- ]token|auth(?:entication|orization)?(?: token| header| "
    r"credentials?)?\b|credentials?|bearer token|security token|token provided|x-api-key)",
    r"(?:api[- ]?key|access token|credentials?|security token|bearer token|api token)s? (?:\w+ "
    r"){0,5}(?:not valid|invalid|incorrect|expired|missing|required|not found|revoked|is wrong|not "
    r"provided|unable to|could not be)",
    r"(?:did not|didn't|must) provide (?:an |your |a valid )?api[- ]?key|provide (?:an |a )?(?:valid "
    r")?api[- ]?key|unable to locate credentials|could not (?:resolve|validate|load) (?:\w+ "
    r")?(?:credentials|authentication)",
    r"\bunauthori[sz]ed\b|unauthenticated|authentication (?:failed|required|error|fails)|not "
    r"authori[sz]ed|permission denied|access (?:is |was )?denied|does not have (?:the )?(?:required "
    r")?permission",
    r"signature (?:\w+ ){0,3}(?:mismatch|does not match|expired)|"
    r"鉴权失败|身份验证失败|认证失败|令牌(?:已过期|不正确|无效)|"
    r"无效的(?:令牌|api|密钥)|密钥(?:无效|错误)",
)
_RATE = _any(
    r"rate[- ]?limit(?:s|ed|ing)?\b|too many (?:\w+ ){0,2}(?:requests|tokens|calls|concurrent|"
    r"connections)|(?:requests|tokens|queries|calls) per (?:second|minute|min|hour|day)\b|throttl(?:ed|ing)",
    r"slow down|(?:concurrency|concurrent (?:request|connection)s?|rpm|tpm|qps|itpm|otpm) (?:\w+ "
    r"){0,3}(?:limit|exceeded|reached)|request(?:s)? (?:limit|quota) (?:\w+ )?(?:exceeded|reached)|"
    r"resource (?:has been )?exhausted|temporarily rate",
    r"quota exceeded|"
    r"请求过于频繁|频率(?:限制|过高)|并发(?:数|限制)|速率限制|限流|请求过多|调用次数",
)
_BUSY = _any(
    r"overloaded|over capacity|at capacity|no capacity|capacity (?:exceeded|constraints)|high (?:demand|"
    r"load|traffic)|server (?:is )?(?:currently )?busy|service (?:is )?(?:temporarily |currently "
    r")?(?:unavailable|busy)",
    r"temporarily unavailable|internal (?:server )?error|bad gateway|(?:error|issue|problem) (?:was "
    r")?(?:encountered )?while running the model|model (?:runner )?has (?:unexpectedly )?(?:stopped|"
    r"crashed)|loading model|model is (?:currently )?(?:loading|busy|warming)|unexpected error|something "
    r"went wrong",
    r"no healthy upstream|upstream (?:error|connect|request)|provider returned error|server had an error|"
    r"cuda (?:error|out of memory)|out of memory|"
    r"繁忙|系统错误|内部错误|服务不可用|负载(?:过高|较大)|稍后(?:再|重)试",
)
_TIMEOUT = _any(
    r"(?:request|operation|read|connection|connect|inference|generation|call|response|stream|server|model|"
    r"i/o|io|gateway|handshake|context|write|dial|socket)(?: has| was| is)?[ -]?tim(?:ed|e)[- ]?(?:d)?[- "
    r"]?out\b",
    r"deadline (?:was |has been )?exceeded|within the deadline|timed out|timeout (?:exceeded|expired|"
    r"reached|while|of \d|after|awaiting)|超时",
)
_CANCELLED = _any(
    r"context cancell?ed|(?:request|operation|run|task|stream) (?:was |has been )?(?:cancell?ed|"
    r"aborted)(?: by (?:the )?(?:user|client|caller))?\b|client closed request|user aborted"
)
_CUT_STREAM = _any(
    r"incomplete ?(?:chunked )?read|without sending complete message body|stream (?:ended|closed|"
    r"disconnected|was interrupted|terminated|stopped) (?:\w+ ){0,3}(?:before|without|unexpectedly|"
    r"prematurely)|"
    r"response ended prematurely|response payload is not completed|connection broken|premature close|"
    r"invalidchunklength|stream (?:has )?ended (?:\w+ ){0,4}(?:finish|terminal)",
)
_NETWORK = _any(
    r"no such host|name or service not known|name resolution|getaddrinfo|nodename nor servname|dns "
    r"(?:lookup|resolution)|could not resolve|failed to resolve|socket hang up|"
    r"connection (?:was )?(?:reset|refused|aborted|closed|lost|error|failed|attempts failed)|broken pipe|"
    r"network (?:is )?(?:unreachable|error|down)|no route to host|host (?:is )?unreachable",
    r"unexpected eof|\btls:|\bssl\b|x509|certificate (?:verify|has expired|is not)|self[- ]signed "
    r"certificate|bad record mac|handshake fail|server disconnected|remote end closed|"
    r"cannot connect to host|failed to (?:establish|connect)|all connection attempts failed|fetch failed|"
    r"\beconn(?:reset|refused|aborted)\b|\benotfound\b|\beai_again\b|\bepipe\b|proxy error|peer closed "
    r"connection",
)

_LIMITS = re.compile(r"limit:? (\d{1,12})\b[^.]{0,60}?requested:? (\d{1,12})\b")


def said(message: str, status: int | None) -> str | None:
    """What the message of a provider's error says beyond its codes; `None` when nothing narrow enough.

    Args:
        message: The message as it came.
        status: The HTTP status, when there is one; some phrases count only with some.
    """
    told = spoken(message)
    return _account(told, status) or _request(told, status) or _access(told, status) or _service(told, status)


def _account(told: str, status: int | None) -> str | None:
    if _CLOSED.search(told) and status not in _FULL:
        return "auth_failed"
    if _too_much_at_once(told):
        return "context_overflow"
    if _FILTERED.search(told):
        return "content_filtered"
    return "quota_exhausted" if _QUOTA.search(told) else None


def _too_much_at_once(told: str) -> bool:
    """One request above the whole allowance of a minute can never pass."""
    numbers = _LIMITS.search(told)
    return bool(numbers) and int(numbers[2]) > int(numbers[1]) if numbers else False


def _request(told: str, status: int | None) -> str | None:
    if _CUT.search(told):
        return "length_truncated"
    if _INPUT_OK.search(told) and not re.search(r"input length|maximum context|prompt", told):
        return "invalid_request"
    if status not in {401, 403} and _OVERFLOW.search(told) and not _THROTTLED.search(told):
        return "context_overflow"
    return (
        "model_not_found"
        if status not in _FULL and _MODEL.search(told) and not _LOADING.search(told)
        else None
    )


_FULL = frozenset({429, 503, 529})
_THROTTLED = re.compile(
    r"too many tokens, please wait|tokens per (?:minute|min|day)\b(?!.*(?:reduce|too large))"
)
_LOADING = re.compile(r"(?:loading|overloaded|busy|capacity|temporarily|try again later)")


def _access(told: str, status: int | None) -> str | None:
    if status in {None, 200, 400, 401, 403, 404, 422, 500} and _AUTH.search(told):
        return "auth_failed"
    if status in {None, 200, 400, 403, 422, 429, 500} and _RATE.search(told):
        return "rate_limited"
    return None


def _service(told: str, status: int | None) -> str | None:
    if status in {None, 200, 408, 500, 502, 503, 504} and _TIMEOUT.search(told):
        return "timeout"
    if status in {None, 200, 400, 499, 500} and _CANCELLED.search(told):
        return "cancelled"
    if status in {None, 200, 400, 500} and _BUSY.search(told):
        return "provider_error"
    return None


def transport(message: str) -> str | None:
    """What the message of a failed connection says; for errors that never got an answer."""
    told = spoken(message)
    for reason, phrases in (
        ("cancelled", _CANCELLED),
        ("timeout", _TIMEOUT),
        ("stream_cut", _CUT_STREAM),
        ("network_error", _NETWORK),
    ):
        if phrases.search(told):
            return reason
    return None
