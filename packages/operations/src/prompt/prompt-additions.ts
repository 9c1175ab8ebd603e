import {
  compareCodeUnits,
  estimatedCounter,
  type Issue,
  type Result,
  success,
  truncateMiddle,
} from "@ccl/core";

import type { PromptEffect } from "../effects/operation-effect.ts";
import { defaultRenderer } from "../liquid/create-template-renderer.ts";
import { textOfValue } from "../liquid/text-of-value.ts";
import type {
  AssemblePromptOptions,
  InclusionInput,
  PromptInsert,
  PromptReport,
  SystemUpdate,
} from "./assembled-prompt.ts";

/** Everything added to a base, in commit order. */
export interface PromptAdditions {
  updates: SystemUpdate[];
  inserts: PromptInsert[];
}

/** Converts inclusions by `(order, tag)`, then effects in commit order, to inserts and system prompt updates. */
export function promptAdditions(
  options: AssemblePromptOptions,
  report: PromptReport,
): Result<PromptAdditions> {
  const additions: PromptAdditions = { updates: [], inserts: [] };
  const issues: Issue[] = [];
  const add = (
    effect: PromptEffect,
    { contributor, path }: Pick<PromptInsert, "contributor" | "path">,
  ): void => {
    const isUpdate = effect.type === "prompt.system_update";
    if (effect.content === "" && !(isUpdate && effect.mode === "replace"))
      report.dropped.push({ contributor, reason: "empty" });
    else if (isUpdate) additions.updates.push({ ...effect, contributor });
    else {
      const { role, content, source } = effect;
      const message = { role, content, source };
      additions.inserts.push({ contributor, path, message, ...placeOf(effect) });
    }
  };
  for (const inclusion of options.inclusions.toSorted(byOrderAndTag)) {
    const { tag } = inclusion;
    const path = ["inclusions", tag];
    const text = textOfInclusion(inclusion, options, report);
    if (text.ok)
      add(effectOf(inclusion, text.value), { contributor: { kind: "inclusion", tag }, path });
    else issues.push(...text.issues.map((issue) => ({ ...issue, path })));
  }
  for (const [effectIndex, { operationId, effect }] of options.effects.entries()) {
    const contributor = { kind: "effect", operationId, effectIndex } as const;
    add(effect, { contributor, path: ["effects", effectIndex] });
  }
  return issues.length > 0 ? { ok: false, issues } : success(additions);
}

function byOrderAndTag(left: InclusionInput, right: InclusionInput): number {
  return left.order - right.order || compareCodeUnits(left.tag, right.tag);
}

function textOfInclusion(
  { tag, inclusion: { template, maxTokens }, value }: InclusionInput,
  { inclusions, counter = estimatedCounter, ...options }: AssemblePromptOptions,
  report: PromptReport,
): Result<string> {
  const { art = Object.fromEntries(inclusions.map((one) => [one.tag, one.value])) } = options;
  const rendered =
    template === undefined
      ? textOfValue(value)
      : defaultRenderer().render(template, { art, value });
  if (!rendered.ok || maxTokens === undefined) return rendered;
  const cut = truncateMiddle(rendered.value, { maxTokens, counter });
  if (cut.isTruncated) report.shortened.push({ tag, removedTokens: cut.removedTokens ?? 0 });
  return success(cut.text);
}

/** Converts an inclusion to the corresponding effect. */
function effectOf({ tag, inclusion }: InclusionInput, content: string): PromptEffect {
  const { mode, role = "system", depth = 0 } = inclusion;
  const payload = { role, content, source: `art.${tag}` };
  if (mode === "after_last_user") return { type: "prompt.append_after_last_user", ...payload };
  if (mode === "at_depth")
    return { type: "prompt.insert_at_depth", depthFromEnd: depth, ...payload };
  // Unlike effects, inclusions have no configurable separator.
  const update = { type: "prompt.system_update", content, separator: "\n\n" } as const;
  return { ...update, mode: mode === "prepend_system" ? "prepend" : "append" };
}

function placeOf(
  effect: Exclude<PromptEffect, { type: "prompt.system_update" }>,
): Pick<PromptInsert, "anchor" | "place" | "onAnchorTrimmed"> {
  if (effect.type === "prompt.insert") {
    const { anchor, place, onAnchorTrimmed } = effect;
    return { anchor, place, onAnchorTrimmed };
  }
  return effect.type === "prompt.insert_at_depth"
    ? { anchor: { offset: effect.depthFromEnd }, place: "before" }
    : { anchor: "last_user", place: "after" };
}
