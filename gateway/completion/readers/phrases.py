"""The phrases of providers' messages, one a line, over text in lower case with quoted parts as `~`."""

from __future__ import annotations

import re

__all__ = [
    "BUSY",
    "CANCELLED",
    "CLOSED_ACCOUNT",
    "CREDENTIALS",
    "CUT_ANSWER",
    "CUT_STREAM",
    "FILTERED",
    "LATE",
    "LOADING",
    "MODEL",
    "MONEY",
    "NETWORK",
    "OUTPUT_BOUND",
    "RATE",
    "TOO_LONG",
]


def _any(phrases: str) -> re.Pattern[str]:
    """One pattern of all lines; a backslash at the end of a line joins it to the next."""
    lines = re.sub(r"\\\n\s*", "", phrases).strip().splitlines()
    return re.compile("|".join(f"(?:{line.strip()})" for line in lines))


CLOSED_ACCOUNT = _any(r"""
    (?:account|organi[sz]ation|project|api key|key|access)\b[^.]{0,40}\b(?:deactivated|suspended|\
        disabled|banned)
    (?:account|organi[sz]ation|project|api key|key|access)\b[^.]{0,40}\b(?:terminated|revoked|\
        restricted|leaked)
    (?:account|organi[sz]ation|project|api key|key|access)\b[^.]{0,40}\b(?:has expired|is expired)
    (?:location|country|region|territory)\b[^.]{0,40} (?:is |are )?not (?:supported|available|allowed)
    not (?:available|supported) in your (?:country|region|location)
""")

FILTERED = _any(r"""
    content management policy
    content[- ]?(?:filter(?:ing)?|safety|moderation|usage) (?:polic|system|blocked|error|triggered)
    (?:content|safety|usage) policy violation
    (?:blocked|rejected|filtered|stopped|denied|flagged|refused)\b[^.]{0,40}\b(?:content|safety|moderation)
    (?:blocked|rejected|filtered|stopped|denied|flagged|refused)\b[^.]{0,40}\b(?:guardrail|usage polic|policy)
    (?:content|prompt|input|output|response|message|text|image)s? (?:was|were|is|are|got) (?:flagged|blocked)
    (?:content|prompt|input|output|response|message|text|image)s? (?:was|were|is|are|got) (?:filtered|\
        censored)
    (?:content|prompt|input|output|response|request)s? (?:has|have) been (?:flagged|blocked|filtered|\
        moderated)
    violat\w{0,5} (?:\w+ ){0,6}(?:polic(?:y|ies)|guidelines?|terms|safety)
    usage guidelines
    safety system
    content exists risk
    flagged as potentially
    (?:prompt|input|output|response)s? blocked (?:due to|by)
    (?:requires?|failed|by|did not pass) (?:\w+ ){0,3}moderation
    (?:inappropriate|sensitive|unsafe|harmful|prohibited|disallowed) (?:\w+ ){0,2}(?:content|\
        information|words?)
    contains? content that is not (?:allowed|permitted)
    guardrail (?:\w+ ){0,2}(?:intervened|blocked|triggered|violat|tripped)
    safety (?:check|filters?|settings?|guidelines?) (?:failed|blocked|triggered|violat)
    safety_check_type
    敏感|违规|违法|不安全|不当内容|内容安全|涉黄|审核(?:不|未)通过|内容过滤
""")

