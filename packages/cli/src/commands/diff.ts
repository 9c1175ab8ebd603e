import { createContextFiles, renderDelta, type Delta } from "@ccl/aliases";

import { patchSinceBase } from "../base-tree.ts";
import {
  buildProjectPack,
  requireBase,
  type PackShape,
  type PackSource,
} from "../build-project-pack.ts";
import { CliError } from "../cli-error.ts";
import { openCounter } from "../token-counter.ts";
import { changesSinceBase } from "../changes-since-base.ts";
import type { CommandResult } from "../output/command-result.ts";
import { formatCount, formatNumber } from "../output/format-number.ts";
import { describeUnnamed, nameNewFiles, withProject } from "../project.ts";
import type { Session } from "../session.ts";

/** Flags of `ccl diff`. */
export interface DiffFlags extends Pick<PackShape, "task" | "budget" | "modelEncoding"> {
  action?: string | undefined;
  patch?: boolean | undefined;
  show?: boolean | undefined;
}

/** Prints the changes since the accepted base as a prompt, or the pack if that is smaller. */
export async function diff(session: Session, flags: DiffFlags): Promise<CommandResult> {
  const { signal } = session;
  return await withProject(session, { persist: flags.show !== true }, async (registry) => {
    const { unnamed } = await nameNewFiles(session, registry);
    const files = createContextFiles(registry);
    const base = requireBase(await files.readBase({ signal }));
    const delta = await changesSinceBase(session, { registry, base: base.snapshot });
    const hasChanges = delta.changes.length > 0;
    const found = await patchSinceBase(session, base.snapshot.id);
    const [patch, whyNot] = typeof found === "string" ? [found] : [undefined, found.whyNot];
    if (flags.patch === true && patch === undefined)
      throw new CliError("input_invalid", `There is no patch: ${whyNot}.`);
    const written =
      patch !== undefined && hasChanges && flags.show !== true
        ? [await files.writeDelta(patch, { signal })]
        : [];
    const choice = hasChanges
      ? await chooseSmaller(delta, { session, flags, source: { registry, files } })
      : await countPrompt(renderDelta(delta, { action: flags.action }), flags);
    return {
      document: { ...describe(delta), patch, ...choice, written },
      text: () => (flags.patch === true ? (patch ?? "") : `${choice.prompt}\n`),
      note: () =>
        summaryOf(delta, choice, { written, unnamed }) +
        (whyNot === undefined ? "" : `ccl: ctx/delta.patch is not written: ${whyNot}.\n`),
    };
  });
}

interface Choice {
  prompt: string;
  tokens: number;
  /** True if the delta is larger than the pack, so that `prompt` is the pack. */
  isPack: boolean;
  deltaTokens: number;
  /** Absent if nothing changed, since no pack was built. */
  packTokens?: number | undefined;
}

async function countPrompt(prompt: string, { modelEncoding }: DiffFlags): Promise<Choice> {
  const tokens = (await openCounter(modelEncoding)).count(prompt);
  return { prompt, tokens, deltaTokens: tokens, isPack: false };
}

/** The delta with as many hunks as fit the budget, or the pack if that is smaller. */
async function chooseSmaller(
  delta: Delta,
  context: { session: Session; flags: DiffFlags; source: PackSource },
): Promise<Choice> {
  const { session, flags, source } = context;
  const { action, budget, modelEncoding } = flags;
  const task = [flags.task, action].filter((part) => part !== undefined).join("\n");
  const shape = { budget, modelEncoding, task: task !== "" ? task : undefined };
  const { pack, counter } = await buildProjectPack(session, shape, source);
  const prompt = renderDelta(delta, { action, budget, counter });
  const sizes = { deltaTokens: counter.count(prompt), packTokens: pack.tokens };
  if (sizes.deltaTokens <= pack.tokens)
    return { prompt, tokens: sizes.deltaTokens, isPack: false, ...sizes };
  return { prompt: pack.text.trimEnd(), tokens: pack.tokens, isPack: true, ...sizes };
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
  delta: Delta,
  { tokens, deltaTokens, packTokens, isPack }: Choice,
  { written, unnamed }: { written: string[]; unnamed: number },
): string {
  const lines = written.map((path) => `wrote ${path}`);
  const count = formatCount(delta.changes.length, "change");
  if (delta.changes.length === 0) {
    lines.push(`Nothing changed since ${delta.baseId}.`);
  } else if (isPack) {
    const sizes = `${formatNumber(deltaTokens)} against ${formatNumber(tokens)} tokens`;
    lines.push(`The delta of ${count} is larger than the pack (${sizes}): this is the pack.`);
  } else {
    lines.push(
      `${count} since ${delta.baseId}: ${formatNumber(tokens)} tokens instead of ${formatNumber(packTokens ?? 0)}`,
    );
  }
  return describeUnnamed(unnamed) + lines.map((line) => `${line}\n`).join("");
}
