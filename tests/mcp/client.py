"""Calls tools with the Python SDK of the protocol.

Arguments: the mode (`legacy` does the handshake, `auto` asks the server for its versions first), then `stdio` and a command, or
`http`, a URL and a key. Standard input has a JSON list of pairs: a tool and its arguments. Standard output gets the server's name
and protocol version, its tools, and the result or the error of each call.
"""

import asyncio
import json
import sys

import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError


async def run(server, mode, calls):
    async with Client(server, mode=mode, read_timeout_seconds=60) as client:
        listed = await client.list_tools()
        results = []
        for name, arguments in calls:
            try:
                result = await client.call_tool(name, arguments)
                results.append(result.model_dump(mode="json", by_alias=True, exclude_none=True))
            except MCPError as error:
                results.append({"error": str(error)})
        if mode == "legacy":
            await client.send_ping()
        return {
            "protocol": client.protocol_version,
            "server": client.server_info.model_dump(mode="json", exclude_none=True),
            "tools": [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools],
            "results": results,
        }


async def main():
    mode, transport, *rest = sys.argv[1:]
    calls = json.load(sys.stdin)
    if transport == "stdio":
        found = await run(StdioServerParameters(command=rest[0], args=rest[1:]), mode, calls)
    else:
        url, key = rest
        headers = {"Authorization": f"Token {key}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            found = await run(streamable_http_client(url, http_client=http), mode, calls)
    json.dump(found, sys.stdout, ensure_ascii=False)


asyncio.run(main())