MONEY = _any(r"""
    (?:insufficient|not enough|no|out of|low on|add|purchase|buy|more)(?: \w+){0,3} (?:credits?|funds|\
        balance)\b
    (?:depleted|exhausted|ran out of|run out of|prepaid|prepayment|remaining)(?: \w+){0,3} (?:credits?|\
        funds)\b
    (?:used (?:up )?all|used up your|exceeded your)(?: \w+){0,3} (?:credits?|funds|balance)\b
    (?:credits?|funds|balance)\b[^.]{0,40} (?:insufficient|exhausted|depleted|too low|used up|run out|\
        not enough)
    credits?\b[^.]{0,40} (?:expired|exceeded)
    exceeded your current (?:\w+ )?quota
    check your (?:plan and billing|account balance)
    billing (?:hard )?limit
    (?:no|missing|invalid|without) (?:\w+ ){0,2}payment method
    payment (?:is )?required
    enable billing|billing account
    billing (?:is |has )?(?:not |been )?(?:active|enabled|disabled|inactive|overdue)
    (?:spend|spending|usage|monthly|budget|weekly) (?:\w+ ){0,2}(?:limit|cap|\
        quota)s? (?:\w+ ){0,3}(?:reached|hit)
    (?:spend|spending|usage|monthly|budget|weekly) (?:\w+ ){0,2}(?:limit|cap|\
        quota)s? (?:\w+ ){0,3}ex(?:ceed|haus)
    (?:reach(?:ed|ing)|exceeded|hit) (?:\w+ ){0,5}(?:spend|spending|usage|monthly) (?:\w+ ){0,2}(?:limit|\
        cap|quota)
    (?:reached|exceeded|hit) (?:\w+ ){0,5}(?:weekly|budget) (?:\w+ ){0,2}(?:limit|cap|quota)
    \bkey limit exceeded|budget has been exceeded
    monthly included|included credits
    (?:quota|allocation|package|free tier|free trial) (?:\w+ ){0,4}(?:exhausted|used up|expired|\
        depleted|run out)
    tokens? (?:\w+ ){0,4}(?:exhausted|used up|depleted|run out)
    (?:per|daily|free)[- _]?(?:models?[- _]per[- _])?day\b[^.]{0,60}(?:credits|quota|upgrade|exceeded|free)
    too many (?:requests|tokens) per day
    daily (?:\w+ ){0,2}(?:limit|quota|allocation)s?\b[^.]{0,40}(?:reached|exceeded|exhausted|used)
    (?:reached|exceeded|used up) (?:\w+ ){0,5}daily (?:\w+ ){0,3}(?:limit|quota|allocation)
    \blimit: 0\b
    in good standing|in arrears|overdue (?:payment|bill|balance)|(?:past|unpaid|overdue) invoices?
    (?:calls|requests|tokens) ?(?:/|per) ?month\b|\bper 86400 ?s
    \btop up\b|\brecharge
    余额不足|欠费|请充值|额度(?:已|不足)|资源包|账户余额|配额已|套餐已
""")

TOO_LONG = _any(r"""
    (?:prompt|input|request|message|conversation|context|query|text)s? (?:\w+ ){0,3}(?:is|are|\
        was) (?:\w+ )?too l\w+
    (?:prompt|input|message|context|text)s? (?:\([^)]{0,60}\) )?(?:is |are )?(?:too (?:long|large)|\
        longer than)
    (?:context|prompt|input|token)s?(?: \w+){0,3} (?:window|length|size|limit)s?\b[^.]{0,60}(?:exceed|\
        overflow)
    (?:context|prompt|input|token)s?(?: \w+){0,3} (?:window|length|size|limit)s?\b[^.]{0,60}too (?:long|\
        large|small)
    (?:context|prompt|input|token)s?(?: \w+){0,3} (?:window|length|size|limit)s?\b[^.]{0,60}(?:is|of) \d
    exceed\w{0,3}\b[^.]{0,60}\b(?:context|input|prompt)(?: \w+){0,3} (?:window|length|size|limit|tokens?|\()
    exceed\w{0,3}\b[^.]{0,60}\bmaximum (?:number of )?(?:input )?tokens?
    exceed\w{0,3}\b[^.]{0,60}\b(?:model|token|context) (?:token )?(?:limit|window|length)
    (?:prompt|input)(?: \w+){0,3} (?:tokens?|token count)\b[^.]{0,60}(?:exceed|(?:greater|larger|\
        more) than|over the)
    (?:prompt|input) exceeds? (?:the )?max(?:imum)? (?:\w+ )?length
    maximum (?:context|prompt|input|sequence|model) (?:length|tokens?|window|size)
    maximum allowed (?:number of )?(?:input )?(?:tokens?|length)
    (?:longer|larger|greater) than (?:the |this )?(?:[\w'’]+ ){0,3}(?:context|maximum (?:prompt|input))
    too many (?:input )?tokens in|too many tokens: size limit
    first \d+ tokens when context
    too (?:long|large) for (?:the |this )?(?:requested |~ )?model
    input length and .{0,3}(?:max_tokens|~).{0,3} exceed
    reduce (?:the |your )?(?:length|size) of (?:the |your )?(?:messages?|prompt|input|request)
    reduce (?:the |your )?(?:prompt|input|message|context)(?: \w+)? (?:length|size)
    must be reduced in order to run
    (?:request (?:entity )?|payload |content )too large
    (?:sum of|total) (?:\w+ ){0,6}tokens\b[^.]{0,40}(?:exceed|greater|more than)
    (?:inputs?|~) tokens? \+ (?:max_new_tokens|~) must be
    (?:inputs?|~) must have (?:less|fewer) than \d+ tokens
    tokens? \(\d+\) exceed|range of input length|too many total text bytes
    current length is \d+ while limit is
    上下文(?:长度)?(?:超|过长)|超过(?:了)?(?:模型)?最大(?:长度|上下文|输入|token)
    (?:输入|提示词?|prompt|token)\w{0,6}(?:过长|超过|超出|超长)
""")

