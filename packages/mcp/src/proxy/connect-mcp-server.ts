import type { Client, ClientCapabilities, Transport } from "@modelcontextprotocol/client";

import type { McpServerConfig } from "./server-config.ts";

/** How a server is spoken to. */
export interface ConnectMcpServerOptions {
  /** What this side can do for the server, such as sampling. */
  capabilities?: ClientCapabilities | undefined;
  /** Where the stderr of its process goes; `ignore` where absent. */
  stderr?: "ignore" | "inherit" | undefined;
  /** Of the handshake; 30 s where absent. */
  timeoutMs?: number | undefined;
  /** Called before the connection opens, to set handlers. */
  prepare?: ((client: Client) => void) | undefined;
  signal?: AbortSignal | undefined;
}

const defaultTimeoutMs = 30_000;
const maxMessageBytes = 64 * 1024 * 1024;

/** A connected client of the official SDK. `close()` ends the server's process too, by force after some seconds. */
export async function connectMcpServer(
  config: McpServerConfig,
  options: ConnectMcpServerOptions = {},
): Promise<Client> {
  const { capabilities = {}, stderr = "ignore", signal } = options;
  const timeout = options.timeoutMs ?? defaultTimeoutMs;
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
    // Over stdio a probe for the newer protocol would start each server twice; those that speak it speak the older one too.
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
        ...(config.cwd === undefined ? {} : { cwd: config.cwd }),
      });
  try {
    await client.connect(transport, signal === undefined ? { timeout } : { timeout, signal });
    deliverInTurn(transport);
    return client;
  } catch (error) {
    await transport.close().catch(() => undefined);
    throw error;
  }
}

/** The SDK forgets who waits for progress at the result, and a result in one piece with its progress is handled first. */
function deliverInTurn(transport: Transport): void {
  const deliver = transport.onmessage;
  let last = Promise.resolve();
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other hook
  transport.onmessage = (message, extra) => {
    last = last
      .then(() => deliver?.(message, extra))
      .catch((error: Error) => transport.onerror?.(error));
  };
}
