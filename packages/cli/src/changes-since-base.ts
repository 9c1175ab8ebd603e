import {
  computeDelta,
  takeSnapshot,
  type AliasRegistry,
  type Delta,
  type Snapshot,
} from "@ccl/aliases";

import { describeCallers } from "./describe-callers.ts";
import type { Session } from "./session.ts";

/** What changed since the accepted base, with the callers of signatures that changed. */
export async function changesSinceBase(
  session: Session,
  { registry, base }: { registry: AliasRegistry; base: Snapshot },
): Promise<Delta> {
  const { signal } = session;
  const next = withTextsOf(await takeSnapshot({ registry, signal }), base);
  return await describeCallers(await computeDelta(base, next, { signal }), registry, session);
}

/** Without the texts that the base did not keep of unchanged files: a text more is no change. */
function withTextsOf(next: Snapshot, base: Snapshot): Snapshot {
  const entries = Object.entries(next.entries).map(([alias, entry]): [string, typeof entry] => {
    const before = base.entries[alias];
    const isUnchanged = before?.sha256 === entry.sha256 && before.path === entry.path;
    return [alias, isUnchanged ? before : entry];
  });
  return { id: next.id, entries: Object.fromEntries(entries) };
}
