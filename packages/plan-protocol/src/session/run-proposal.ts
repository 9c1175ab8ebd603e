import { planIssue } from "../plan-issue.ts";
import { type ChatMessage, failure, type Issue, type ModelResponse, type Result } from "@ccl/core";
import { repairMessages } from "@ccl/structured-output";

import { readEdits } from "../any-format/parse-edits.ts";
import { cutMiddle } from "../context/apply-context-diet.ts";
import type { Plan, PlanVersion } from "../plan/plan.ts";
import { renderMemoryBlock } from "../memory/render-memory-block.ts";
import type { ReadSet } from "../validate/valid-plan.ts";
import { askModel, asksForJson } from "./ask-model.ts";
import { type CheckedPlan, checkPlan } from "./check-plan.ts";
import { fileOf, gatherContext, requestsOf, rereadContext } from "./gather-context.ts";
import type { ProposalRun } from "./proposal-run.ts";
import { recoveryFrom, versionBelow } from "./recovery-from.ts";
import { renderSystemPrompt } from "./render-system-prompt.ts";
import { labelOf, renderUserPrompt } from "./render-user-prompt.ts";
import { selectContext, type ShownContext } from "./select-context.ts";

/** Maximum characters of the model's text in a context request that are shown to it again. */
const MAX_NOTES_CHARS = 4_000;
const MAX_SHOWN_ISSUES = 10;
const MAX_ANSWER_CHARS = 20_000;

/** A proposal's state between two calls. */
interface Progress {
  version: PlanVersion;
  roundsLeft: number;
  /** What has been repaired: form and content, once each. */
  repaired: Set<"form" | "content">;
  notes: string;
  /** Issues of the next higher version. Empty before a descent. */
  descent: Issue[];
  /** Issues of the first version, set when it is abandoned. */
  cause: Issue[];
  /** An answer to repair and its issues. */
  pending: { issues: Issue[]; answer: string } | undefined;
}

/** A rejected answer. */
interface RefusedAnswer {
  stage: "form" | "content";
  issues: Issue[];
  /** Paths of the actions, if the answer could be parsed that far. */
  paths: readonly string[];
  answer: string;
  readSet: ReadSet;
}

/**
 * Calls the model until a plan passes every check or there is nothing left to try. Calls are limited by the context
 * rounds, two repairs, the lower versions, and the formats that a provider may refuse.
 */
export async function runProposal(run: ProposalRun): Promise<Result<CheckedPlan>> {
  const progress: Progress = {
    version: run.version,
    roundsLeft: run.limits.maxContextRounds,
    repaired: new Set(),
    notes: "",
    descent: [],
    cause: [],
    pending: undefined,
  };
  for (;;) {
    const shown = selectContext(run);
    const response = await askModel(run, messagesOf(run, progress, shown), progress.version);
    const ended = await readAnswer(run, progress, { response, shown });
    if (ended !== undefined) return ended;
  }
}

/** Returns the outcome, or undefined if the model is to be called again. */
async function readAnswer(
  run: ProposalRun,
  progress: Progress,
  { response, shown }: { response: ModelResponse; shown: ShownContext },
): Promise<Result<CheckedPlan> | undefined> {
  const { text: answer, finishReason } = response;
  const isJson = run.editFormat === "json";
  const version = isJson ? progress.version : undefined;
  const { limits } = run;
  const { readSet } = shown;
  const read = readEdits(answer, { readSet, finishReason, limits, version }, isJson);
  const plan = read.ok ? read.value.plan : undefined;
  if (plan !== undefined && plan.context_requests.length > 0)
    return answerRequests(run, progress, plan);
  const checked = read.ok ? await checkPlan(run, read.value, shown) : read;
  if (checked.ok) return checked;
  const stage = read.ok ? "content" : "form";
  const paths = plan?.actions.map(({ path }) => path) ?? [];
  return continueProposal(run, progress, { ...checked, stage, paths, answer, readSet });
}

async function answerRequests(
  run: ProposalRun,
  progress: Progress,
  { context_requests: requests, summary = "" }: Plan,
): Promise<Result<never> | undefined> {
  if (progress.roundsLeft <= 0) {
    const rounds = run.limits.maxContextRounds;
    const message = `The model asked for context ${rounds + 1} times; ${rounds} is the limit (maxContextRounds). Name the files in the goal, or raise the limit.`;
    const issue = planIssue("ERR_CONTEXT_ROUNDS", message, ["context_requests"]);
    run.recorder.emitIssues([issue]);
    return failure(issue);
  }
  progress.roundsLeft -= 1;
  // Requests beyond the block limit would be dropped, so reading them would only waste time.
  const taken = requests.slice(0, run.limits.maxContextFiles);
  await gatherContext(run, taken, ({ type }) => (type === "read_file" ? 0 : 1));
  const ignored = requests.length - taken.length;
  const note = `(${ignored} requests of that answer were ignored: too many at once.)`;
  progress.notes = [summary, ignored > 0 ? note : ""].filter((line) => line !== "").join("\n");
  return undefined;
}

