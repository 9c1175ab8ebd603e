import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { sha8 } from "@ccl/core";
import { loadOnce, untilAborted } from "@ccl/core/async";
import { parseJson } from "@ccl/core/json";
import {
  createMcpServer,
  type McpProxy,
  type McpProxyOptions,
  type McpServerOptions,
  openMcpHttp,
  openMcpProxy,
  openMcpStdio,
  openToolUses,
  readMcpServers,
  type ToolUses,
} from "@ccl/mcp";

import { openState, withState } from "../artifact-folder.ts";
import { messageOf, requireValid } from "../cli-error.ts";
import { finding, findingsResult } from "../output/findings.ts";
import { formatCount } from "../output/text.ts";
import { readInput } from "../plan/read-input.ts";
import type { CommandResult, Session } from "../session.ts";
import { openCounter } from "../token-counter.ts";

/** Registers something opened, to be closed when the server ends. */
type CloseLater = <Opened extends { close(): unknown }>(
  opening: Promise<Opened>,
) => Promise<Opened>;

/**
 * Serves the project until the client disconnects. Writes nothing into the project. Each tool imports and opens what it
 * needs on its first call, so that the tool list is ready before clients time out.
 */
export async function mcpServe(
  session: Session,
  flags: ListenFlags & { allowApply?: boolean; state?: string },
): Promise<CommandResult> {
  const { root, directory, terminal } = session;
  const closers: (() => Promise<unknown>)[] = [];
  const closeLater: CloseLater = (opening) => {
    closers.push(async () => (await opening.catch(() => undefined))?.close());
    return opening;
  };
  const options: McpServerOptions = {
    ...catalogParts(session, closeLater),
    async project() {
      const { openAliasRegistry } = await import("@ccl/aliases");
      const { gitHistory } = await import("../git.ts");
      const registry = await closeLater(openAliasRegistry({ root, directory, persist: false }));
      return { registry, history: gitHistory(session) };
    },
    artifacts: async () => (await closeLater(openState(session, flags))).store,
    plans: {
      async workspace() {
        const { openWorkspace } = await import("@ccl/plan-protocol/node");
        return closeLater(openWorkspace({ root }));
      },
      allowApply: flags.allowApply,
    },
    model: terminal.env["CCL_MODEL"]
      ? async () => (await import("../plan/open-language-model.ts")).openLanguageModel(session, {})
      : undefined,
    counter: () => openCounter({ modelEncoding: "o200k_base" }, session),
    owner: root,
  };
  try {
    await listen(session, flags, { factory: createMcpServer(options) });
    return { document: { root } };
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

/**
 * Offers the project's catalog, if there is one, and its sources. A source that fails to open does not affect the
 * others.
 */
function catalogParts(
  session: Session,
  closeLater: CloseLater,
): Pick<McpServerOptions, "catalog" | "query"> {
  const { root, directory, terminal } = session;
  if (!existsSync(join(root, directory, "catalog"))) return {};
  const read = loadOnce(async () =>
    (await import("../catalog/read-catalog.ts")).readCatalog(session),
  );
  return {
    async catalog() {
      const { openSnapshot } = await import("../catalog/read-catalog.ts");
      return openSnapshot(await read());
    },
    async query() {
      const { openConnectors } = await import("../catalog/query-catalog.ts");
      const { folder, content } = await read();
      const sources = await folder.readSources(content);
      const opening = openConnectors(session, sources, ({ name }, error) => {
        terminal.stderr.write(`ccl: ${name} can't be queried: ${messageOf(error)}\n`);
      });
      return closeLater(opening);
    },
  };
}

/** Flags of `ccl mcp doctor`. */
interface McpServersFlags {
  config: string;
  state?: string | undefined;
  learning?: boolean | undefined;
}

/** Flags of `ccl mcp proxy`. */
interface McpProxyFlags extends ListenFlags, McpServersFlags {
  listTokens: number;
  resultTokens: number;
}

/** Opens a proxy for the servers in a file. */
async function withProxy(
  session: Session,
  flags: McpServersFlags,
  work: (proxy: McpProxy, uses?: ToolUses) => Promise<CommandResult>,
  options: Partial<McpProxyOptions> = {},
): Promise<CommandResult> {
  const { terminal, root } = session;
  const text = await readInput(session, flags.config, "servers");
  const path = resolve(terminal.cwd(), flags.config);
  const servers = requireValid(readMcpServers(parseJson(text), terminal.env), path);
  return withState(session, flags, async (state) => {
    const records = await state.decisions();
    const uses = flags.learning === false ? undefined : await openToolUses(records, sha8(root));
    const proxy = await openMcpProxy({
      servers,
      uses,
      artifacts: state.store,
      counter: await openCounter({ modelEncoding: "o200k_base" }, session),
      owner: root,
      ...options,
    });
    try {
      return await work(proxy, uses);
    } finally {
      await proxy.close();
      await uses?.close();
      await records.close();
    }
  });
}

/** Starts the servers in a file, and reports the size of their tools and what had to be changed. */
export async function mcpDoctor(session: Session, flags: McpServersFlags): Promise<CommandResult> {
  return withProxy(session, flags, async (proxy, uses) => {
    const findings = await untilAborted(proxy.check(), session.signal);
    const learned = [...(uses?.counts ?? [])].map(([tool, count]) =>
      finding(tool, "ok", formatCount(count, "successful call")),
    );
    return findingsResult([...findings, ...learned], proxy.statistics());
  });
}

/** Proxies the servers in a file until the client disconnects, then reports the savings on stderr. */
export async function mcpProxy(session: Session, flags: McpProxyFlags): Promise<CommandResult> {
  const { stderr } = session.terminal;
  const { listTokens, resultTokens } = flags;
  const work = async (proxy: McpProxy): Promise<CommandResult> => {
    await listen(session, flags, proxy);
    const statistics = proxy.statistics();
    const { list, results } = statistics;
    stderr.write(
      `tools: ${list.before} tokens, listed in ${list.after}\n` +
        `results: ${results.before} tokens in ${formatCount(results.results, "result")}, returned in ${results.after} ` +
        `(${results.shortened} shortened, ${results.repeated} repeated)\n`,
    );
    return { document: statistics };
  };
  return withProxy(session, flags, work, {
    listTokens,
    resultTokens,
    stderr: "inherit",
    onToolChange: (server, change) => stderr.write(`ccl: ${server}: ${change}\n`),
  });
}

/** Flags that choose how a server is reached. */
interface ListenFlags {
  /** The port. True for any free port. */
  http?: number | true | undefined;
  host?: string | undefined;
}

/** Serves over stdio until the client disconnects, or over HTTP until the user interrupts. */
async function listen(
  { terminal, signal }: Session,
  { http, host }: ListenFlags,
  { factory, bus }: Pick<McpProxy, "factory"> & Partial<McpProxy>,
): Promise<void> {
  const aborted = signal.aborted ? undefined : once(signal, "abort");
  if (http === undefined && host === undefined) {
    const stdio = await openMcpStdio(factory);
    await Promise.race([stdio.closed, aborted]);
    await stdio.close();
    return;
  }
  const server = await openMcpHttp(factory, {
    host,
    port: http === true ? undefined : http,
    token: terminal.env["CCL_MCP_TOKEN"],
    bus,
  });
  terminal.stderr.write(`listening at ${server.url}\n`);
  await aborted;
  await server.close();
}
