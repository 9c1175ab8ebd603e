import {
  type ChatMessage,
  estimatedCounter,
  type Issue,
  type Result,
  success,
  type TokenCounter,
  truncateMiddle,
} from "@ccl/core";

import type { PromptEffect, PromptPayload } from "../effects/operation-effect.ts";
import type { InsertRole } from "../artifact/operation-artifact.ts";
import { defaultRenderer } from "../liquid/default-renderer.ts";
import type { TemplateRenderer } from "../liquid/template-renderer.ts";
import { textOfValue } from "../liquid/text-of-value.ts";
import type {
  AssemblePromptOptions,
  EffectInput,
  InclusionInput,
  PromptReport,
} from "./assembled-prompt.ts";
import type { PromptAdditions, PromptInsert, SystemUpdate } from "./prompt-insert.ts";

/** Between the system prompt and an artifact that includes itself: unlike an update, it has no separator to give. */
const inclusionSeparator = "\n\n";

type Addition = { update: SystemUpdate } | { insert: PromptInsert } | undefined;

/** Inclusions by `(order, tag)`, then effects in commit order, as updates of the system prompt and inserts. */
export function collectAdditions(
  options: AssemblePromptOptions,
  report: PromptReport,
): Result<PromptAdditions> {
  const additions: PromptAdditions = { updates: [], inserts: [] };
  const issues: Issue[] = [];
  const add = (result: Result<Addition>): void => {
    if (!result.ok) issues.push(...result.issues);
    else if (result.value !== undefined && "update" in result.value)
      additions.updates.push(result.value.update);
    else if (result.value !== undefined) additions.inserts.push(result.value.insert);
  };
  const context: InclusionContext = {
    counter: options.counter ?? estimatedCounter,
    renderer: options.renderer ?? defaultRenderer(),
    art:
      options.art ?? Object.fromEntries(options.inclusions.map(({ tag, value }) => [tag, value])),
    report,
  };
  const inclusions = options.inclusions.toSorted(byOrderAndTag);
  for (const inclusion of inclusions) add(additionOfInclusion(inclusion, context));
  for (const [index, effect] of options.effects.entries())
    add(additionOfEffect(effect, index, report));
  return issues.length > 0 ? { ok: false, issues } : success(additions);
}

function byOrderAndTag(left: InclusionInput, right: InclusionInput): number {
  if (left.order !== right.order) return left.order - right.order;
  if (left.tag === right.tag) return 0;
  return left.tag < right.tag ? -1 : 1;
}

interface InclusionContext {
  counter: TokenCounter;
  renderer: TemplateRenderer;
  art: Readonly<Record<string, unknown>>;
  report: PromptReport;
}

function additionOfInclusion(input: InclusionInput, context: InclusionContext): Result<Addition> {
  const { tag, inclusion } = input;
  const text = textOfInclusion(input, context);
  if (!text.ok) return text;
  const contributor = { kind: "inclusion", tag } as const;
  if (text.value === "") {
    context.report.dropped.push({ contributor, reason: "empty" });
    return success(undefined);
  }
  const { mode, role = "system", depth = 0 } = inclusion;
  if (mode === "prepend_system" || mode === "append_system") {
    const update = { contributor, content: text.value, separator: inclusionSeparator } as const;
    return success({
      update: { ...update, mode: mode === "prepend_system" ? "prepend" : "append" },
    });
  }
  const insert = {
    contributor,
    path: ["inclusions", tag],
    message: messageOf({ role, content: text.value, source: `art.${tag}` }),
    onAnchorTrimmed: "boundary",
  } as const;
  if (mode === "after_last_user") {
    return success({
      insert: { ...insert, path: [...insert.path], anchor: "last_user", place: "after" },
    });
  }
  return success({
    insert: { ...insert, path: [...insert.path], anchor: { offset: depth }, place: "before" },
  });
}

function textOfInclusion(
  { tag, inclusion, value }: InclusionInput,
  { counter, renderer, art, report }: InclusionContext,
): Result<string> {
  const { template, maxTokens } = inclusion;
  const rendered =
    template === undefined ? textOfValue(value) : renderer.render(template, { art, value });
  if (!rendered.ok) {
    return {
      ok: false,
      issues: rendered.issues.map((issue) => ({ ...issue, path: ["inclusions", tag] })),
    };
  }
  if (maxTokens === undefined) return rendered;
  const cut = truncateMiddle(rendered.value, { maxTokens, counter });
  if (cut.isTruncated) report.shortened.push({ tag, removedTokens: cut.removedTokens ?? 0 });
  return success(cut.text);
}

function additionOfEffect(
  { operationId, effect }: EffectInput,
  effectIndex: number,
  report: PromptReport,
): Result<Addition> {
  const contributor = { kind: "effect", operationId, effectIndex } as const;
  if (
    effect.content === "" &&
    !(effect.type === "prompt.system_update" && effect.mode === "replace")
  ) {
    report.dropped.push({ contributor, reason: "empty" });
    return success(undefined);
  }
  if (effect.type === "prompt.system_update") {
    const { mode, content, separator = "" } = effect;
    return success({ update: { contributor, mode, content, separator } });
  }
  const insert = { contributor, path: ["effects", effectIndex], message: messageOf(effect) };
  return success({ insert: { ...insert, ...placeOf(effect) } });
}

function placeOf(
  effect: Exclude<PromptEffect, { type: "prompt.system_update" }>,
): Pick<PromptInsert, "anchor" | "place" | "onAnchorTrimmed"> {
  switch (effect.type) {
    case "prompt.append_after_last_user":
      return { anchor: "last_user", place: "after", onAnchorTrimmed: "boundary" };
    case "prompt.insert_at_depth":
      return {
        anchor: { offset: effect.depthFromEnd },
        place: "before",
        onAnchorTrimmed: "boundary",
      };
    case "prompt.insert": {
      const { anchor, place, onAnchorTrimmed = "boundary" } = effect;
      return { anchor, place, onAnchorTrimmed };
    }
  }
}

function messageOf({ role, content, source }: PromptPayload & { role: InsertRole }): ChatMessage {
  return { role, content, source };
}
