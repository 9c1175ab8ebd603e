import type { Hook, OperationStatus } from "../operation/operation-definition.ts";
import type {
  RunEvent,
  RunEventBody,
  RunFinishReason,
  RunPhase,
  RunResult,
  RunStatus,
} from "./run-event.ts";

/** State of an operation, derived from its events. */
interface OperationView {
  operationId: string;
  operationName: string;
  hook: Hook;
  status: "running" | "waiting" | OperationStatus;
  /** The question that a waiting operation asks. */
  question?: string | undefined;
}

/** The event data about an artifact that a run has written. */
type ArtifactChange = Omit<Extract<RunEventBody, { type: "artifact.changed" }>, "type">;

/** State of a run, derived from its events. */
export interface RunView {
  phase: RunPhase;
  /** Ordered by their first events. */
  operations: OperationView[];
  /** The answer so far. */
  text: string;
  reasoning: string;
  /** Tool calls of the main model, in the order they started. */
  toolCalls: { callId: string; name: string; status: "running" | "done" | "error" }[];
  mainLlm?:
    | {
        status: "running" | "done" | "error" | "aborted";
        finishReason?: RunFinishReason | undefined;
      }
    | undefined;
  /** The last change of each tag, in order of change. */
  artifacts: ArtifactChange[];
  /** Sides of the turn whose displayed text an operation has replaced. `text` is then not what is displayed. */
  selected: ("user" | "assistant")[];
  status: "running" | RunStatus;
  /** Present once the run has ended. */
  result?: RunResult | undefined;
  /** True if events are missing in between. The view ignores everything after the gap. */
  hasGap: boolean;
}

/** Builds the view of one run from its events, which may be unordered and duplicated. Pure. */
export function foldRunEvents(events: Iterable<RunEvent>): RunView {
  const bySeq = new Map<number, RunEvent>();
  for (const event of events) bySeq.set(event.seq, event);
  const view: RunView = {
    phase: "planning",
    operations: [],
    text: "",
    reasoning: "",
    toolCalls: [],
    artifacts: [],
    selected: [],
    status: "running",
    hasGap: false,
  };
  const operations = new Map<string, OperationView>();
  for (let seq = 1; bySeq.size > 0; seq += 1) {
    const event = bySeq.get(seq);
    if (event === undefined) {
      view.hasGap = true;
      break;
    }
    bySeq.delete(seq);
    apply(view, operations, event);
  }
  view.operations = [...operations.values()];
  return view;
}

function apply(view: RunView, operations: Map<string, OperationView>, event: RunEvent): void {
  switch (event.type) {
    case "run.phase_changed":
      view.phase = event.phase;
      return;
    case "operation.started":
    case "operation.finished": {
      const { operationId, operationName, hook } = event;
      const status = event.type === "operation.started" ? "running" : event.status;
      operations.set(`${hook}/${operationId}`, { operationId, operationName, hook, status });
      return;
    }
    case "operation.waiting": {
      const { operationId, operationName, hook, question } = event;
      const shown = { operationId, operationName, hook, status: "waiting", question } as const;
      operations.set(`${hook}/${operationId}`, shown);
      return;
    }
    case "main_llm.started":
      // Text from before a crash is void: the answer starts over.
      view.text = "";
      view.reasoning = "";
      view.mainLlm = { status: "running" };
      return;
    case "main_llm.delta":
      view.text = view.text.slice(0, event.offset) + event.text;
      return;
    case "main_llm.reasoning":
      view.reasoning = view.reasoning.slice(0, event.offset) + event.text;
      return;
    case "main_llm.tool_started":
    case "main_llm.tool_finished": {
      const { callId, name } = event;
      const isRunning = event.type === "main_llm.tool_started";
      const status = isRunning ? "running" : event.isError ? "error" : "done";
      const at = view.toolCalls.findIndex((call) => call.callId === callId);
      view.toolCalls.splice(at < 0 ? view.toolCalls.length : at, 1, { callId, name, status });
      return;
    }
    case "main_llm.finished":
      view.mainLlm = { status: event.status, finishReason: event.finishReason };
      return;
    case "run.finished":
      view.status = event.status;
      view.result = event.result;
      return;
    case "artifact.changed": {
      const { operationId, hook, tag, persisted, usage, version } = event;
      const others = view.artifacts.filter((artifact) => artifact.tag !== tag);
      view.artifacts = [...others, { operationId, hook, tag, persisted, usage, version }];
      return;
    }
    case "variant.selected":
      view.selected = [...new Set([...view.selected, event.side])];
      return;
    case "run.started":
  }
}
