import type { Client, ClientCapabilities } from "@modelcontextprotocol/client";
import {
  type CallToolResult,
  INVALID_PARAMS,
  ProtocolError,
  type RequestMethod,
  type ResultTypeMap,
  Server,
  type ServerContext,
} from "@modelcontextprotocol/server";

import { untilAborted } from "@ccl/core/async";

import { capabilitiesOf, runTool, type ServerTool } from "../server/server-tool.ts";
import { forwardUp, unavailableText } from "./forward.ts";
import type { ResultShrinker, ResultStatistics } from "./shrink-result.ts";
import type { ToolList } from "./tool-list.ts";
import type { Upstream } from "./upstream.ts";

/** Statistics of one server. */
interface ServerStatistics {
  tools: number;
  calls: number;
  restarts: number;
  /** Why the server does not respond. */
  problem?: string;
  /** Changes to its tools that make models accept them. */
  changes: readonly string[];
}

/** Counters since the proxy started, in tokens by its counter. */
export interface McpProxyStatistics {
  servers: Record<string, ServerStatistics>;
  list: { before: number; after: number };
  results: ResultStatistics;
}

/** State that the parts of a proxy share. */
export interface ProxyState {
  upstreams(): readonly Upstream[];
  /** Starts the servers once, with the first client's capabilities. Waits up to 2 s for them. */
  start(capabilities: ClientCapabilities): Promise<void>;
  list(): ToolList;
  connected: Set<Server>;
  ownTools: readonly ServerTool[];
  createShrinker(sessionId: string): ResultShrinker;
  statistics(): McpProxyStatistics;
}

const capabilities = {
  tools: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  prompts: { listChanged: true },
  completions: {},
  logging: {},
};
const serverInfo = { name: "ccl-proxy", version: "1.0.0" };
const statisticsUri = "ccl://proxy/statistics";

/** Waits for the servers during the handshake. It needs their instructions, and they need the client's capabilities. */
class ProxyServer extends Server {
  constructor(state: ProxyState) {
    super(serverInfo, { capabilities });
    const initialize = this._getRequestHandler("initialize");
    if (initialize === undefined) return;
    this.setRequestHandler("initialize", async (request, context) => {
      await state.start(request.params.capabilities);
      const result = await initialize(
        { jsonrpc: "2.0", id: context.mcpReq.id, ...request },
        context,
      );
      const protocolVersion = String(result["protocolVersion"]);
      return { ...result, protocolVersion, capabilities, serverInfo, ...instructionsOf(state) };
    });
  }
}

function instructionsOf(state: ProxyState): { instructions?: string } {
  const given = state
    .upstreams()
    .flatMap(
      ({ name, client }) => client?.getInstructions()?.replace(/^/, () => `${name}: `) ?? [],
    );
  return given.length === 0 ? {} : { instructions: given.join("\n\n") };
}

/** Creates the proxy's server for one client. */
export function createProxyServer(state: ProxyState, sessionId: string): Server {
  const server = new ProxyServer(state);
  server.oninitialized = () => state.connected.add(server);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK has no other hook
  server.onclose = () => state.connected.delete(server);
  const ready = async (context: ServerContext): Promise<readonly Upstream[]> => {
    await state.start(capabilitiesOf(server, context));
    return state.upstreams();
  };
  addTools(server, state, ready, sessionId);
  addResources(server, state, ready);
  addPrompts(server, ready);
  server.setRequestHandler("completion/complete", async ({ params }, context) => {
    const { ref } = params;
    const upstreams = await ready(context);
    if (ref.type === "ref/resource")
      return firstAnswer(upstreams, { method: "completion/complete", params }, context);
    const { upstream, own } = ownerOf(ref.name, upstreams);
    const asked = { ...params, ref: { ...ref, name: own } };
    return forwardUp(upstream, { method: "completion/complete", params: asked }, context);
  });
  server.setRequestHandler("logging/setLevel", async ({ params }, context) => {
    const able = (await ready(context)).filter(
      ({ client }) => client?.getServerCapabilities()?.logging !== undefined,
    );
    for (const one of able) await forwardUp(one, { method: "logging/setLevel", params }, context);
    return {};
  });
  server.setNotificationHandler("notifications/roots/list_changed", async () => {
    for (const { client } of state.upstreams())
      await client?.sendRootsListChanged().catch(() => undefined);
  });
  return server;
}

type Ready = (context: ServerContext) => Promise<readonly Upstream[]>;

function addTools(server: Server, state: ProxyState, ready: Ready, sessionId: string): void {
  const { ownTools } = state;
  const shrinker = state.createShrinker(sessionId);
  server.setRequestHandler("tools/list", async (_, context) => {
    await ready(context);
    return { tools: state.list().tools };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const upstreams = await ready(context);
    const { name, arguments: input = {} } = params;
    const own = ownTools.find((tool) => tool.name === name);
    const { signal } = context.mcpReq;
    if (own !== undefined) {
      const call = { signal, context, sessionId, canAsk: false, progress: () => undefined };
      return runTool(own, input, call);
    }
    // The tool may belong to a server that is still starting.
    const asked = name === "call_tool" ? String(input["name"]) : name;
    const late = upstreams.find((one) => one.isStarting && asked.startsWith(`${one.prefix}__`));
    if (late !== undefined) await untilAborted(late.started, signal);
    const answer = await state.list().call(name, input, { context, shrinker });
    if (answer !== undefined) return withStarting(answer, name === "find_tools" ? upstreams : []);
    // The server may support more tools than it lists, and it answers calls of unknown tools itself.
    const { upstream, own: ownName } = ownerOf(name, upstreams);
    return forwardUp(
      upstream,
      { method: "tools/call", params: { ...params, name: ownName } },
      context,
    );
  });
}

