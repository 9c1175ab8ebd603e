import {
  type AliasRegistry,
  computeDelta,
  createContextFiles,
  type Delta,
  type Snapshot,
  takeSnapshot,
} from "@ccl/aliases";

import { requireBase } from "./build-project-pack.ts";
import { nameNewFiles } from "./project.ts";
import type { Session } from "./session.ts";

/** Finds what changed since the accepted base. Names new files. */
export async function changesSinceBase(
  session: Session,
  registry: AliasRegistry,
): Promise<{ delta: Delta; unnamed: number }> {
  const { signal } = session;
  const { unnamed } = await nameNewFiles(session, registry);
  const { snapshot: base } = requireBase(await createContextFiles(registry).readBase(session));
  const next = withTextsOf(await takeSnapshot({ registry, signal }), base);
  return { delta: await computeDelta(base, next, session), unnamed };
}

/** Drops the texts of unchanged files that the base did not store, so that they do not count as changes. */
function withTextsOf(next: Snapshot, base: Snapshot): Snapshot {
  const entries = Object.entries(next.entries).map(([alias, entry]): [string, typeof entry] => {
    const before = base.entries[alias];
    const isUnchanged = before?.sha256 === entry.sha256 && before.path === entry.path;
    return [alias, isUnchanged ? before : entry];
  });
  return { id: next.id, entries: Object.fromEntries(entries) };
}