/** Prepares the next call after a rejected answer. Returns the issues if there is nothing left to try. */
async function continueProposal(
  run: ProposalRun,
  progress: Progress,
  { stage, issues, paths, answer, readSet }: RefusedAnswer,
): Promise<Result<never> | undefined> {
  run.recorder.emitIssues(issues);
  const { repaired, cause } = progress;
  const given: Result<never> = { ok: false, issues: [...cause, ...issues] };
  const recoveries = new Set(issues.map(recoveryFrom));
  if (recoveries.has("stop")) return given;
  if (!repaired.has(stage)) {
    repaired.add(stage);
    progress.pending = { issues, answer };
    const codes = [...new Set(issues.map(({ code }) => code))].sort();
    run.recorder.emit({ type: "LLM_RESPONSE_REPAIR", stage, codes });
    await readAgain(run, pathsToRead(issues, paths));
    return undefined;
  }
  // If the answer cannot be repaired, a lower version may help.
  const below = run.editFormat === "json" ? versionBelow(progress.version) : undefined;
  if (!recoveries.has("repair_then_descend") || below === undefined) return given;
  progress.version = below;
  progress.pending = undefined;
  progress.descent = issues;
  if (cause.length === 0) progress.cause = issues;
  // If no patch can be placed, the model needs the full files.
  await readAgain(run, new Set(paths.filter((path) => readSet.has(path))));
  return undefined;
}

/** Returns files whose actions were based on another state or on files the model had not seen. */
function pathsToRead(issues: readonly Issue[], paths: readonly string[]): ReadonlySet<string> {
  const stale = issues.filter(
    (issue) => recoveryFrom(issue) === "reread" || issue.code === "ERR_UPDATE_WITHOUT_BASE",
  );
  const indexes = stale.flatMap(({ path: [list, index] }) =>
    list === "actions" && typeof index === "number" ? [index] : [],
  );
  return new Set(indexes.flatMap((index) => paths[index] ?? []));
}

/** Rereads all earlier context from these files, and each file as a whole. */
async function readAgain(run: ProposalRun, paths: ReadonlySet<string>): Promise<void> {
  if (paths.size === 0) return;
  const requests = requestsOf(paths);
  const known = requests.flatMap((request) => fileOf(request, run).path ?? []);
  await rereadContext(run, new Set(known));
  await gatherContext(run, requests, () => 0);
}

/**
 * Builds the messages: system prompt and memory, the user turn, and any answer to repair. The same run produces the
 * same bytes.
 */
function messagesOf(
  run: ProposalRun,
  progress: Progress,
  { blocks, dropped }: ShownContext,
): ChatMessage[] {
  const { version, roundsLeft, descent, pending } = progress;
  const { mode, cycle, goal, changed, editFormat: format } = run;
  const system = [renderSystemPrompt(version, format), renderMemoryBlock(run.remembered)]
    .filter((part) => part !== "")
    .join("\n\n");
  const content = renderUserPrompt({
    ...cycle,
    mode,
    version,
    format,
    goal,
    blocks,
    dropped: dropped.map(labelOf),
    changed,
    notes: cutMiddle(progress.notes, MAX_NOTES_CHARS),
    roundsLeft,
    descent: descent.slice(0, 10).map(({ code, message }) => `${code}: ${message}`),
    report: cutMiddle(cycle.report ?? "", run.limits.maxContextLogChars),
  });
  const messages: ChatMessage[] = [
    { role: "system", content: system },
    { role: "user", content },
  ];
  if (pending === undefined) return messages;
  if (asksForJson(run))
    // In every format, joining two halves of a plan would be a guess, so a truncated answer is requested again in full.
    return [
      ...messages,
      ...repairMessages(pending.issues, pending.answer, { format: "json_object" }),
    ];
  return [...messages, ...repairOfEdits(pending)];
}

/** Lists the issues with edits. Each message names its location. */
function repairOfEdits({ issues, answer }: NonNullable<Progress["pending"]>): ChatMessage[] {
  const lines = issues.slice(0, MAX_SHOWN_ISSUES).map(({ message }) => `- ${message}`);
  const left = issues.length - lines.length;
  const content = [
    "None of your changes was applied:",
    ...lines,
    ...(left > 0 ? [`- and ${left} more`] : []),
    "Send all changes again, whole and in the same format, those that fit included.",
  ].join("\n");
  const said: ChatMessage[] =
    answer.trim() === ""
      ? []
      : [{ role: "assistant", content: cutMiddle(answer, MAX_ANSWER_CHARS) }];
  return [...said, { role: "user", content }];
}