/** Names the servers that are still starting, whose tools the search can't have found. */
function withStarting(answer: CallToolResult, upstreams: readonly Upstream[]): CallToolResult {
  const late = upstreams.filter(({ isStarting }) => isStarting).map(({ name }) => name);
  if (late.length === 0) return answer;
  const text = `[still starting, so search again for their tools: ${late.join(", ")}]`;
  return { ...answer, content: [...answer.content, { type: "text", text }] };
}

/** Limits how long a list waits for a server. */
const limits = ({ mcpReq: { signal } }: ServerContext) => ({ signal, timeout: 5_000 });

/** Collects the lists of all servers with a capability. Leaves out servers that fail. */
async function listed<List>(
  upstreams: readonly Upstream[],
  capability: "prompts" | "resources",
  list: (client: Client, prefix: string | undefined) => Promise<List[]>,
): Promise<List[]> {
  const lists = upstreams.map(async ({ client, prefix }) =>
    client?.getServerCapabilities()?.[capability] === undefined
      ? []
      : list(client, prefix).catch(() => []),
  );
  return (await Promise.all(lists)).flat();
}

function addResources(server: Server, state: ProxyState, ready: Ready): void {
  server.setRequestHandler("resources/list", async (_, context) => {
    const resources = await listed(
      await ready(context),
      "resources",
      async (client) => (await client.listResources(undefined, limits(context))).resources,
    );
    const name = "What the proxy saved";
    resources.push({ uri: statisticsUri, name, mimeType: "application/json" });
    return { resources };
  });
  server.setRequestHandler("resources/templates/list", async (_, context) => {
    const resourceTemplates = await listed(
      await ready(context),
      "resources",
      async (client) =>
        (await client.listResourceTemplates(undefined, limits(context))).resourceTemplates,
    );
    return { resourceTemplates };
  });
  server.setRequestHandler("resources/read", async ({ params }, context) => {
    if (params.uri === statisticsUri) {
      const text = JSON.stringify(state.statistics(), null, 2);
      return { contents: [{ uri: statisticsUri, mimeType: "application/json", text }] };
    }
    return firstAnswer(await ready(context), { method: "resources/read", params }, context);
  });
  for (const method of ["resources/subscribe", "resources/unsubscribe"] as const)
    server.setRequestHandler(method, async ({ params }, context) =>
      firstAnswer(await ready(context), { method, params }, context),
    );
}

function addPrompts(server: Server, ready: Ready): void {
  server.setRequestHandler("prompts/list", async (_, context) => {
    const prompts = await listed(await ready(context), "prompts", async (client, prefix) => {
      const list = await client.listPrompts(undefined, limits(context));
      const before = prefix === undefined ? "" : `${prefix}__`;
      return list.prompts.map((prompt) => ({ ...prompt, name: before + prompt.name }));
    });
    return { prompts };
  });
  server.setRequestHandler("prompts/get", async ({ params }, context) => {
    const { upstream, own } = ownerOf(params.name, await ready(context));
    return forwardUp(
      upstream,
      { method: "prompts/get", params: { ...params, name: own } },
      context,
    );
  });
}

/** Returns the server that a public name belongs to, and the name at that server. */
function ownerOf(
  name: string,
  upstreams: readonly Upstream[],
): { upstream: Upstream; own: string } {
  const [only] = upstreams;
  if (only !== undefined && upstreams.length === 1) return { upstream: only, own: name };
  const upstream = upstreams.find(({ prefix }) => name.startsWith(`${prefix}__`));
  if (upstream === undefined) {
    const problems = upstreams.flatMap((one) =>
      one.problem === undefined ? [] : unavailableText(one),
    );
    const asked = JSON.stringify(name.slice(0, 80));
    throw new ProtocolError(INVALID_PARAMS, [`No server has ${asked}.`, ...problems].join(" "));
  }
  return { upstream, own: name.slice(name.indexOf("__") + 2) };
}

/** Returns the first successful answer. Throws the last error if no server answers. */
async function firstAnswer<Method extends RequestMethod>(
  upstreams: readonly Upstream[],
  request: { method: Method; params: Record<string, unknown> },
  context: ServerContext,
): Promise<ResultTypeMap[Method]> {
  let problem: unknown = new ProtocolError(-32_002, "No server has that resource.");
  for (const upstream of upstreams) {
    if (upstream.client?.getServerCapabilities()?.resources === undefined) continue;
    try {
      return await forwardUp(upstream, request, context);
    } catch (error) {
      if (context.mcpReq.signal.aborted) throw error;
      problem = error;
    }
  }
  throw problem;
}
