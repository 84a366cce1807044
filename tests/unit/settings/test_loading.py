"""A file becomes settings, or a list of everything that is wrong with it."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gateway.errors import ConfigError
from gateway.observability import redact
from gateway.settings import from_environment, load
from tests.unit.settings.options import GOOD, loaded, options_of, problems


def test_file_with_the_least_gets_every_default(tmp_path: Path) -> None:
    made = loaded(tmp_path, GOOD)

    bot, agent = made.bots["support"], made.agents["helper"]
    assert (bot.platform, bot.agent, agent.kind) == ("telegram", "helper", "scripted")
    assert bot.surface_completion_reason is False
    assert bot.never_silent is True
    assert (bot.access.dm, bot.access.groups, bot.session.history) == ("pairing", "mention", 100)
    assert (agent.timeout, agent.idle_timeout) == (300.0, 120.0)
    assert (made.store, made.server.host, made.server.port) == ("sqlite:lastword.db", "127.0.0.1", 8080)
    assert made.folder == tmp_path


def test_web_chat_is_open_unless_it_is_told_otherwise(tmp_path: Path) -> None:
    made = loaded(
        tmp_path,
        "version: 1\nagents: {a: {directives: true}}\nbots:\n"
        "  page: {platform: local, agent: a, access: {groups: 'off'}}\n"
        "  closed: {platform: local, agent: a, access: {dm: allowlist}}\n",
    )

    assert made.bots["page"].access.dm == "open"
    assert made.bots["page"].access.groups == "off"
    assert made.bots["closed"].access.dm == "allowlist"


def test_defaults_merge_into_each_bot_maps_by_key_lists_whole(tmp_path: Path) -> None:
    made = loaded(
        tmp_path,
        "version: 1\n"
        "defaults: {proxy: 'http://p', title: T, access: {groups: all, admins: [1, 2]}, agent: a}\n"
        "agents: {a: {directives: true}}\n"
        "bots:\n"
        "  one: {platform: telegram, token: t, access: {admins: [3]}}\n"
        "  two: {platform: local}\n",
    )

    one, two = made.bots["one"], made.bots["two"]
    assert one.access.groups == two.access.groups == "all"
    assert one.access.admins == ("3",)
    assert two.access.admins == ("1", "2")
    assert one.options.proxy == "http://p"
    assert two.options.title == "T"


def test_default_that_no_bot_reads_is_unknown(tmp_path: Path) -> None:
    assert problems(tmp_path, f"{GOOD}defaults: {{titel: x, proxi: y}}\n") == [
        "bots.yaml:9:12: defaults.titel: unknown key; `lastword schema` has them all",
        "bots.yaml:9:22: defaults.proxi: unknown key; did you mean 'proxy'?",
    ]


def test_problem_of_a_default_is_told_once(tmp_path: Path) -> None:
    told = problems(
        tmp_path,
        "version: 1\ndefaults: {streaming: atuo}\nagents: {a: {directives: true}}\n"
        "bots:\n  one: {platform: local, agent: a}\n  two: {platform: local, agent: a}\n",
    )

    assert told == [
        "bots.yaml:2:23: bots.one.streaming: should be one of auto, off; did you mean 'auto'?",
    ]


def test_every_problem_of_a_file_is_told_at_once_with_its_place(tmp_path: Path) -> None:
    told = problems(
        tmp_path,
        """\
version: 2
servre: {port: 1}
server: {prot: 1, port: 99999}
public_url: bots.example
store: redis:x
agents:
  a: {script: [{when: x, wiat: 1}, {wait: soon}]}
  b: {model: x, idle_timeout: 5x, timeout: 90}
  c: {}
  d: 7
  e: {model: 'p:m', script: []}
bots:
  one: {platform: telegram, agent: aa, pages: 0, receive: pol, language: german}
  two: {platform: telegrm, agent: [a]}
  three: {agent: a}
  four/4: {platform: local, agent: a}
  five: {platform: local}
  six: [a]
