import { computeDelta, createContextFiles, renderDelta, takeSnapshot } from "@ccl/aliases";

import { buildProjectPack, type PackShape, requireBase } from "../build-project-pack.ts";
import { hasRegistry, nameNewFiles, withProject, withScan } from "../project.ts";
import type { Session } from "../session.ts";
import { openCounter } from "../token-counter.ts";

/** Which of the project's own summaries the model gets. */
export interface BackgroundFlags extends Pick<PackShape, "budget" | "modelEncoding"> {
  task: string;
  usePack?: boolean | undefined;
  delta?: boolean | undefined;
}

/** The pack for the task, what changed since the accepted base, or both; writes nothing. */
export async function genBackground(
  session: Session,
  flags: BackgroundFlags,
): Promise<string | undefined> {
  const parts: string[] = [];
  if (flags.usePack === true) parts.push(await packText(session, flags));
  if (flags.delta === true) parts.push(await deltaText(session, flags));
  return parts.length === 0 ? undefined : parts.join("\n\n");
}

async function packText(
  session: Session,
  { task, budget, modelEncoding }: BackgroundFlags,
): Promise<string> {
  const shape = { task, budget, modelEncoding };
  if (!(await hasRegistry(session)))
    return await withScan(
      session,
      {},
      async (registry) => (await buildProjectPack(session, shape, { registry })).pack.text,
    );
  return await withProject(session, { persist: false }, async (registry) => {
    await nameNewFiles(session, registry);
    const source = { registry, files: createContextFiles(registry) };
    return (await buildProjectPack(session, shape, source)).pack.text;
  });
}

async function deltaText(
  session: Session,
  { budget, modelEncoding }: BackgroundFlags,
): Promise<string> {
  const counter = await openCounter(modelEncoding);
  const { signal } = session;
  return await withProject(session, { persist: false }, async (registry) => {
    const base = requireBase(await createContextFiles(registry).readBase({ signal }));
    await nameNewFiles(session, registry);
    const next = await takeSnapshot({ registry, signal });
    return renderDelta(await computeDelta(base.snapshot, next, { signal }), { budget, counter });
  });
}
