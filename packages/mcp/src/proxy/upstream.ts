import { objectSchema } from "@ccl/catalog";
import { backoffDelay, onAbort, sleep } from "@ccl/core/async";
import { isRecord, isSameJson, type JsonRecord, stringAt, withoutUndefined } from "@ccl/core/json";
import { createJsonSchemaChecker } from "@ccl/structured-output/json-schema";
import type { Client, ClientCapabilities } from "@modelcontextprotocol/client";
import type { Tool } from "@modelcontextprotocol/server";
import * as z from "zod";

import { McpError } from "../mcp-error.ts";
import { connectMcpServer } from "./connect-mcp-server.ts";
import { publicNames } from "./public-names.ts";
import type { McpServerConfig } from "./server-config.ts";

/** A tool of a server, as the proxy's client sees it. */
interface UpstreamTool {
  tool: Tool;
  /** The tool's name at the server. */
  ownName: string;
}

/** A server behind the proxy. It is started again when it ends. */
export interface Upstream {
  readonly name: string;
  /** Prefix of its tool and prompt names. Undefined if it is the only server. */
  readonly prefix: string | undefined;
  /** Undefined while the server does not answer. `problem` then says why. */
  readonly client: Client | undefined;
  readonly problem: string | undefined;
  readonly restarts: number;
  /** Tools as of the last connection or change. */
  readonly tools: readonly UpstreamTool[];
  /** Changes to tools so that models accept them. */
  readonly changes: readonly string[];
  /** Settles after the first attempt, successful or not. */
  readonly started: Promise<void>;
  /** Whether the first attempt is still running. */
  readonly isStarting: boolean;
  /** Reads the tool list again. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** How an upstream connects, and what it reports. */
export interface UpstreamOptions {
  capabilities: ClientCapabilities;
  stderr?: "ignore" | "inherit" | undefined;
  prefix: string | undefined;
  /** Names that its tools must not have. */
  reserved: ReadonlySet<string>;
  prepare(client: Client): void;
  /** Called when its tools are there or have changed. */
  onChange(): void;
  onToolChange?: ((server: string, change: string) => void) | undefined;
}

const firstWaitMs = 500;
const maxWaitMs = 30_000;

/** Connects to a server, and reconnects with increasing waits whenever the connection ends. */
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
    const { tools, changes } = asListed(await listMcpTools(client), { prefix, reserved });
    for (const change of changes)
      if (!upstream.changes.includes(change)) onToolChange?.(name, change);
    // A rebuilt list takes time, and costs clients the provider's cache.
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

  /** Runs one connection until it ends. */
  const connectOnce = async (): Promise<void> => {
    const opened = await connectMcpServer(config, { capabilities, stderr, prepare, signal });
    onAbort(signal, () => void opened.close().catch(() => undefined));
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other hook
    const ended = new Promise<void>((resolve) => (opened.onclose = resolve));
    try {
      await readTools(opened);
      markStarted();
      await ended;
      upstream.problem = "it has ended";
    } finally {
      upstream.client = undefined;
      await opened.close().catch(() => undefined);
    }
  };
  const run = async (): Promise<void> => {
    for (let attempt = 1; !signal.aborted; attempt++) {
      const begin = Date.now();
      await connectOnce().catch((error: unknown) => {
        upstream.problem = error instanceof Error ? error.message.slice(0, 300) : String(error);
      });
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

const page = z.looseObject({
  tools: z.array(z.unknown()),
  nextCursor: z.string().optional().catch(undefined),
});
const maxPages = 100;

/**
 * All tools of a server, unchecked. One that breaks the protocol does not affect the others.
 * @throws McpError `endless_list`
 */
export async function listMcpTools(
  client: Client,
  options: { signal?: AbortSignal; timeout?: number } = {},
): Promise<unknown[]> {
  const tools: unknown[] = [];
  if (client.getServerCapabilities()?.tools === undefined) return tools;
  const cursors = new Set<string | undefined>([undefined]);
  let params = {};
  while (cursors.size <= maxPages) {
    const read = await client.request({ method: "tools/list", params }, page, options);
    tools.push(...read.tools);
    if (cursors.has(read.nextCursor)) return tools;
    cursors.add(read.nextCursor);
    params = { cursor: read.nextCursor };
  }
  throw new McpError("endless_list", `Its list of tools has more than ${maxPages} pages.`);
}

function asListed(
  given: readonly unknown[],
  naming: Parameters<typeof publicNames>[1],
): Pick<Upstream, "tools" | "changes"> {
  const repaired = given.flatMap((one) => repairTool(one) ?? []);
  const byName = new Map(repaired.toReversed().map((one) => [one.tool.name, one]));
  const names = publicNames([...byName.keys()], naming);
  const left = given.length - byName.size;
  const changes = left > 0 ? [`tools without a name or listed again: ${left}`] : [];
  const tools = [...byName.values()].toReversed().map((one): UpstreamTool => {
    const { name: ownName } = one.tool;
    const name = names.get(ownName) ?? ownName;
    if (!name.endsWith(ownName)) changes.push(`${ownName} is listed as ${name}`);
    changes.push(...one.changes.map((change) => `${ownName}: ${change}`));
    return { tool: { ...one.tool, name }, ownName };
  });
  return { tools, changes };
}

const properties = z.record(z.string(), z.json());
const unsuited = ["$ref", "allOf", "anyOf", "enum", "not", "oneOf"];

/**
 * Changes a server's tool so that clients and model APIs accept it, and lists the changes. Undefined for a tool
 * without a name, which can't be called. `outputSchema` is left out, because results are shortened and clients reject
 * a result that does not match its schema.
 */
export function repairTool(given: unknown): { tool: Tool; changes: string[] } | undefined {
  const name = stringAt(given, "name") ?? "";
  if (!isRecord(given) || name === "") return undefined;
  const { inputSchema, annotations } = given;
  const changes = ["title", "description"].flatMap((key) =>
    given[key] === undefined || typeof given[key] === "string" ? [] : [`its ${key} is no text`],
  );
  const isPlain =
    isRecord(inputSchema) &&
    inputSchema["type"] === "object" &&
    !unsuited.some((key) => key in inputSchema);
  const isKept = isPlain && isSchema(inputSchema);
  if (!isKept) changes.push(`its inputSchema is no ${isPlain ? "JSON Schema" : "plain object"}`);
  const texts = {
    title: stringAt(given, "title"),
    description: stringAt(given, "description"),
    annotations: isRecord(annotations) ? annotations : undefined,
  };
  const schema = isKept ? { ...inputSchema, type: "object" as const } : plainSchema(inputSchema);
  return { tool: { name, ...withoutUndefined(texts), inputSchema: schema }, changes };
}

/** Model APIs reject a whole request if one schema is invalid or has a root that is not an object. */
function plainSchema(given: unknown): Tool["inputSchema"] {
  const { $defs } = isRecord(given) ? given : {};
  const definitions = isRecord($defs) && isSchema({ $defs }) ? { $defs } : {};
  const found = objectSchema(given);
  const shown = Object.entries(found.properties).filter(([key, schema]) =>
    isSchema({ ...definitions, properties: { [key]: schema } }),
  );
  const all = Object.fromEntries(found.required.map((name) => [name, {}]));
  return {
    ...definitions,
    type: "object",
    properties: properties.parse({ ...all, ...Object.fromEntries(shown) }),
    required: found.required,
  };
}

function isSchema(schema: JsonRecord): boolean {
  try {
    createJsonSchemaChecker(schema);
    return true;
  } catch {
    return false;
  }
}
