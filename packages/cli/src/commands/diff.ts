import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { createContextFiles, renderDelta, type Delta } from "@ccl/aliases";

import { patchSinceBase } from "../base-tree.ts";
import { CliError } from "../cli-error.ts";
import { type CountedFor, openCounter } from "../token-counter.ts";
import { changesSinceBase } from "../changes-since-base.ts";
import { formatCount, formatNumber } from "../output/text.ts";
import { describeUnnamed, withProject } from "../project.ts";
import type { CommandResult, Session } from "../session.ts";

/** Flags of `ccl diff`. */
interface DiffFlags extends CountedFor {
  budget: number;
  action?: string | undefined;
  patch?: boolean | undefined;
  show?: boolean | undefined;
}

/** Prints the changes since the accepted base as a prompt within the budget. */
export function diff(session: Session, flags: DiffFlags): Promise<CommandResult> {
  const { root, directory } = session;
  const { action, budget } = flags;
  return withProject(session, flags.show !== true, async (registry) => {
    const { delta, unnamed } = await changesSinceBase(session, registry);
    const { text: patch, whyNot } = await patchSinceBase(session, delta.baseId);
    if (flags.patch && patch === undefined)
      throw new CliError("input_invalid", `There is no patch: ${whyNot}.`);
    const written =
      patch !== undefined && delta.changes.length > 0 && !flags.show
        ? [await createContextFiles(registry).writeDelta(patch, session)]
        : [];
    const counter = await openCounter(flags, session);
    const prompt = renderDelta(delta, { action, budget, counter });
    const pack = await readFile(join(root, directory, "prompt.pack"), "utf8").catch(() => "");
    // A later pack may have replaced the accepted one.
    const packTokens = pack.includes(delta.baseId) ? counter.count(pack) : undefined;
    const sizes = { tokens: counter.count(prompt), packTokens };
    return {
      document: { ...describe(delta), patch, prompt, ...sizes, written },
      text: flags.patch ? (patch ?? "") : `${prompt}\n`,
      note:
        describeUnnamed(unnamed) +
        written.map((path) => `wrote ${path}\n`).join("") +
        summaryOf(delta, sizes) +
        (whyNot === undefined ? "" : `ccl: ctx/delta.patch was not written: ${whyNot}.\n`),
    };
  });
}

function describe({ baseId, nextId, changes }: Delta): object {
  return {
    baseId,
    nextId,
    changes: changes.map((change) => {
      const { alias, type } = change;
      if (type === "added") return { alias, type, path: change.entry.path, notes: [] };
      return { alias, type, path: change.path, notes: type === "changed" ? change.notes : [] };
    }),
  };
}

function summaryOf(
  { baseId, changes }: Delta,
  { tokens, packTokens }: { tokens: number; packTokens: number | undefined },
): string {
  if (changes.length === 0) return `Nothing changed since ${baseId}.\n`;
  const size = `${formatCount(changes.length, "change")} since ${baseId}: ${formatNumber(tokens)} tokens`;
  if (packTokens === undefined) return `${size}\n`;
  const hint = tokens < packTokens ? "" : '; "ccl pack" shows the current state instead';
  return `${size}, the accepted pack has ${formatNumber(packTokens)}${hint}\n`;
}
