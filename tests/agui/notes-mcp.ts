// An MCP server of notes by the real SDK, over streamable HTTP on loopback, and a client of it.
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";
import type { ToolFunction } from "ackgate";
import { z } from "zod";

export interface NotesServer {
  /** The tools of the server, as a gate wants them: by `server/tool`. */
  readonly tools: Readonly<Record<string, ToolFunction>>;
  close(): Promise<void>;
}

function notes(ran: string[]): McpServer {
  const server = new McpServer({ name: "notes", version: "1.0.0" });
  server.registerTool(
    "delete_note",
    { description: "delete a note", inputSchema: { id: z.string() }, outputSchema: { deleted: z.string() } },
    ({ id }) => {
      ran.push(`delete ${id}`);
      return { content: [{ type: "text", text: `deleted ${id}` }], structuredContent: { deleted: id } };
    },
  );
  return server;
}

/** Starts the server, connects to it and lists its tools; `ran` is told what they really did. */
export async function startNotes(ran: string[]): Promise<NotesServer> {
  const http = createServer(async (request, response) => {
    // Without sessions each request has a server of its own.
    const server = notes(ran);
    const transport = new StreamableHTTPServerTransport();
    response.on("close", () => void server.close());
    await server.connect(transport as Transport);
    await transport.handleRequest(request, response);
  });
  http.listen(0, "127.0.0.1");
  await once(http, "listening");
  const url = new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
  const client = new Client({ name: "host", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(url) as Transport);
  const { tools } = await client.listTools();
  const call =
    (name: string): ToolFunction =>
    async (args, { signal }) =>
      (await client.callTool({ name, arguments: { ...args } }, undefined, { signal })).structuredContent;
  return {
    tools: Object.fromEntries(tools.map(({ name }) => [`notes/${name}`, call(name)])),
    async close() {
      await client.close();
      http.closeAllConnections();
      http.close();
      await once(http, "close");
    },
  };
}
