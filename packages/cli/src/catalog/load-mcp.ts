import { fromMcpTools, type ResourceInput } from "@ccl/catalog";
import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js";

import { splitCommand } from "../plan/split-command.ts";
import type { Session } from "../session.ts";
import type { SourceDraft } from "./source-draft.ts";
import { tokenHeaders } from "./token-headers.ts";

const TIMEOUT_MS = 30_000;

/** The tools of an MCP server: a process of its own for as long as it is asked, or one behind an address. */
export async function loadMcp(session: Session, draft: SourceDraft): Promise<ResourceInput[]> {
  const sdk = await import("@modelcontextprotocol/sdk/client/index.js");
  const client = new sdk.Client({ name: "ccl", version: "1.0.0" });
  const { signal } = session;
  try {
    await connect(client, { session, draft });
    return await fromMcpTools(client, { server: draft.source.name, timeoutMs: TIMEOUT_MS, signal });
  } finally {
    await client.close();
  }
}

async function connect(
  client: Client,
  { session, draft }: { session: Session; draft: SourceDraft },
): Promise<void> {
  const options = { signal: session.signal, timeout: TIMEOUT_MS };
  if (/^https?:\/\//i.test(draft.address)) {
    const { StreamableHTTPClientTransport } =
      await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
    const requestInit = { headers: tokenHeaders(session, draft.source) };
    const transport = new StreamableHTTPClientTransport(new URL(draft.address), { requestInit });
    if (isTransport(transport)) await client.connect(transport, options);
    return;
  }
  const { StdioClientTransport } = await import("@modelcontextprotocol/sdk/client/stdio.js");
  const [command, ...args] = splitCommand(draft.address, "--mcp");
  const env = Object.fromEntries(
    Object.entries(session.terminal.env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  );
  const transport = new StdioClientTransport({
    command,
    args,
    env,
    cwd: session.root,
    stderr: "ignore",
  });
  await client.connect(transport, options);
}

/** The SDK declares its own transport in a way that exactOptionalPropertyTypes does not take for one. */
function isTransport(value: object): value is Transport {
  return "start" in value && "send" in value && "close" in value;
}
