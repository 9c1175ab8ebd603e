import type { Readable, Writable } from "node:stream";

import { serveStdio, StdioServerTransport } from "@modelcontextprotocol/server/stdio";

import type { McpServerFactory } from "../server/mcp-server-options.ts";

/** A server on a pair of streams. */
export interface McpStdio {
  /** Resolves once the client closes its end, or `close` is called. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/** Serves one client over stdin and stdout, or other streams. Nothing else may write to the output stream. */
export async function openMcpStdio(
  factory: McpServerFactory,
  { input = process.stdin, output = process.stdout }: { input?: Readable; output?: Writable } = {},
): Promise<McpStdio> {
  let end: (() => void) | undefined;
  const closed = new Promise<void>((resolve) => (end = resolve));
  // Message size limit. A larger message closes the connection.
  const transport = new StdioServerTransport(input, output, { maxBufferSize: 64 * 1024 * 1024 });
  const handle = serveStdio(factory, { transport });
  const { onclose } = transport;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other hook
  transport.onclose = () => {
    onclose?.();
    end?.();
  };
  return {
    closed,
    async close() {
      await handle.close();
      end?.();
    },
  };
}