""",
    )

    assert told == [
        "bots.yaml:1:10: version: should be 1",
        "bots.yaml:2:1: servre: unknown key; did you mean 'server'?",
        "bots.yaml:3:10: server.prot: unknown key; did you mean 'port'?",
        "bots.yaml:3:25: server.port: should be less than or equal to 65535",
        "bots.yaml:4:13: public_url: is no address: write it like https://bots.example.org",
        "bots.yaml:5:8: store: names no server: write it like redis://127.0.0.1:6379/0",
        "bots.yaml:7:26: agents.a.script.0.wiat: unknown key; did you mean 'wait'?",
        "bots.yaml:7:36: agents.a.script.1.when: is missing: add it",
        "bots.yaml:7:43: agents.a.script.1.wait: should be a number",
        "bots.yaml:8:14: agents.b.model: 'x' names no provider",
        "bots.yaml:8:31: agents.b.idle_timeout: is no duration: write one like 90s, 15m, 24h or 7d",
        "bots.yaml:8:44: agents.b.timeout: has no unit: write it like 90s, 15m, 24h or 7d",
        "bots.yaml:9:6: agents.c: nothing says what runs it: add model:, target: or factory:, or say kind:",
        "bots.yaml:10:6: agents.d: should hold keys: write them indented below it",
        "bots.yaml:11:21: agents.e: model and script belong to different kinds: keep one, or say kind:",
        "bots.yaml:13:8: bots.one.token: is missing: add it",
        "bots.yaml:13:36: bots.one.agent: there is no agent 'aa'; did you mean 'a'?",
        "bots.yaml:13:47: bots.one.pages: should be greater than or equal to 1",
        "bots.yaml:13:59: bots.one.receive: should be one of polling, webhook; did you mean 'polling'?",
        "bots.yaml:13:74: bots.one.language: is no language tag: write one like de or pt-BR",
        "bots.yaml:14:19: bots.two.platform: there is no adapter 'telegrm'",
        "bots.yaml:14:35: bots.two.agent: should be the name of an agent, or an agent written here",
        "bots.yaml:15:10: bots.three.platform: is missing: add `platform: telegram`, slack, discord or local",
        "bots.yaml:16:3: bots.four/4: is no name: use letters, digits, - and _ only, at most 63",
        "bots.yaml:17:9: bots.five.agent: is missing: add it",
        "bots.yaml:18:8: bots.six: should hold keys: write them indented below it",
    ]


@pytest.mark.parametrize(
    "line",
    [
        "schedules: []",
        "server: {admin_token: x}",
        "limits: {concurrent: 100}",
        "defaults: {budgets: {}}",
        "    alerts: {bot: support, chat: 1}",
        "    notes: {in_groups: full}",
    ],
)
def test_what_is_not_done_yet_is_refused_rather_than_passed_over(tmp_path: Path, line: str) -> None:
    (told,) = problems(tmp_path, f"{GOOD}{line}\n")

    assert "reserved for a later version" in told


def test_what_is_not_done_yet_is_refused_at_an_agent_with_its_path(tmp_path: Path) -> None:
    assert problems(tmp_path, GOOD.replace("true}", "true, budgets: 5}")) == [
        "bots.yaml:3:30: agents.helper.budgets: is reserved for a later version: take it out"
    ]


@pytest.mark.parametrize("kind", ["5", "''", "[a]", "~"])
def test_kind_that_is_no_word_is_told(tmp_path: Path, kind: str) -> None:
    (told,) = problems(tmp_path, GOOD.replace("directives: true", f"kind: {kind}"))

    assert told.startswith("bots.yaml:3:18: agents.helper.kind: should be a word such as builtin")


def test_kinds_own_key_wins_over_a_word_kept_for_later(tmp_path: Path) -> None:
    made = loaded(tmp_path, GOOD.replace("{directives: true}", "{model: 'p:m', limits: 3}"))

    assert made.agents["helper"].options.limits == 3


@pytest.mark.parametrize(("key", "kind"), [("command: [x]", "acp"), ("url: http://x", "openai")])
def test_agent_of_a_later_version_is_told_as_such(tmp_path: Path, key: str, kind: str) -> None:
    (told,) = problems(tmp_path, GOOD.replace("directives: true", key))

    assert f"({kind}) is not available in this version" in told


def test_agent_written_inline_is_called_after_its_bot(tmp_path: Path) -> None:
    made = loaded(
        tmp_path, "version: 1\nbots: {b: {platform: local, agent: {directives: true, timeout: 90s}}}\n"
    )

    assert made.bots["b"].agent == "b.agent"
    assert made.agents["b.agent"].timeout == 90.0


def test_bot_token_is_another_name_of_token(tmp_path: Path) -> None:
    made = loaded(tmp_path, GOOD.replace("token:", "bot_token:"))

    assert made.bots["support"].options.token.get_secret_value() == "123456:secret"


def test_both_names_of_the_token_are_one_too_many(tmp_path: Path) -> None:
    (told,) = problems(tmp_path, f"{GOOD}    bot_token: x\n")

    assert told == "bots.yaml:9:5: bots.support.bot_token: is another name of `token`: keep one of them"


def test_two_bots_on_one_token_are_refused(tmp_path: Path) -> None:
    told = problems(
        tmp_path, f"{GOOD}  twin: {{platform: telegram, token: '123456:secret', agent: helper}}\n"
    )

    assert told == [
        "bots.yaml:9:37: bots.twin.token: bot 'support' has the same token: give each bot its own"
    ]


def test_key_left_empty_keeps_its_default(tmp_path: Path) -> None:
    made = loaded(tmp_path, f"{GOOD}    access:\n    notes: {{contact: }}\n    streaming: ~\n")

    assert made.bots["support"].access.dm == "pairing"
    assert made.bots["support"].notes.contact == ""
    assert made.bots["support"].streaming == "auto"


def test_numbers_of_people_become_texts(tmp_path: Path) -> None:
    made = loaded(tmp_path, f"{GOOD}    access: {{admins: [4711], allow: [-100123, abc]}}\n")

    assert made.bots["support"].access.admins == ("4711",)
    assert made.bots["support"].access.allow == ("-100123", "abc")


def test_settings_are_frozen(tmp_path: Path) -> None:
    made = loaded(tmp_path, GOOD)

    with pytest.raises(ValueError, match="frozen"):
        made.bots["support"].never_silent = False


def test_where_gives_the_place_of_a_value_or_of_what_is_above_it(tmp_path: Path) -> None:
    made = loaded(tmp_path, f"{GOOD}    notes: {{texts: {{de: {{busy: {{what: Viel los}}}}}}}}\n")
    texts = ("bots", "support", "notes", "texts")

    assert made.where((*texts, "de", "busy", "what")).endswith("bots.yaml:9:39")
    assert made.where((*texts, "de", "busy", "what", "deeper")).endswith("bots.yaml:9:39")
    assert made.where(("bots", "support", "language")).endswith("bots.yaml:6:5")


def test_environment_alone_makes_one_paired_bot() -> None:
    made = from_environment({"TELEGRAM_TOKEN": "123456:x", "LASTWORD_MODEL": "p:m"}, options=options_of)

    assert made is not None
    (bot,) = made.bots.values()
    assert (bot.platform, bot.access.dm, bot.surface_completion_reason) == ("telegram", "pairing", True)
    assert made.agents[bot.agent].options.model == "p:m"
    assert made.where(("bots", "telegram", "token")) == "environment"
    assert made.folder == Path.cwd()


def test_environment_makes_a_bot_for_each_platform_that_has_a_token() -> None:
    tokens = {"TELEGRAM_TOKEN": "123456:x", "SLACK_BOT_TOKEN": "y"}

    with pytest.raises(ConfigError) as caught:
        from_environment(tokens | {"LASTWORD_MODEL": "p:m"}, options=options_of)

    assert all("bots.slack" in problem for problem in caught.value.problems)


def test_environment_without_a_token_makes_nothing() -> None:
    assert from_environment({"LASTWORD_MODEL": "p:m"}, options=options_of) is None


def test_environment_without_a_model_is_told() -> None:
    with pytest.raises(ConfigError, match=r"environment: LASTWORD_MODEL is not set"):
        from_environment({"TELEGRAM_TOKEN": "x"}, options=options_of)


def test_environment_with_a_wrong_model_is_told_without_the_token() -> None:
    with pytest.raises(ConfigError) as caught:
        from_environment({"TELEGRAM_TOKEN": "123456:abc", "LASTWORD_MODEL": "m"}, options=options_of)

    assert caught.value.problems == ["environment: agents.model.model: 'm' names no provider"]


def test_secrets_are_masked_in_logs_once_loaded(tmp_path: Path) -> None:
    loaded(tmp_path, GOOD.replace("123456:secret", "correct-horse-battery"))

    assert redact("it said correct-horse-battery!") == "it said ***!"


_WORDS = """
version agents bots defaults include server store platform agent kind model script token access dm notes texts
session telegram local scripted a b timeout public_url << limits mid_turn on_restart 1 ~ true ${X} ${ $$ é
"""
_words = st.sampled_from(_WORDS.split())
_trees = st.recursive(
    st.one_of(_words, st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=8)),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_words, inner, max_size=6),
    max_leaves=30,
)


def _attempt(folder: Path, text: str | bytes) -> None:
    with suppress(ConfigError):
        loaded(folder, text, X="x")


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(tree=st.dictionaries(_words, _trees, max_size=8))
def test_any_data_is_taken_or_refused_properly(tmp_path: Path, tree: dict[str, object]) -> None:
    _attempt(tmp_path, json.dumps(tree))


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(raw=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "replace")))
def test_any_bytes_are_taken_or_refused_properly(tmp_path: Path, raw: bytes) -> None:
    _attempt(tmp_path, raw)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    at=st.integers(0, len(GOOD)),
    cut=st.integers(0, 6),
    put=st.text(alphabet="{}[]:,#&*!|>'\"%@`-?\n\t $ax1~<=", max_size=6),
)
def test_any_slip_of_the_hand_is_taken_or_refused_properly(
    tmp_path: Path, at: int, cut: int, put: str
) -> None:
    _attempt(tmp_path, GOOD[:at] + put + GOOD[at + cut :])


def test_paths_resolve_from_the_files_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "bots.yaml").write_text(GOOD, "utf-8")
    monkeypatch.chdir(tmp_path)

    made = load(Path("deep/bots.yaml"), options=options_of, env={})

    assert made.folder == tmp_path / "deep"
    assert made.where(("version",)) == os.path.join("deep", "bots.yaml") + ":1:10"  # noqa: PTH118  # as shown


def test_bounds_of_a_duration_are_told_in_its_own_units(tmp_path: Path) -> None:
    told = problems(tmp_path, f"{GOOD}retention: {{content: 30m, records: 400d}}\n")

    assert [line.partition(": ")[2] for line in told] == [
        "retention.content: should be 1h or more",
        "retention.records: should be 366d or less",
    ]


def test_content_that_is_kept_longer_than_records_is_told_with_what_to_write(tmp_path: Path) -> None:
    """Also where records were not written at all, and what is told is taken."""
    (told,) = problems(tmp_path, f"{GOOD}retention: {{content: 365d}}\n")

    assert "keeps content for 365d, but records for 180d: write `records: 365d`" in told
    kept = loaded(tmp_path, f"{GOOD}retention: {{content: 365d, records: 365d}}\n").retention
    assert kept.records == kept.content


def test_store_that_keeps_nothing_is_taken_as_it_is_advised(tmp_path: Path) -> None:
    (told,) = problems(tmp_path, f"{GOOD}store: nothing\n")
    assert "or memory to keep nothing" in told

    assert loaded(tmp_path, f"{GOOD}store: memory\n").store == "memory:"
    assert loaded(tmp_path, f"{GOOD}store: 'memory:'\n").store == "memory:"
