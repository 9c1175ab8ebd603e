import { type Pack, renderDelta } from "@ccl/aliases";
import type { ProposeOptions } from "@ccl/plan-protocol";

import { buildProjectPack } from "../build-project-pack.ts";
import { type CountedFor, openCounter } from "../token-counter.ts";
import { changesSinceBase } from "../changes-since-base.ts";
import { withFiles, withProject } from "../project.ts";
import type { Session } from "../session.ts";

/** Flags that choose which summaries of the project the model gets. */
export interface BackgroundFlags extends CountedFor {
  budget: number;
  pack?: boolean | undefined;
  delta?: boolean | undefined;
}

/** Maximum number of files named by a goal that are shown whole. Pack and delta are cut to fit. */
const MAX_FILES = 8;

/**
 * Collects the pack for the goal, the changes since the accepted base, and the files that the goal is about. Writes
 * nothing.
 */
export async function genBackground(
  session: Session,
  goal: string,
  given: BackgroundFlags,
): Promise<Pick<ProposeOptions, "background" | "shownFiles" | "files">> {
  const flags = { ...given, model: given.model ?? session.terminal.env["CCL_MODEL"] };
  const { budget, modelEncoding, model } = flags;
  const shape = { task: goal, budget, modelEncoding, model };
  const pack =
    flags.pack === false
      ? undefined
      : await withFiles(session, {}, async ({ registry }) => {
          return (await buildProjectPack(session, shape, { registry })).pack;
        });
  const delta = flags.delta ? await deltaText(session, flags) : undefined;
  const parts = [pack && contextOf(pack), delta].filter((part) => part !== undefined);
  const shown = pack?.entries.filter(({ level }) => level === "full" || level === "slice") ?? [];
  return {
    background: parts.length === 0 ? undefined : parts.join("\n\n"),
    shownFiles: shown.map(({ path }) => path),
    files: pack === undefined ? [] : filesToRead(pack),
  };
}

/** Removes a pack's instruction, since the goal is elsewhere and there are no tools to call. */
function contextOf({ text }: Pack): string {
  const at = text.lastIndexOf("\n[INSTRUCTION]\n");
  return at < 0 ? text : text.slice(0, at + 1);
}

/** Finds the files that the goal names, except those that the pack shows whole. */
function filesToRead({ entries }: Pack): string[] {
  const named = entries.filter(({ reason }) => reason === "focus");
  const cut = named.filter(({ level, isCut }) => level !== "full" || isCut);
  return cut.map(({ path }) => path).slice(0, MAX_FILES);
}

async function deltaText(session: Session, flags: BackgroundFlags): Promise<string> {
  const { budget } = flags;
  const counter = await openCounter(flags, session);
  return withProject(session, false, async (registry) => {
    const { delta } = await changesSinceBase(session, registry);
    return renderDelta(delta, { budget, counter });
  });
}
