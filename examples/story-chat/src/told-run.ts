import { type ChatMessage, LanguageModelError } from "@ccl/core";
import {
  readState,
  type OperationArtifact,
  type ProfileSessionKey,
  type RunEvent,
  type RunResult,
  type StartOptions,
} from "@ccl/operations";

import { rebuildPrompt } from "./rebuild-prompt.ts";
import type { ProgressView } from "./progress-view.ts";
import { branch, type Story } from "./open-story.ts";
import { storyProfile } from "./story-profile.ts";

/** A run with everything that is checked. */
export interface ToldRun {
  title: string;
  said: string;
  result: RunResult;
  events: RunEvent[];
  /** As sent to the main model. Undefined if another process asked it. */
  sent: ChatMessage[] | undefined;
  /** The same, rebuilt from the parts in the stores. */
  rebuilt: ChatMessage[];
  /** After the run. */
  artifacts: OperationArtifact[];
}

/** A turn of the story. */
export interface Telling {
  title: string;
  start: Pick<StartOptions, "trigger" | "message" | "userMessageId">;
  /** Aborts after that many pieces of the answer. */
  abortAfterDeltas?: number;
}

/** The session of the story's profile. */
const sessionKey: ProfileSessionKey = {
  ...branch,
  profileId: storyProfile.profileId,
  operationProfileSessionId: storyProfile.operationProfileSessionId,
};

/** Runs a turn, shows it, and collects its data. */
export async function tellRun(
  story: Story,
  telling: Telling,
  view: ProgressView,
): Promise<ToldRun> {
  const { engine, stores, prompts } = story;
  const asked = prompts.length;
  const run = await engine.start({
    ...branch,
    ...telling.start,
    profile: storyProfile,
    initiator: "player",
  });
  const events: RunEvent[] = [];
  let deltas = 0;
  for await (const event of run.events) {
    events.push(event);
    view.show(event);
    if (event.type !== "main_llm.delta") continue;
    deltas += 1;
    if (deltas === telling.abortAfterDeltas) run.abort("The player turned the page.");
  }
  const result = await run.result;
  return collectRun({ title: telling.title, stores, result, events, sent: prompts[asked] });
}

/** What the stores contain of a run that has ended. */
export async function collectRun(
  of: Pick<ToldRun, "title" | "result" | "events" | "sent"> & { stores: Story["stores"] },
): Promise<ToldRun> {
  const { title, stores, result, events, sent } = of;
  const { runId, failedDetails } = result;
  if (failedDetails !== undefined)
    throw new LanguageModelError(
      "provider_error",
      failedDetails.errorMessage ?? `Run ${runId} ended with ${failedDetails.errorCode}.`,
    );
  const stored = await stores.runs.loadRun(runId);
  if (stored === undefined) throw new Error(`Run ${runId} is not stored.`);
  const { userMessageId } = stored.input;
  const turn = await stores.chat.loadTurn({ ...branch, userMessageId });
  const atStart = await readState(stores.chat, { ...sessionKey, before: userMessageId });
  const after = await readState(stores.chat, sessionKey);
  const history = turn?.history ?? [];
  const committed = result.commitLog.flatMap(({ hook, operationId, commitStatus }) =>
    hook === "before_main_llm" && commitStatus === "committed" ? [operationId] : [],
  );
  const rebuilt = rebuildPrompt({
    history,
    artifacts: atStart,
    steps: stored.steps,
    committed,
  });
  const said = history.findLast(({ id }) => id === userMessageId)?.content;
  return {
    title,
    result,
    events,
    sent,
    said: typeof said === "string" ? said : "",
    rebuilt,
    artifacts: after,
  };
}
