import { isRecord, jsonText, type JsonRecord, stringAt, withoutUndefined } from "@ccl/core/json";
import type { Client, ClientCapabilities, Transport } from "@modelcontextprotocol/client";
import { isSpecType } from "@modelcontextprotocol/server";

import type { McpServerConfig } from "./server-config.ts";

/** Options of `connectMcpServer`. */
export interface ConnectMcpServerOptions {
  /** Capabilities that this client offers to the server, such as sampling. */
  capabilities?: ClientCapabilities | undefined;
  /** Where to send the stderr of the server's process. `ignore` by default. */
  stderr?: "ignore" | "inherit" | undefined;
  /** Time limit for the handshake in milliseconds. 30 s by default. */
  timeoutMs?: number | undefined;
  /** Called before the connection opens, to set handlers. */
  prepare?: ((client: Client) => void) | undefined;
  signal?: AbortSignal | undefined;
}

const maxMessageBytes = 64 * 1024 * 1024;

/**
 * Connects to a server with a client of the official SDK. `close()` also ends the server's process, by force after a
 * few seconds.
 */
export async function connectMcpServer(
  config: McpServerConfig,
  options: ConnectMcpServerOptions = {},
): Promise<Client> {
  const { capabilities = {}, stderr = "ignore", signal, timeoutMs: timeout = 30_000 } = options;
  const isAddress = "url" in config;
  const [
    { Client, StreamableHTTPClientTransport },
    { getDefaultEnvironment, StdioClientTransport },
  ] = await Promise.all([
    import("@modelcontextprotocol/client"),
    import("@modelcontextprotocol/client/stdio"),
  ]);
  const client = new Client(
    { name: "ccl", version: "1.0.0" },
    // Over stdio, probing for the newer protocol would start each server twice. Servers with the newer protocol also
    // support the older one.
    { capabilities, versionNegotiation: { mode: isAddress ? "auto" : "legacy" } },
  );
  options.prepare?.(client);
  const transport = isAddress
    ? new StreamableHTTPClientTransport(new URL(config.url), {
        requestInit: { headers: config.headers ?? {} },
      })
    : new StdioClientTransport({
        command: config.command,
        args: config.args ?? [],
        env: { ...getDefaultEnvironment(), ...config.env },
        stderr,
        maxBufferSize: maxMessageBytes,
        ...withoutUndefined({ cwd: config.cwd }),
      });
  try {
    await client.connect(transport, withoutUndefined({ timeout, signal }));
    deliverInTurn(transport);
    return client;
  } catch (error) {
    await transport.close().catch(() => undefined);
    throw error;
  }
}

/**
 * Delivers messages one at a time. Otherwise the SDK handles a result before the progress that arrived with it, and
 * drops that progress.
 */
function deliverInTurn(transport: Transport): void {
  const deliver = transport.onmessage;
  let last = Promise.resolve();
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other hook
  transport.onmessage = (message, extra) => {
    last = last
      .then(() =>
        deliver?.(
          "result" in message ? { ...message, result: legal(message.result) } : message,
          extra,
        ),
      )
      .catch((error: Error) => transport.onerror?.(error));
  };
}

/**
 * Returns a tool's result with text in place of anything that breaks the protocol, since the SDK would reject the whole
 * result.
 */
function legal(result: JsonRecord): JsonRecord {
  const { content = [], structuredContent, isError } = result;
  const data = isRecord(structuredContent) ? structuredContent : undefined;
  const given: unknown[] = [content, data ? [] : (structuredContent ?? [])].flat();
  if (structuredContent === data && (given.length === 0 || isSpecType.CallToolResult(result)))
    return result;
  return {
    ...result,
    content: given.map((one) =>
      isSpecType.ContentBlock(one)
        ? one
        : {
            type: "text",
            text: typeof one === "string" ? one : (stringAt(one, "text") ?? jsonText(one)),
          },
    ),
    structuredContent: data,
    isError: isError === true,
  };
}
