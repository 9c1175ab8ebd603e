import {
  type AliasRegistry,
  computeDelta,
  createContextFiles,
  type Delta,
  takeSnapshot,
} from "@ccl/aliases";

import { requireBase } from "./build-project-pack.ts";
import { nameNewFiles } from "./project.ts";
import type { Session } from "./session.ts";

/** Finds what has changed since the accepted base. Assigns aliases to new files. */
export async function changesSinceBase(
  session: Session,
  registry: AliasRegistry,
): Promise<{ delta: Delta; unnamed: number }> {
  const { signal } = session;
  const { unnamed } = await nameNewFiles(session, registry);
  const { snapshot: base } = requireBase(await createContextFiles(registry).readBase(session));
  const next = await takeSnapshot({ registry, signal });
  return { delta: await computeDelta(base, next, session), unnamed };
}
