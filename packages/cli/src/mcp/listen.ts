import { type McpProxy, openMcpHttp, openMcpStdio } from "@ccl/mcp";

import type { Session } from "../session.ts";

/** How a server is reached. */
export interface ListenFlags {
  /** True for any free port. */
  http?: number | true | undefined;
  host?: string | undefined;
}

/** Serves until the client has gone, over stdio, or until the user interrupts. */
export async function listen(
  { terminal, signal }: Session,
  { http, host }: ListenFlags,
  { factory, bus }: Pick<McpProxy, "factory"> & Partial<McpProxy>,
): Promise<void> {
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  if (http === undefined && host === undefined) {
    const stdio = await openMcpStdio(factory);
    await Promise.race([stdio.closed, aborted]);
    await stdio.close();
    return;
  }
  const port = http === true ? undefined : http;
  const server = await openMcpHttp(factory, {
    host,
    port,
    token: terminal.env["CCL_MCP_TOKEN"],
    bus,
  });
  terminal.stderr.write(`listening at ${server.url}\n`);
  await aborted;
  await server.close();
}
