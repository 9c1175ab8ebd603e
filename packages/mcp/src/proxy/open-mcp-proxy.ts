import type { ArtifactStore } from "@ccl/artifact-store";
import { estimatedCounter, type TokenCounter } from "@ccl/core";
import { withTimeout } from "@ccl/core/async";
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
import { createProxyServer, type McpProxyStatistics, type ProxyState } from "./proxy-server.ts";
import { proxiedTools } from "./proxied-tools.ts";
import { serverPrefix } from "./public-names.ts";
import type { McpServerConfig } from "./server-config.ts";
import type { ToolUses } from "./tool-uses.ts";
import type { ToolList } from "./tool-list.ts";
import { createUpstream, type Upstream } from "./upstream.ts";

/** Servers behind the proxy, and the sizes above which it shortens their lists and results. */
export interface McpProxyOptions {
  servers: Readonly<Record<string, McpServerConfig>>;
  /**
   * Maximum tokens of a tool list. Longer lists become three tools and as many names as fit. Default: 3,000. Minimum:
   * about 600.
   */
  listTokens?: number | undefined;
  /** Maximum tokens of a text in a result. Longer texts are shortened. 2,000 by default. */
  resultTokens?: number | undefined;
  /** Stores results. By default, 64 MiB of memory. */
  artifacts?: ArtifactStore | undefined;
  /** `estimatedCounter` by default. */
  counter?: TokenCounter | undefined;
  /** Where to send the stderr of the servers. `ignore` by default. */
  stderr?: "ignore" | "inherit" | undefined;
  /** Owner of stored results, such as a project. Searches find the results of their own session. `mcp` by default. */
  owner?: string | undefined;
  /** Successful calls, including earlier ones. Without it, the proxy does not learn from calls. */
  uses?: ToolUses | undefined;
  /** Called once for each tool that is left out, or changed so that models accept it. */
  onToolChange?: ((server: string, change: string) => void) | undefined;
}

/** What `check` found out about a server. */
export interface ServerFinding {
  name: string;
  /** `hint`: a tool was changed so that models accept it. `problem`: the server does not respond. */
  status: "ok" | "hint" | "problem";
  message: string;
}

/** A running proxy. */
export interface McpProxy {
  /** Pass it to `openMcpStdio`, `openMcpHttp`, or the entry points of the official SDK. */
  readonly factory: McpServerFactory;
  /** Publishes changes of the servers. Pass it to `openMcpHttp`. */
  readonly bus: ServerEventBus;
  statistics(): McpProxyStatistics;
  /**
   * Reports the tokens of each server's tools, and any problems with servers and tools. Starts the servers, and waits
   * up to 30 s for them.
   */
  check(): Promise<ServerFinding[]>;
  /** Closes the proxy and ends its servers. */
  close(): Promise<void>;
}

/** How long to wait for servers to start. Clients are notified of servers that start later. */
const maxStartMs = 2_000;

/**
 * Opens a proxy in front of other servers. Long tool lists become three tools. Long results become a selection with a
 * handle. Servers start with the first client, which waits up to 2 s for them. A server that exits is restarted.
 * @throws McpError `invalid_options` without a server, or if `listTokens` is too small for the proxy's own tools
 */
export async function openMcpProxy(options: McpProxyOptions): Promise<McpProxy> {
  const { servers, listTokens = 3_000, resultTokens = 2_000, counter = estimatedCounter } = options;
  if (Object.keys(servers).length === 0)
    throw new McpError("invalid_options", "No server is configured.");
  const [{ createMemoryArtifactStore }, { createResultShrinker }, { buildToolList, countTools }] =
    await Promise.all([
      import("@ccl/artifact-store"),
      import("./shrink-result.ts"),
      import("./tool-list.ts"),
    ]);
  const limits = { maxStoreBytes: 64 * 1024 * 1024 };
  const store = options.artifacts ?? createMemoryArtifactStore({ limits });
  const results = { results: 0, before: 0, after: 0, shortened: 0, repeated: 0 };
  const ownTools = artifactTools(openOnce(store), openOnce(counter));
  const listOptions = { listTokens, counter, ownTools };
  const empty = buildToolList([], { ...listOptions, isStarting: true });
  const minimum = empty.tokens.after;
  if (minimum > listTokens)
    throw new McpError(
      "invalid_options",
      `listTokens is ${listTokens}, but the proxy's own tools take ${minimum}. Pass ${minimum} or more.`,
    );
  const isAlone = Object.keys(servers).length === 1;
  const reserved = new Set(empty.tools.map(({ name }) => name));
  const connected = new Set<Server>();
  const bus = new InMemoryServerEventBus();
  const sessionIdOf = createSessionIds(options.owner);
  const calls = new Map<string, number>();
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
    ownTools,
    upstreams: () => upstreams,
    async start(capabilities) {
      if (isClosed) throw new McpError("closed", "The proxy was closed.");
      starting ??= untilStarted(
        (upstreams = Object.entries(servers).map(([name, config]) =>
          createUpstream(name, config, {
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
          }),
        )),
      );
      await starting;
    },
    list: () =>
      (list ??= buildToolList(proxiedTools(upstreams, calls, options.uses), {
        ...listOptions,
        isStarting: upstreams.some(
          ({ client, tools }) => client === undefined && tools.length === 0,
        ),
      })),
    createShrinker: (sessionId) =>
      createResultShrinker({ resultTokens, counter, store, sessionId, statistics: results }),
    statistics,
  };
  /** Notifies each client, through its connection or its subscription. */
  async function notify(notification: Notification): Promise<void> {
    const event = eventOf(notification);
    if (event !== undefined) bus.publish(event);
    for (const server of connected) await server.notification(notification).catch(() => undefined);
  }
  function statistics(): McpProxyStatistics {
    const all = upstreams.map(({ name, tools, restarts, problem, changes }) => {
      const shown = {
        tools: tools.length,
        calls: calls.get(name) ?? 0,
        restarts,
        changes,
        problem,
      };
      return [name, withoutUndefined(shown)] as const;
    });
    const { tokens: list } = state.list();
    return { servers: Object.fromEntries(all), list, results: { ...results } };
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

/** Waits for all servers, up to `maxStartMs`. */
async function untilStarted(upstreams: readonly Upstream[]): Promise<void> {
  const started = Promise.all(upstreams.map((upstream) => upstream.started));
  const onTimeout = (): Error => new Error("Some servers are still starting.");
  await withTimeout(() => started, { timeoutMs: maxStartMs, onTimeout }).catch(() => undefined);
}

/** Converts a notification to an event for subscribers of protocol 2026-07-28. */
function eventOf({ method, params }: Notification): ServerEvent | undefined {
  if (method === "notifications/resources/updated")
    return { kind: "resource_updated", uri: stringAt(params, "uri") ?? "" };
  const kinds = ["tools_list_changed", "prompts_list_changed", "resources_list_changed"] as const;
  const kind = kinds.find((one) => method === `notifications/${one.replace("_", "/")}`);
  return kind && { kind };
}
