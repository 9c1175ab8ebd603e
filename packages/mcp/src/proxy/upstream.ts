import { backoffDelay, sleep, untilAborted } from "@ccl/core/async";
import { isSameJson } from "@ccl/core/json";
import type { Client, ClientCapabilities } from "@modelcontextprotocol/client";
import type { Tool } from "@modelcontextprotocol/server";

import { connectMcpServer } from "./connect-mcp-server.ts";
import { listMcpTools } from "./list-mcp-tools.ts";
import { publicNames } from "./public-names.ts";
import { repairTool } from "./repair-tool.ts";
import type { McpServerConfig } from "./server-config.ts";

/** A server's tool, as the proxy's client sees it. */
interface UpstreamTool {
  tool: Tool;
  /** The tool's name on the server. */
  ownName: string;
}

/** A server behind the proxy. The proxy restarts it when it exits. */
export interface Upstream {
  readonly name: string;
  /** Prefix for its tool and prompt names. Undefined if it is the only server. */
  readonly prefix: string | undefined;
  /** Undefined while the server does not respond. `problem` then says why. */
  readonly client: Client | undefined;
  readonly problem: string | undefined;
  readonly restarts: number;
  /** The tools in the server's latest list. */
  readonly tools: readonly UpstreamTool[];
  /** Changes to its tools that make models accept them. */
  readonly changes: readonly string[];
  /** Settles after the first connection attempt, even if it fails. */
  readonly started: Promise<void>;
  /** True while the first attempt is running. */
  readonly isStarting: boolean;
  /** Rereads the tool list. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** Options of `createUpstream`. */
export interface UpstreamOptions {
  capabilities: ClientCapabilities;
  stderr?: "ignore" | "inherit" | undefined;
  prefix: string | undefined;
  /** Names that its tools must not use. */
  reserved: ReadonlySet<string>;
  prepare(client: Client): void;
  /** Called after its tools are first listed, and whenever they change. */
  onChange(): void;
  onToolChange?: ((server: string, change: string) => void) | undefined;
}

const firstWaitMs = 500;
const maxWaitMs = 30_000;

/** Connects to a server, and reconnects with increasing delays whenever the connection ends. */
export function createUpstream(
  name: string,
  config: McpServerConfig,
  { capabilities, stderr, prefix, reserved, prepare, onChange, onToolChange }: UpstreamOptions,
): Upstream {
  const closing = new AbortController();
  const { signal } = closing;
  let resolveStarted: (() => void) | undefined;
  const started = new Promise<void>((resolve) => (resolveStarted = resolve));
  const readTools = async (client: Client): Promise<void> => {
    const given = await listMcpTools(client, { signal });
    const { tools, changes } = asListed(given, { prefix, reserved });
    for (const change of changes)
      if (!upstream.changes.includes(change)) onToolChange?.(name, change);
    // Building the list takes time, and a new list invalidates the cache of the client's provider.
    const isNew = upstream.tools.length === 0 || !isSameJson(upstream.tools, tools);
    Object.assign(upstream, { tools, changes, client, problem: undefined });
    if (isNew) onChange();
  };
  const upstream: { -readonly [Key in keyof Upstream]: Upstream[Key] } = {
    name,
    prefix,
    started,
    isStarting: true,
    client: undefined,
    problem: "it is starting",
    restarts: 0,
    tools: [],
    changes: [],
    async refresh() {
      if (upstream.client === undefined) return;
      await readTools(upstream.client).catch(() => undefined);
    },
    async close() {
      closing.abort();
      await running;
    },
  };
  const markStarted = (): void => {
    upstream.isStarting = false;
    resolveStarted?.();
  };

  /** Runs one connection until it ends or the upstream closes. */
  const connectOnce = async (): Promise<void> => {
    let opened: Client | undefined;
    try {
      const client = (opened = await connectMcpServer(config, {
        capabilities,
        stderr,
        prepare,
        signal,
      }));
      // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other hook
      const ended = new Promise<void>((resolve) => (client.onclose = resolve));
      await readTools(client);
      markStarted();
      await untilAborted(ended, signal);
      upstream.problem = "it has exited";
    } catch (error) {
      upstream.problem = error instanceof Error ? error.message.slice(0, 300) : String(error);
    }
    upstream.client = undefined;
    await opened?.close().catch(() => undefined);
  };
  const run = async (): Promise<void> => {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const begin = Date.now();
      await connectOnce();
      markStarted();
      if (signal.aborted) break;
      if (Date.now() - begin > maxWaitMs) attempt = 1;
      const waitMs = backoffDelay(attempt, { firstMs: firstWaitMs, maxMs: maxWaitMs });
      await sleep(waitMs, signal).catch(() => undefined);
      upstream.restarts++;
    }
  };
  const running = run();
  return upstream;
}

function asListed(
  given: readonly unknown[],
  naming: Parameters<typeof publicNames>[1],
): Pick<Upstream, "tools" | "changes"> {
  const repaired = given.flatMap((one) => repairTool(one) ?? []);
  const byName = new Map(repaired.toReversed().map((one) => [one.tool.name, one]));
  const names = publicNames([...byName.keys()], naming);
  const left = given.length - byName.size;
  const changes = left > 0 ? [`tools without a name, or listed twice: ${left}`] : [];
  const tools = [...byName.values()].toReversed().map((one): UpstreamTool => {
    const { name: ownName } = one.tool;
    const name = names.get(ownName) ?? ownName;
    if (!name.endsWith(ownName)) changes.push(`${ownName} is listed as ${name}`);
    changes.push(...one.changes.map((change) => `${ownName}: ${change}`));
    return { tool: { ...one.tool, name }, ownName };
  });
  return { tools, changes };
}
