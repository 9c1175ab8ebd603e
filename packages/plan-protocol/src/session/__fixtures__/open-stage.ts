import { sha256Hex } from "@ccl/core";
import {
  createFixedClock,
  createScriptedModel,
  createSequentialIds,
  type ScriptedModel,
  type ScriptedResponse,
} from "@ccl/core/testing";

import type { PlanAction } from "../../plan/plan.ts";
import type { PlanEvent } from "../../trace/plan-event.ts";
import { createPlanSession } from "../create-plan-session.ts";
import type { PlanSession, PlanSessionOptions, Proposal, ProposedPlan } from "../plan-session.ts";
import { createMemoryWorkspace, type MemoryWorkspace } from "./create-memory-workspace.ts";

/** A session with a scripted model on files in memory, and all that it did. */
export interface Stage {
  session: PlanSession;
  model: ScriptedModel;
  workspace: MemoryWorkspace;
  events: PlanEvent[];
  /** The types of the events so far. */
  eventTypes(): string[];
  /** The user's turn of a call, the first being 0; -1 is the last. */
  prompt(call: number): string;
  /** The last message of a call. */
  lastMessage(call: number): string;
}

/** What the files hold where a test says nothing else. */
export const portFile = 'export const host = "::1";\nexport const port = 80;\n';

/** Sets a scripted session up. Answers that are no string are sent as JSON. */
export function openStage(
  answers: readonly (ScriptedResponse | { actions: unknown[] })[],
  {
    files = { "src/port.ts": portFile },
    ...options
  }: Partial<PlanSessionOptions> & { files?: Record<string, string> } = {},
): Stage {
  const model = createScriptedModel(answers.map(toResponse));
  const workspace = createMemoryWorkspace(files);
  const events: PlanEvent[] = [];
  const session = createPlanSession({
    model,
    workspace,
    clock: createFixedClock(1_000),
    ids: createSequentialIds("trace"),
    onEvent: (event) => events.push(event),
    ...options,
  });
  const contentOf = (call: number, message: number): string =>
    String(model.requests.at(call)?.messages.at(message)?.content);
  return {
    session,
    model,
    workspace,
    events,
    eventTypes: () => events.map(({ type }) => type),
    prompt: (call) => contentOf(call, 1),
    lastMessage: (call) => contentOf(call, -1),
  };
}

function toResponse(answer: ScriptedResponse | { actions: unknown[] }): ScriptedResponse {
  return typeof answer === "object" && "actions" in answer ? JSON.stringify(answer) : answer;
}

/** An answer as an object. */
export interface StageAnswer {
  actions: object[];
  summary: string;
  context_requests?: object[];
}

/** The plan of a proposal that has to be there. */
export function proposedOf(proposal: Proposal): ProposedPlan {
  if (proposal.ok) return proposal.value;
  throw new Error(proposal.issues.map(({ message }) => message).join("\n"));
}

/** A patch of the stage's file that fits it. */
export const goodPatch: PlanAction & { patch: string } = {
  kind: "PATCH_FILE",
  path: "src/port.ts",
  patch: '@@ -1,2 +1,2 @@\n export const host = "::1";\n-export const port = 80;\n+export const port = 8080;\n',
  base_sha256: sha256Hex(portFile),
};

/** An answer that asks for the stage's file. */
export const askForPort: StageAnswer = {
  actions: [],
  summary: "The port must be there.",
  context_requests: [{ type: "read_file", path: "src/port.ts" }],
};

/** An answer in plan mode. */
export const goodPlan: StageAnswer = { actions: [], summary: "1) src/port.ts: port 8080. Check: npm test" };

/** An answer in apply mode. */
export const goodChange: StageAnswer = { actions: [goodPatch], summary: "Port is 8080." };
