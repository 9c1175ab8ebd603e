import { openAliasRegistry } from "@ccl/aliases";
import { createMcpServer, type McpServerOptions } from "@ccl/mcp";
import { openWorkspace } from "@ccl/plan-protocol/node";

import { catalogFolder, openSnapshot, readCatalog } from "../catalog/read-catalog.ts";
import { gitHistory } from "../git-history.ts";
import { listen, type ListenFlags } from "../mcp/listen.ts";
import { openState } from "../open-state.ts";
import type { CommandResult } from "../output/command-result.ts";
import { openLanguageModel } from "../plan/open-language-model.ts";
import { openConnectors } from "../query/open-connectors.ts";
import type { Session } from "../session.ts";
import { openCounter } from "../token-counter.ts";

/** Flags of `ccl mcp`. */
export interface McpServeFlags extends ListenFlags {
  allowApply?: boolean | undefined;
  state?: string | undefined;
}

type Closer = () => unknown;

/** Serves the project until the client goes. Nothing is set up, and nothing is written into the project. */
export async function mcpServe(session: Session, flags: McpServeFlags): Promise<CommandResult> {
  const { root, directory, terminal } = session;
  const closers: Closer[] = [];
  try {
    const registry = await openAliasRegistry({ root, directory, persist: false });
    closers.push(() => registry.close());
    const artifacts = await openState(session, flags);
    closers.push(() => artifacts.close());
    const workspace = await openWorkspace({ root });
    closers.push(() => workspace.close());
    const options: McpServerOptions = {
      ...(await openCatalogParts(session, closers)),
      project: { registry, history: gitHistory(session) },
      artifacts: artifacts.store,
      plans: { workspace, allowApply: flags.allowApply },
      model: terminal.env["CCL_MODEL"] ? await openLanguageModel(session, {}) : undefined,
      counter: await openCounter("o200k_base"),
    };
    if (terminal.stderr.isTTY === true)
      terminal.stderr.write(
        `serving ${root}; artifacts in ${artifacts.path} (${artifacts.kind})\n`,
      );
    await listen(session, flags, { factory: createMcpServer(options) });
    return { document: { root } };
  } finally {
    for (const close of closers.toReversed()) await close();
  }
}

/** The project's catalog and its sources, where it has one. A source that does not open leaves the others. */
async function openCatalogParts(
  session: Session,
  closers: Closer[],
): Promise<Pick<McpServerOptions, "catalog" | "query">> {
  if (!catalogFolder(session).exists()) return {};
  const read = await readCatalog(session);
  const catalog = openSnapshot(read);
  const { root, terminal } = session;
  const connectors: Record<
    string,
    Awaited<ReturnType<typeof openConnectors>>["connectors"][string]
  > = {};
  for (const source of await read.folder.readSources(read.content)) {
    try {
      const opened = await openConnectors({ root, env: terminal.env }, [source]);
      closers.push(() => opened.close());
      Object.assign(connectors, opened.connectors);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      terminal.stderr.write(`ccl: ${source.name} can't be queried: ${reason}\n`);
    }
  }
  return { catalog, query: { connectors } };
}
