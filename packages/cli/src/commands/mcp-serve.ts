import { existsSync } from "node:fs";
import { join } from "node:path";

import { loadOnce } from "@ccl/core/async";
import { createMcpServer, type McpServerOptions, type QuerySource } from "@ccl/mcp";

import { listen, type ListenFlags } from "../mcp/listen.ts";
import { openState } from "../open-state.ts";
import type { CommandResult } from "../output/command-result.ts";
import type { Session } from "../session.ts";
import { openCounter } from "../token-counter.ts";

/** Flags of `ccl mcp`. */
export interface McpServeFlags extends ListenFlags {
  allowApply?: boolean | undefined;
  state?: string | undefined;
}

/** Closes at the end what was opened, or at once where the end came first. */
type CloseLater = (close: () => unknown) => Promise<void>;

/**
 * Serves the project until the client goes. Nothing is set up, and nothing is written into the project. What a tool needs is
 * imported and opened at its first call, so that clients that wait little for the list get it.
 */
export async function mcpServe(session: Session, flags: McpServeFlags): Promise<CommandResult> {
  const { root, directory, terminal } = session;
  const closers: (() => unknown)[] = [];
  let isOver = false;
  const closeLater: CloseLater = async (close) => {
    if (isOver) await close();
    else closers.push(close);
  };
  const options: McpServerOptions = {
    ...catalogParts(session, closeLater),
    async project() {
      const [{ openAliasRegistry }, { gitHistory }] = await Promise.all([
        import("@ccl/aliases"),
        import("../git-history.ts"),
      ]);
      const registry = await openAliasRegistry({ root, directory, persist: false });
      await closeLater(() => registry.close());
      return { registry, history: gitHistory(session) };
    },
    async artifacts() {
      const { store, close } = await openState(session, flags);
      await closeLater(close);
      return store;
    },
    plans: {
      async workspace() {
        const { openWorkspace } = await import("@ccl/plan-protocol/node");
        const workspace = await openWorkspace({ root });
        await closeLater(() => workspace.close());
        return workspace;
      },
      allowApply: flags.allowApply,
    },
    model: terminal.env["CCL_MODEL"]
      ? async () => (await import("../plan/open-language-model.ts")).openLanguageModel(session, {})
      : undefined,
    counter: () => openCounter("o200k_base"),
    owner: root,
  };
  try {
    await listen(session, flags, { factory: createMcpServer(options) });
    return { document: { root } };
  } finally {
    isOver = true;
    for (const close of closers.toReversed()) await close();
  }
}

/** The project's catalog and its sources, where it has a folder of one. A source that does not open leaves the others. */
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
      const { openConnectors } = await import("../query/open-connectors.ts");
      const { folder, content } = await read();
      const connectors: Record<string, QuerySource["connectors"][string]> = {};
      for (const source of await folder.readSources(content)) {
        try {
          const opened = await openConnectors({ root, env: terminal.env }, [source]);
          await closeLater(() => opened.close());
          Object.assign(connectors, opened.connectors);
        } catch (error) {
          const reason = error instanceof Error ? error.message : String(error);
          terminal.stderr.write(`ccl: ${source.name} can't be queried: ${reason}\n`);
        }
      }
      return { connectors };
    },
  };
}
