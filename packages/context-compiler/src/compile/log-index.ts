import type { MemoryHitData, SessionEvent, SummaryRecord } from "../session/session-event.ts";
import type { CountedUsage } from "../fit/safety-margin.ts";
import { readUsage } from "./reported-usage.ts";
import type { Session } from "../session/session.ts";

const artifactTools = new Set(["read_artifact", "search_artifact"]);

const indexes = new WeakMap<Session, LogIndex>();

/** The index of a session's log, up to its latest event. */
export function logIndexOf(session: Session): LogIndex {
  const index = indexes.get(session) ?? new LogIndex();
  indexes.set(session, index);
  index.readOn(session);
  return index;
}

/** What a compile looks up in a log, kept up to date as the log grows. */
export class LogIndex {
  /** The artifact that an event stored, by event id. */
  readonly artifacts: Map<string, SessionEvent<"artifact_stored">> = new Map();
  /** The stored results of a call id, oldest first. Other calls may reuse an id. */
  readonly artifactsByCall: Map<string, SessionEvent<"artifact_stored">[]> = new Map();
  /** The tool's name, by the id of the call's event. */
  readonly tools: Map<string, string> = new Map();
  /** Oldest first. */
  readonly summaries: SummaryRecord[] = [];
  /** Prompt usages that providers reported, oldest first. */
  readonly usages: CountedUsage[] = [];
  /** Memory hits recorded since the last user input, oldest first. */
  readonly freshMemory: MemoryHitData[] = [];
  readonly #reads = new Set<string>();
  #seen = 0;

  readOn({ eventLog }: Session): void {
    for (; this.#seen < eventLog.length; this.#seen += 1) {
      const event = eventLog.at(this.#seen);
      if (event !== undefined) this.#take(event);
    }
  }

  /** True for the events of a call that reads an artifact and of its outcome. */
  isArtifactRead(eventId: string): boolean {
    return this.#reads.has(eventId) || artifactTools.has(this.tools.get(eventId) ?? "");
  }

  #take(event: SessionEvent): void {
    switch (event.kind) {
      case "artifact_stored":
        this.#takeArtifact(event);
        break;
      case "tool_call":
        this.tools.set(event.eventId, event.data.name);
        break;
      case "tool_success":
        if (event.data.isArtifactRead === true) this.#reads.add(event.eventId);
        break;
      case "phase_result":
        this.#takePhase(event);
        break;
      case "user_input":
        this.freshMemory.length = 0;
        break;
      case "memory_hit":
        this.freshMemory.push(event.data);
        break;
      default:
    }
  }

  #takePhase({ data }: SessionEvent<"phase_result">): void {
    if (data.summary !== undefined) this.summaries.push(data.summary);
    const usage = readUsage(data);
    if (usage !== undefined) this.usages.push(usage);
  }

  #takeArtifact(event: SessionEvent<"artifact_stored">): void {
    this.artifacts.set(event.eventId, event);
    const { callId } = event.data;
    if (callId === undefined) return;
    this.artifactsByCall.set(callId, [...(this.artifactsByCall.get(callId) ?? []), event]);
  }
}
