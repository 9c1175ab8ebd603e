import { requireWhole } from "../require-whole.ts";
import { countMessages, type ModelUsage, type Result, success } from "@ccl/core";
import { generateStructured, type StructuredResult } from "@ccl/structured-output";

import { buildContext } from "../budget/build-context.ts";
import { fillRows, type FilledRows } from "../budget/fill-rows.ts";
import { shareBudget } from "../budget/share-budget.ts";
import { resolveAlias } from "./call-options.ts";
import type { CatalogContext } from "./catalog-context.ts";
import { rankCandidates, toCandidate, type RankedCandidates } from "./budgeted-context.ts";
import type { BudgetedContext, DrillDown, DrillDownRequest, DrillDownRound } from "./catalog.ts";
import { CatalogError } from "../catalog-error.ts";
import { inertText } from "../record/inert-text.ts";
import { pickPrompt } from "../drill-down/pick-prompt.ts";
import { pickSchema, type PickAnswer } from "../drill-down/pick-schema.ts";

const shrink = 0.7;

/**
 * Shows rows to the model and turns its picks into cards. Repeats while the model needs more. See `Catalog.drillDown`.
 */
export async function drillDown(
  request: DrillDownRequest,
  context: CatalogContext,
): Promise<Result<DrillDown>> {
  const { task, maxRounds = 2, maxPicks = 8 } = request;
  requireWhole("maxRounds", maxRounds, [1, 5]);
  requireWhole("maxPicks", maxPicks, [1, 50]);
  const rounds: DrillDownRound[] = [];
  const picks = new Map<string, string>();
  const shown = new Set<string>();
  let usage: ModelUsage = { inputTokens: 0, outputTokens: 0 };
  let { budget } = request;
  let found: RankedCandidates | undefined;
  let needMore = "";
  for (let round = 1; round <= maxRounds && picks.size < maxPicks; round++) {
    const question = needMore === "" ? task : `${task}\n${needMore}`;
    const exclude = [
      ...(request.exclude ?? []).map((id) => resolveAlias(id, request.aliases)),
      ...shown,
    ];
    const { aliases: _, reserve: __, ...rest } = request;
    const candidates = request.candidates?.map((candidate) =>
      resolveAlias(typeof candidate === "string" ? candidate : candidate.id, request.aliases),
    );
    const ranking = { ...rest, candidates, task: question, budget, exclude };
    const next = await rankCandidates(ranking, context);
    found ??= next;
    if (next.records.length === 0) break;
    const canAskForMore = round < maxRounds;
    const asking = { request, context, budget, max: maxPicks - picks.size, canAskForMore };
    const answer = await askForPicks(next, asking);
    if (answer === undefined) {
      if (round > 1) break;
      const message = `A pick prompt does not fit into ${budget} tokens; raise the budget.`;
      throw new CatalogError("budget_exceeded", message, { details: { budget } });
    }
    usage = addUsage(usage, answer.result.usage);
    if (!answer.result.ok) return { ok: false, issues: answer.result.issues };
    const { value } = answer.result;
    const picked = value.picks.map(({ alias }) => answer.idOf(alias));
    for (const [index, id] of picked.entries())
      picks.set(id, inertText(value.picks[index]?.why ?? "", 200));
    for (const { id } of answer.rows.overview) shown.add(id);
    needMore = canAskForMore ? inertText(value.need_more, 200) : "";
    const ids = answer.rows.overview.map(({ id }) => id);
    rounds.push({ shown: ids, picked, needMore, promptTokens: answer.tokens, budget });
    if (needMore === "") break;
    budget = Math.floor(budget * shrink);
  }
  return success({
    picks: [...picks].map(([id, why]) => ({ id, why })),
    context: finish({ request, context, picks, found }),
    rounds,
    usage,
  });
}

interface Asking {
  request: DrillDownRequest;
  context: CatalogContext;
  budget: number;
  max: number;
  canAskForMore: boolean;
}

interface Asked {
  result: StructuredResult<PickAnswer>;
  rows: FilledRows;
  idOf: (alias: string) => string;
  tokens: number;
}

/** Asks the model for its picks. Returns undefined if not even an empty list of rows fits. */
async function askForPicks(
  { records, visible }: RankedCandidates,
  asking: Asking,
): Promise<Asked | undefined> {
  const { request, context, budget, max, canAskForMore } = asking;
  const { counter } = context;
  const { usable } = shareBudget(budget, {}, counter);
  const inputs = records.map((record) => toCandidate(record, visible));
  const promptOf = (rows: string): ReturnType<typeof pickPrompt> =>
    pickPrompt({ task: request.task, maxPicks: max, rows, canAskForMore });
  const countPrompt = (rows: string): number => {
    const messages = promptOf(rows);
    return (
      counter.countMessages?.(messages) ?? countMessages((text) => counter.count(text), messages)
    );
  };
  let room = usable - countPrompt("");
  for (;;) {
    const rows = room > 0 ? fillRows(inputs, { counter, budget: room }) : undefined;
    if (rows === undefined || rows.overview.length === 0) return undefined;
    const tokens = countPrompt(rows.text);
    if (tokens > usable) {
      room = Math.min(room, rows.tokens) - (tokens - usable);
      continue;
    }
    const aliases = new Map(rows.overview.map(({ id, alias }) => [alias, id]));
    const result = await generateStructured(request.model, {
      schema: pickSchema({ aliases, max, canAskForMore }),
      messages: promptOf(rows.text),
      schemaName: "picks",
      request: { temperature: 0 },
      signal: request.signal,
    });
    return { result, rows, idOf: (alias) => aliases.get(alias) ?? alias, tokens };
  }
}

/** Builds a context only from the rows and cards of the picks. It has no rows if the model picked nothing. */
function finish({
  request,
  context,
  picks,
  found,
}: {
  request: DrillDownRequest;
  context: CatalogContext;
  picks: ReadonlyMap<string, string>;
  found: RankedCandidates | undefined;
}): BudgetedContext {
  const { head, task, details } = request.reserve ?? {};
  const candidates = [...picks.keys()].flatMap((id) => {
    const record = found?.visible.get(id);
    return found && record ? toCandidate(record, found.visible) : [];
  });
  const { rest } = shareBudget(request.budget, { head, task }, context.counter);
  const built = buildContext({
    candidates,
    budget: request.budget,
    // The rows of the picks are short and few, so almost all tokens go to their cards.
    reserve: {
      head,
      task,
      details: details ?? Math.max(0, rest - 60 - 16 * candidates.length),
    },
    counter: context.counter,
  });
  return {
    ...built,
    unmatchedTerms: found?.unmatchedTerms ?? [],
    vectorLeg: found?.vectorLeg ?? "absent",
  };
}

function addUsage(first: ModelUsage, second: ModelUsage): ModelUsage {
  const { costUsd } = second;
  return {
    inputTokens: first.inputTokens + second.inputTokens,
    outputTokens: first.outputTokens + second.outputTokens,
    costUsd:
      first.costUsd === undefined && costUsd === undefined
        ? undefined
        : (first.costUsd ?? 0) + (costUsd ?? 0),
  };
}