OUTPUT_BOUND = _any(r"""
    max_?(?:completion_|output_|new_)?_?tokens\b[^.]{0,60}(?:cannot|must|should|may not|too large|\
        greater than)
""")

CUT_ANSWER = _any(r"""
    token limit (?:was |has been )?(?:reached|hit)
    (?:maximum|max) (?:number of )?(?:output|completion|response) (?:tokens?|\
        length)(?: limit)? (?:was )?(?:reached|hit)
    output (?:token )?(?:limit|maximum) (?:was |has been )?(?:reached|exceeded|hit)
    response exceeded the (?:\w+ ){0,4}output token
    (?:max_tokens|max_output_tokens|max_completion_tokens) (?:or model output )?(?:limit )?(?:was |\
        has been )?reached
""")

MODEL = _any(r"""
    \bmodel\b(?: (?!not\b)\S+){0,3}? (?:is not|isn't|was not|not|could not be|\
        cannot be) (?:be )?(?:found|available)
    \bmodel\b(?: (?!not\b)\S+){0,3}? (?:is not|isn't|was not|not) (?:currently )?(?:supported|served|\
        valid|accessible)
    \bmodel\b(?: (?!not\b)\S+){0,3}? (?:is not|isn't|was not|not) (?:currently )?(?:recogni[sz]ed|\
        loaded|deployed|known)
    \bmodel\b(?: (?!not\b)\S+){0,3}? (?:does not|doesn't|not) exist
    \bmodel\b(?: (?!not\b)\S+){0,3}? (?:is no longer|has been|is|was) (?:available|supported|deprecated|\
        invalid)
    \bmodel\b(?: (?!not\b)\S+){0,3}? (?:has been|is|was) (?:decommissioned|retired|removed|shut down)
    not a valid model|model identifier is invalid
    (?:unknown|invalid|no such|unsupported|unrecogni[sz]ed|non-?existent) (?:foundation )?model\b
    (?:deployment|engine|endpoint) (?:\S+ ){0,4}(?:does not exist|not found|doesn't exist)
    (?:do not|don't|does not) have access to (?:the |this )?(?:\S+ )?model
    (?:no )?access to (?:the |this )?model (?:\S+ ){0,3}(?:denied|required)|no access to (?:the |this )?model
    no (?:allowed |available )?(?:endpoints?|providers?) (?:are )?(?:available|found)(?: \w+)? (?:for|\
        matching|support)
    try pulling it first
    no model (?:named|with|called)|not found the model
    on-demand throughput isn.t supported
    模型不存在|不存在的模型|模型(?:名称)?(?:错误|未找到|已下线)|无权访问该模型
""")

LOADING = _any(r"""
    loading|overloaded|busy|capacity|temporarily|try again later
""")

CREDENTIALS = _any(r"""
    (?:invalid|incorrect|wrong|expired|missing|revoked|bad|no|unknown) (?:\w+[- ]){0,2}(?:api[- ]?key|\
        x-api-key)
    (?:invalid|incorrect|wrong|expired|missing|revoked|bad|no|malformed) (?:\w+[- ]){0,2}(?:access|\
        bearer|security) token
    (?:invalid|incorrect|wrong|expired|missing|bad|no) (?:\w+[- ]){0,2}(?:credentials?|\
        auth(?:entication|orization)?)\b
    (?:api[- ]?key|access token|api token|bearer token)s? (?:\w+ ){0,5}(?:not valid|invalid|incorrect|\
        expired|missing)
    (?:api[- ]?key|access token|api token|bearer token)s? (?:\w+ ){0,5}(?:required|not found|revoked|\
        not provided)
    (?:security token|credentials?) (?:\w+ ){0,5}(?:not valid|invalid|incorrect|expired|missing|\
        required|not found)
    token (?:is |has )?(?:expired|incorrect|invalid)
    (?:did not|didn't|must) provide (?:an |your |a valid )?api[- ]?key|provide (?:an |\
        a )?(?:valid )?api[- ]?key
    use another api key
    unable to locate credentials|could not (?:resolve|validate|load) (?:\w+ )?(?:credentials|authentication)
    \bunauthori[sz]ed\b|unauthenticated|not authori[sz]ed
    authentication (?:failed|required|error|fails)
    permission denied|access (?:is |was )?denied|does not have (?:the )?(?:required )?permission
    signature (?:\w+ ){0,3}(?:mismatch|does not match|expired)
    鉴权失败|身份验证失败|认证失败|令牌(?:已过期|不正确|无效)|无效的(?:令牌|api|密钥)|密钥(?:无效|错误)
""")

