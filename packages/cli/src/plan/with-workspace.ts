import { stat } from "node:fs/promises";
import { join } from "node:path";

import type { FileWorkspace } from "@ccl/plan-protocol/node";

import type { Session } from "../session.ts";

/** Runs `work` on the session's folder as a workspace, and closes it. */
export async function withWorkspace<T>(
  session: Session,
  work: (workspace: FileWorkspace) => Promise<T>,
): Promise<T> {
  const { openWorkspace } = await import("@ccl/plan-protocol/node");
  const { version, platform, arch } = process;
  const workspace = await openWorkspace({
    root: session.root,
    env: async () => `node ${version} on ${platform} ${arch}`,
  });
  try {
    return await work(workspace);
  } finally {
    await workspace.close();
  }
}

/** False where no plan was ever applied: then there is nothing to list, and no folder to make for it. */
export async function hasTransactions({ root }: Session): Promise<boolean> {
  const found = await stat(join(root, ".ccl", "transactions")).catch(() => undefined);
  return found !== undefined;
}
