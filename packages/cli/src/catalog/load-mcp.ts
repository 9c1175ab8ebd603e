import { fromMcpTools, type ResourceInput } from "@ccl/catalog";
import type { McpServerConfig } from "@ccl/mcp";

import { splitCommand } from "../plan/split-command.ts";
import type { Session } from "../session.ts";
import type { SourceDraft } from "./source-draft.ts";
import { tokenHeaders } from "./token-headers.ts";

const timeoutMs = 30_000;

/** The tools of an MCP server: a process of its own for as long as it is asked, or one behind an address. */
export async function loadMcp(session: Session, draft: SourceDraft): Promise<ResourceInput[]> {
  const { connectMcpServer } = await import("@ccl/mcp");
  const { signal } = session;
  const client = await connectMcpServer(configOf(session, draft), { timeoutMs, signal });
  try {
    return await fromMcpTools(client, { server: draft.source.name, timeoutMs, signal });
  } finally {
    await client.close();
  }
}

function configOf(session: Session, { address, source }: SourceDraft): McpServerConfig {
  if (/^https?:\/\//i.test(address))
    return { url: address, headers: tokenHeaders(session, source) };
  const [command, ...args] = splitCommand(address, "--mcp");
  const env = Object.fromEntries(
    Object.entries(session.terminal.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
  return { command, args, env, cwd: session.root };
}
