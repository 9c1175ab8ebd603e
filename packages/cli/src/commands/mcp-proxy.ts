import { readFile } from "node:fs/promises";
import { resolve } from "node:path";

import { parseJson } from "@ccl/core/json";
import { type McpProxyStatistics, openMcpProxy, readMcpServers } from "@ccl/mcp";

import { CliError, inputError } from "../cli-error.ts";
import { listen, type ListenFlags } from "../mcp/listen.ts";
import { openState } from "../open-state.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatCount } from "../output/format-number.ts";
import type { Session } from "../session.ts";
import { openCounter } from "../token-counter.ts";

/** Flags of `ccl mcp proxy`. */
export interface McpProxyFlags extends ListenFlags {
  config: string;
  listTokens: number;
  resultTokens: number;
  state?: string | undefined;
}

/** Stands in front of the servers of a file until the client goes, then says on stderr what that saved. */
export async function mcpProxy(session: Session, flags: McpProxyFlags): Promise<CommandResult> {
  const { terminal } = session;
  const path = resolve(terminal.cwd(), flags.config);
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new CliError("usage", `${path} can't be read.`, { cause });
  });
  const servers = readMcpServers(parseJson(text), terminal.env);
  if (!servers.ok)
    throw inputError(
      servers.issues.map((issue) => ({ ...issue, message: `${path}: ${issue.message}` })),
    );
  const artifacts = await openState(session, flags);
  const proxy = await openMcpProxy({
    servers: servers.value,
    listTokens: flags.listTokens,
    resultTokens: flags.resultTokens,
    artifacts: artifacts.store,
    counter: await openCounter("o200k_base"),
    stderr: "inherit",
    owner: session.root,
    onToolChange: (server, change) => terminal.stderr.write(`ccl: ${server}: ${change}\n`),
  });
  try {
    await listen(session, flags, proxy);
    const statistics = proxy.statistics();
    terminal.stderr.write(savings(statistics));
    return { document: statistics };
  } finally {
    await proxy.close();
    await artifacts.close();
  }
}

function savings({ servers, list, results }: McpProxyStatistics): string {
  const calls = Object.values(servers).reduce((sum, server) => sum + server.calls, 0);
  return (
    `tools: ${list.before} tokens, listed in ${list.after}\n` +
    `results: ${formatCount(calls, "call")}, ${results.before} tokens, given in ${results.after} ` +
    `(${results.shortened} shortened, ${results.repeated} repeated)\n`
  );
}
