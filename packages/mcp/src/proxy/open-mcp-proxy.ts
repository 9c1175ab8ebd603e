import type { ArtifactStore } from "@ccl/artifact-store";
import { estimatedCounter, type TokenCounter } from "@ccl/core";
import { sleep, untilAborted } from "@ccl/core/async";
import { stringAt } from "@ccl/core/json";
import {
  InMemoryServerEventBus,
  type Notification,
  type Server,
  type ServerEvent,
  type ServerEventBus,
} from "@modelcontextprotocol/server";

import { McpError } from "../mcp-error.ts";
import { artifactTools } from "../server/artifact-tools.ts";
import type { McpServerFactory } from "../server/mcp-server-options.ts";
import { openOnce } from "../server/source.ts";
import { passQuestionsDown } from "./forward.ts";
import { createProxyServer } from "./proxy-server.ts";
import type { McpProxyStatistics, ProxyState } from "./proxy-state.ts";
import { proxiedTools } from "./proxied-tools.ts";
import type { McpServerConfig } from "./server-config.ts";
import type { ToolList } from "./tool-list.ts";
import { createUpstream, type Upstream } from "./upstream.ts";

/** What the proxy stands in front of, and from which sizes on it makes things smaller. */
export interface McpProxyOptions {
  servers: Readonly<Record<string, McpServerConfig>>;
  /** Longer lists of tools become three tools and names within it; 3,000 where absent. */
  listTokens?: number | undefined;
  /** Longer texts of results are cut to it; 2,000 where absent. */
  resultTokens?: number | undefined;
  /** Where results are kept; 64 MiB of memory where absent. */
  artifacts?: ArtifactStore | undefined;
  /** `estimatedCounter` where absent. */
  counter?: TokenCounter | undefined;
  /** Where the stderr of the servers goes; `ignore` where absent. */
  stderr?: "ignore" | "inherit" | undefined;
}

/** A proxy that runs. */
export interface McpProxy {
  /** For `openMcpStdio` and `openMcpHttp`, or the entries of the official SDK. */
  readonly factory: McpServerFactory;
  /** Changes behind the proxy, for `openMcpHttp`. */
  readonly bus: ServerEventBus;
  statistics(): McpProxyStatistics;
  /** Ends the servers too. */
  close(): Promise<void>;
}

const memoryBytes = 64 * 1024 * 1024;
/** Clients give up on a handshake, and on the list after it, after 10 to 60 s each. */
const maxStartMs = 8_000;

/**
 * A proxy in front of other servers: their long tool lists become three tools, their long results a selection with a handle.
 * Servers start with the first client, who waits up to 8 s for them, twice for the list, and are started again when they end.
 * @throws McpError `invalid_options` without a server
 */
export async function openMcpProxy(options: McpProxyOptions): Promise<McpProxy> {
  const { servers, listTokens = 3_000, resultTokens = 2_000, counter = estimatedCounter } = options;
  if (Object.keys(servers).length === 0)
    throw new McpError("invalid_options", "There is no server to stand in front of.");
  const [{ createMemoryArtifactStore }, { createResultShrinker }, { buildToolList }] =
    await Promise.all([
      import("@ccl/artifact-store"),
      import("./shrink-result.ts"),
      import("./tool-list.ts"),
    ]);
  const store = options.artifacts ?? createMemoryArtifactStore({ maxBytes: memoryBytes });
  const shrinker = createResultShrinker({ resultTokens, counter, store });
  const ownTools = artifactTools(openOnce(store), openOnce(counter));
  const connected = new Set<Server>();
  const bus = new InMemoryServerEventBus();
  const counts = { finds: 0, misses: 0, calls: new Map<string, number>() };
  let upstreams: Upstream[] = [];
  let list: ToolList | undefined;
  let starting: Promise<unknown> | undefined;
  let isClosed = false;

  const onChange = (): void => {
    list = undefined;
    void notify({ method: "notifications/tools/list_changed" });
  };
  const state: ProxyState = {
    connected,
    counts,
    ownTools,
    upstreams: () => upstreams,
    async start(capabilities) {
      if (isClosed) throw new McpError("closed", "The proxy was closed.");
      starting ??= untilStarted(
        (upstreams = Object.entries(servers).map(([name, config]): Upstream => {
          const upstream: Upstream = createUpstream(name, config, {
            capabilities,
            stderr: options.stderr,
            onChange,
            prepare: (client) => {
              passQuestionsDown(client, { capabilities, connected });
              client.setNotificationHandler("notifications/tools/list_changed", () =>
                upstreams.find((one) => one.name === name)?.refresh(),
              );
              client.fallbackNotificationHandler = notify;
            },
          });
          return upstream;
        })),
      );
      await starting;
    },
    settle: () => untilStarted(upstreams),
    async waitForLate(signal) {
      const late = upstreams.filter(({ isStarting }) => isStarting);
      await untilAborted(Promise.all(late.map(({ started }) => started)), signal);
      return late.length > 0;
    },
    list: () =>
      (list ??= buildToolList(proxiedTools(upstreams, { shrinker, counts }), {
        listTokens,
        counter,
      })),
    statistics,
  };
  /** To each client, over its connection or as it subscribed. */
  async function notify(notification: Notification): Promise<void> {
    const event = eventOf(notification);
    if (event !== undefined) bus.publish(event);
    for (const server of connected) await server.notification(notification).catch(() => undefined);
  }
  function statistics(): McpProxyStatistics {
    const all = upstreams.map(({ name, tools, restarts, problem }) => {
      const shown = { tools: tools.length, calls: counts.calls.get(name) ?? 0, restarts };
      return [name, problem === undefined ? shown : { ...shown, problem }] as const;
    });
    const { finds, misses } = counts;
    const { tokens } = state.list();
    return {
      servers: Object.fromEntries(all),
      list: tokens,
      results: { ...shrinker.statistics },
      finds,
      misses,
    };
  }
  return {
    factory: () => createProxyServer(state),
    bus,
    statistics,
    async close() {
      isClosed = true;
      await Promise.all(upstreams.map((upstream) => upstream.close()));
      if (options.artifacts === undefined) await store.close();
    },
  };
}

/** Waits for all, but not too long. */
async function untilStarted(upstreams: readonly Upstream[]): Promise<void> {
  const isOver = new AbortController();
  const time = sleep(maxStartMs, isOver.signal).catch(() => undefined);
  await Promise.race([Promise.all(upstreams.map(({ started }) => started)), time]);
  isOver.abort();
}

/** What clients of 2026-07-28 subscribe to. */
function eventOf({ method, params }: Notification): ServerEvent | undefined {
  switch (method) {
    case "notifications/tools/list_changed":
      return { kind: "tools_list_changed" };
    case "notifications/prompts/list_changed":
      return { kind: "prompts_list_changed" };
    case "notifications/resources/list_changed":
      return { kind: "resources_list_changed" };
    case "notifications/resources/updated":
      return { kind: "resource_updated", uri: stringAt(params, "uri") ?? "" };
    default:
      return undefined;
  }
}
