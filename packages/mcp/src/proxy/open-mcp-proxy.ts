import type { ArtifactStore } from "@ccl/artifact-store";
import { estimatedCounter, type TokenCounter } from "@ccl/core";
import { sleep } from "@ccl/core/async";
import { stringAt, withoutUndefined } from "@ccl/core/json";
import {
  InMemoryServerEventBus,
  type Notification,
  type Server,
  type ServerEvent,
  type ServerEventBus,
  type Tool,
} from "@modelcontextprotocol/server";

import { McpError } from "../mcp-error.ts";
import { artifactTools } from "../server/artifact-tools.ts";
import type { McpServerFactory } from "../server/mcp-server-options.ts";
import { createSessionIds } from "../server/session-ids.ts";
import { openOnce } from "../server/source.ts";
import { passQuestionsDown } from "./forward.ts";
import { createProxyServer } from "./proxy-server.ts";
import type { McpProxyStatistics, ProxyState } from "./proxy-state.ts";
import { proxiedTools } from "./proxied-tools.ts";
import { serverPrefix } from "./public-names.ts";
import type { McpServerConfig } from "./server-config.ts";
import type { ToolList } from "./tool-list.ts";
import { createUpstream, type Upstream } from "./upstream.ts";

/** What the proxy stands in front of, and from which sizes on it makes things smaller. */
export interface McpProxyOptions {
  servers: Readonly<Record<string, McpServerConfig>>;
  /** Longer lists of tools become three tools and names within it; 3,000 where absent, 600 or so at minimum. */
  listTokens?: number | undefined;
  /** Longer texts of results are cut to it; 2,000 where absent. */
  resultTokens?: number | undefined;
  /** Where results are kept; 64 MiB of memory where absent. */
  artifacts?: ArtifactStore | undefined;
  /** `estimatedCounter` where absent. */
  counter?: TokenCounter | undefined;
  /** Where the stderr of the servers goes; `ignore` where absent. */
  stderr?: "ignore" | "inherit" | undefined;
  /** Whose results are stored, such as a project: searches find those of their own session. `mcp-proxy` where absent. */
  owner?: string | undefined;
  /** Called once for each tool that was changed so that models can be given it, and of each that was left out. */
  onToolChange?: ((server: string, change: string) => void) | undefined;
}

/** What was found out about a server. */
export interface ServerFinding {
  name: string;
  /** `hint`: a tool was changed so that models can be given it. `problem`: the server does not answer. */
  status: "ok" | "hint" | "problem";
  message: string;
}

/** A proxy that runs. */
export interface McpProxy {
  /** For `openMcpStdio` and `openMcpHttp`, or the entries of the official SDK. */
  readonly factory: McpServerFactory;
  /** Changes behind the proxy, for `openMcpHttp`. */
  readonly bus: ServerEventBus;
  statistics(): McpProxyStatistics;
  /** What each server's tools take, and what is wrong with it and them. Starts the servers, and waits up to 30 s for them. */
  check(): Promise<ServerFinding[]>;
  /** Ends the servers too. */
  close(): Promise<void>;
}

const memoryBytes = 64 * 1024 * 1024;
/** For servers that are there soon: clients are notified of the others. */
const maxStartMs = 2_000;

/**
 * A proxy in front of other servers: their long tool lists become three tools, their long results a selection with a handle.
 * Servers start with the first client, who waits up to 2 s for them, and are started again when they end.
 * @throws McpError `invalid_options` without a server, or with fewer `listTokens` than the proxy's own tools have
 */
export async function openMcpProxy(options: McpProxyOptions): Promise<McpProxy> {
  const { servers, listTokens = 3_000, resultTokens = 2_000, counter = estimatedCounter } = options;
  if (Object.keys(servers).length === 0)
    throw new McpError("invalid_options", "There is no server to stand in front of.");
  const [{ createMemoryArtifactStore }, { createResultShrinker }, { buildToolList, countTools }] =
    await Promise.all([
      import("@ccl/artifact-store"),
      import("./shrink-result.ts"),
      import("./tool-list.ts"),
    ]);
  const store = options.artifacts ?? createMemoryArtifactStore({ maxBytes: memoryBytes });
  const results = { results: 0, before: 0, after: 0, shortened: 0, repeated: 0 };
  const ownTools = artifactTools(openOnce(store), openOnce(counter));
  const listOptions = { listTokens, counter, ownTools };
  const empty = buildToolList([], { ...listOptions, isStarting: true });
  const minimum = empty.tokens.after;
  if (minimum > listTokens)
    throw new McpError(
      "invalid_options",
      `listTokens is ${listTokens}, and the proxy's own tools have ${minimum}: give at least these.`,
    );
  const isAlone = Object.keys(servers).length === 1;
  const reserved = new Set(empty.tools.map(({ name }) => name));
  const connected = new Set<Server>();
  const bus = new InMemoryServerEventBus();
  const sessionIdOf = createSessionIds(options.owner ?? "mcp-proxy");
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
            prefix: isAlone ? undefined : serverPrefix(name),
            reserved,
            onChange,
            onToolChange: options.onToolChange,
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
    list: () =>
      (list ??= buildToolList(proxiedTools(upstreams, counts), {
        ...listOptions,
        isStarting: upstreams.some(({ isStarting }) => isStarting),
      })),
    createShrinker: (sessionId) =>
      createResultShrinker({ resultTokens, counter, store, sessionId, statistics: results }),
    statistics,
  };
  /** To each client, over its connection or as it subscribed. */
  async function notify(notification: Notification): Promise<void> {
    const event = eventOf(notification);
    if (event !== undefined) bus.publish(event);
    for (const server of connected) await server.notification(notification).catch(() => undefined);
  }
  function statistics(): McpProxyStatistics {
    const all = upstreams.map(({ name, tools, restarts, problem, changes }) => {
      const calls = counts.calls.get(name) ?? 0;
      const shown = { tools: tools.length, calls, restarts, changes };
      return [name, { ...shown, ...withoutUndefined({ problem }) }] as const;
    });
    const { finds, misses } = counts;
    const { tokens: list } = state.list();
    return { servers: Object.fromEntries(all), list, results: { ...results }, finds, misses };
  }
  return {
    factory: (context) => createProxyServer(state, sessionIdOf(context)),
    bus,
    statistics,
    async check() {
      await state.start({});
      return await findingsOf(upstreams, (tools) => countTools(tools, counter));
    },
    async close() {
      isClosed = true;
      await Promise.all(upstreams.map((upstream) => upstream.close()));
      if (options.artifacts === undefined) await store.close();
    },
  };
}

async function findingsOf(
  upstreams: readonly Upstream[],
  count: (tools: readonly Tool[]) => number,
): Promise<ServerFinding[]> {
  for (const { started } of upstreams) await started;
  return upstreams.flatMap(({ name, problem, tools, changes }): ServerFinding[] => [
    problem === undefined
      ? {
          name,
          status: "ok",
          message: `tools: ${tools.length}, tokens: ${count(tools.map(({ tool }) => tool))}`,
        }
      : { name, status: "problem", message: problem },
    ...changes.map((message) => ({ name, status: "hint" as const, message })),
  ]);
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