RATE = _any(r"""
    rate[- ]?limit(?:s|ed|ing)?\b|temporarily rate
    too many (?:\w+ ){0,2}(?:requests|tokens|calls|concurrent|connections)
    (?:requests|tokens|queries|calls) per (?:second|minute|min|hour|day)\b
    throttl(?:ed|ing)|slow down
    (?:concurrency|concurrent (?:request|connection)s?|rpm|tpm|qps|itpm|otpm) (?:\w+ ){0,3}(?:limit|\
        exceeded|reached)
    requests? (?:limit|quota) (?:\w+ )?(?:exceeded|reached)|quota exceeded
    resource (?:has been )?exhausted
    请求过于频繁|频率(?:限制|过高)|并发(?:数|限制)|速率限制|限流|请求过多|调用次数
""")

BUSY = _any(r"""
    overloaded|(?:over|at|no) capacity|capacity (?:exceeded|constraints)|high (?:demand|load|traffic)
    (?:server|service) (?:is )?(?:temporarily |currently )?(?:unavailable|busy)|temporarily unavailable
    internal (?:server )?error|bad gateway|unexpected error|something went wrong|server had an error
    (?:error|issue|problem) (?:was )?(?:encountered )?while running the model
    model (?:runner )?has (?:unexpectedly )?(?:stopped|crashed)|model is (?:currently )?(?:busy|warming)
    loading (?:the )?model|model is (?:currently )?loading|provider returned error
    no healthy upstream|upstream (?:error|connect|request)
    cuda error|out of memory
    繁忙|系统错误|内部错误|服务不可用|负载(?:过高|较大)|稍后(?:再|重)试
""")

LATE = _any(r"""
    timed[ -]?out\b
    (?:request|operation|read|connection|connect|inference|call|response|stream) time[- ]?out
    (?:server|model|i/o|io|gateway|upstream|handshake|write|dial|socket) time[- ]?out
    timeout (?:exceeded|expired|reached|while|of \d|after|awaiting)
    deadline (?:was |has been )?exceeded|within the deadline
    超时
""")

CANCELLED = _any(r"""
    context cancell?ed|client closed request|user aborted
    (?:request|operation|run|task|stream) (?:was |has been )?(?:cancell?ed|aborted)\b
""")

CUT_STREAM = _any(r"""
    incomplete ?(?:chunked )?read|without sending complete message body|response ended prematurely
    stream (?:ended|closed|disconnected|terminated|stopped) (?:\w+ ){0,3}(?:before|without|unexpectedly|\
        prematurely)
    stream was interrupted|stream (?:has )?ended (?:\w+ ){0,4}(?:finish|terminal)
    response payload is not completed|connection broken|premature close|invalidchunklength
""")

NETWORK = _any(r"""
    no such host|name or service not known|name resolution|getaddrinfo|nodename nor servname
    dns (?:lookup|resolution)|could not resolve|failed to resolve
    connection (?:was )?(?:reset|refused|aborted|closed|lost|error|failed|attempts failed)
    socket hang up|broken pipe|fetch failed|\beof$|unexpected eof|server disconnected|remote end closed
    server sent goaway|stream error: stream id
    network (?:is )?(?:unreachable|error|down)|no route to host|host (?:is )?unreachable
    \btls:|\bssl\b|x509|certificate (?:verify|has expired|is not)|self[- ]signed certificate
    bad record mac|handshake fail|proxy error|peer closed connection
    cannot connect to host|failed to (?:establish|connect)|all connection attempts failed
    \beconn(?:reset|refused|aborted)\b|\benotfound\b|\beai_again\b|\bepipe\b
""")
