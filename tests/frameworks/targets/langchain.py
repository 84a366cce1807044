"""LangChain's `create_agent`, and a LangGraph graph made by hand."""

from __future__ import annotations

import importlib

from tests.frameworks.targets.provider import KEY, MODEL, PATIENCE, URL, lookup

_chat = importlib.import_module("langchain_openai").ChatOpenAI
_created = importlib.import_module("langchain.agents").create_agent
_graphs = importlib.import_module("langgraph.graph")
_prebuilt = importlib.import_module("langgraph.prebuilt")
_tool = importlib.import_module("langchain_core.tools").tool(lookup)


_model = _chat(model=MODEL, base_url=URL, api_key=KEY, timeout=PATIENCE, max_retries=0)
_STEPS = 8  # its own limit is thousands


def _drawn() -> object:
    model = _model.bind_tools([_tool])

    async def call(state: dict[str, object]) -> dict[str, object]:
        return {"messages": [await model.ainvoke(state["messages"])]}

    graph = _graphs.StateGraph(_graphs.MessagesState)
    graph.add_node("model", call)
    graph.add_node("tools", _prebuilt.ToolNode([_tool]))
    graph.add_edge(_graphs.START, "model")
    graph.add_conditional_edges("model", _prebuilt.tools_condition)
    graph.add_edge("tools", "model")
    compiled: object = graph.compile().with_config(recursion_limit=_STEPS)
    return compiled


created: object = _created(_model, tools=[_tool]).with_config(recursion_limit=_STEPS)
drawn = _drawn()
