import { backoffDelay, sleep } from "@ccl/core/async";
import type { Client, ClientCapabilities, Tool } from "@modelcontextprotocol/client";

import { connectMcpServer } from "./connect-mcp-server.ts";
import type { McpServerConfig } from "./server-config.ts";

/** A server behind the proxy, which is started again when it ends. */
export interface Upstream {
  readonly name: string;
  /** Undefined while it does not answer; `problem` says why. */
  readonly client: Client | undefined;
  readonly problem: string | undefined;
  readonly restarts: number;
  /** As of the last connection or change. */
  readonly tools: readonly Tool[];
  /** Settles with the first attempt, whatever comes of it. */
  readonly started: Promise<void>;
  /** Whether the first attempt is under way. */
  readonly isStarting: boolean;
  /** Reads the list of tools again. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** How an upstream is kept alive. */
export interface UpstreamOptions {
  capabilities: ClientCapabilities;
  stderr?: "ignore" | "inherit" | undefined;
  prepare(client: Client): void;
  /** It came, went or has other tools. */
  onChange(): void;
}

const firstWaitMs = 500;
const maxWaitMs = 30_000;

/** Connects, and connects again after longer and longer waits whenever the connection ends. */
export function createUpstream(
  name: string,
  config: McpServerConfig,
  { capabilities, stderr, prepare, onChange }: UpstreamOptions,
): Upstream {
  const closing = new AbortController();
  const { signal } = closing;
  let client: Client | undefined;
  let tools: readonly Tool[] = [];
  let problem: string | undefined = "it is starting";
  let restarts = 0;
  let isStarting = true;
  let resolveStarted: (() => void) | undefined;
  const started = new Promise<void>((resolve) => (resolveStarted = resolve));
  const markStarted = (): void => {
    isStarting = false;
    resolveStarted?.();
  };

  /** One connection, from its beginning to its end. */
  const connectOnce = async (): Promise<void> => {
    const opened = await connectMcpServer(config, { capabilities, stderr, prepare, signal });
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other hook
    const ended = new Promise<void>((resolve) => (opened.onclose = resolve));
    try {
      tools = await listTools(opened);
      client = opened;
      problem = undefined;
      markStarted();
      onChange();
      await ended;
      problem = "it has ended";
    } finally {
      client = undefined;
      await opened.close().catch(() => undefined);
    }
  };
  const run = async (): Promise<void> => {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const begin = Date.now();
      await connectOnce().catch((error: unknown) => {
        problem = error instanceof Error ? error.message.slice(0, 300) : String(error);
      });
      markStarted();
      if (signal.aborted) break;
      onChange();
      if (Date.now() - begin > maxWaitMs) attempt = 1;
      const waitMs = backoffDelay(attempt, { firstMs: firstWaitMs, maxMs: maxWaitMs });
      await sleep(waitMs, signal).catch(() => undefined);
      restarts++;
    }
  };
  const running = run();
  return {
    name,
    started,
    get isStarting() {
      return isStarting;
    },
    get client() {
      return client;
    },
    get problem() {
      return problem;
    },
    get restarts() {
      return restarts;
    },
    get tools() {
      return tools;
    },
    async refresh() {
      if (client === undefined) return;
      tools = await listTools(client).catch(() => tools);
      onChange();
    },
    async close() {
      closing.abort();
      await client?.close().catch(() => undefined);
      await running;
    },
  };
}

async function listTools(client: Client): Promise<readonly Tool[]> {
  if (client.getServerCapabilities()?.tools === undefined) return [];
  return (await client.listTools(undefined, { cacheMode: "refresh" })).tools;
}
