import { isStored } from "../compile/events-in.ts";
import { ContextCompilerError } from "../context-compiler-error.ts";
import type { EvidencePack } from "../evidence/evidence-pack.ts";
import { findArtifact } from "../externalize/find-artifact.ts";
import { renderArtifact } from "../externalize/render-artifact.ts";
import { createSession } from "../session/create-session.ts";
import { redactOf } from "../session/recording-session.ts";
import type { SessionEvent } from "../event/session-event.ts";
import type { SessionMessage } from "../session/session-timeline.ts";
import type { Session } from "../session/session.ts";

/** The task for another agent, and what the agent can access. */
interface HandOffOptions {
  /** The agent's task. Recorded as its user's words. */
  task: string;
  /**
   * Ids of stored results that the agent may read, or the 12 digits shown in prompts. None by
   * default.
   */
  artifacts?: readonly string[] | undefined;
  /**
   * Returns true for log messages that the agent may see. None by default. Called for each message
   * except results. A call is shown with its results if all of them exist, and is otherwise left
   * out.
   */
  shows?: ((message: SessionMessage["message"]) => boolean) | undefined;
}

/** Work handed off to another agent. */
interface Handoff {
  /**
   * The agent's session: the messages that it may see, then the task with the handles. The session
   * gives no other access to the original log.
   */
  session: Session;
  /**
   * Ends the work. Records the result in the original session, as a `phase_result` of the phase
   * `handoff`. After that, the original session can read the artifacts that the agent stored.
   */
  report(result: string): Promise<HandoffReport>;
}

/** The outcome of the work. */
interface HandoffReport {
  result: string;
  /** An entry for each event of the agent's session. */
  evidence: EvidencePack;
  /** The artifacts that the agent stored. */
  artifacts: SessionEvent<"artifact_stored">["data"][];
}

/**
 * Creates a separate session for another agent over the same artifact store, with a task and
 * selected messages of this session.
 * @throws ContextCompilerError `invalid_options` for an artifact that the session did not store,
 * and as `record` does
 */
export async function handOff(
  from: Session,
  { task, artifacts = [], shows = () => false }: HandOffOptions,
): Promise<Handoff> {
  const handles = artifacts.map(
    (id) => findArtifact(from.eventLog, id) ?? throwUnknownArtifact(from, id),
  );
  const { artifactStore, counter } = from;
  const session = createSession({ artifactStore, counter, redact: redactOf(from) ?? false });
  const isGiven = new Set([
    ...handles.map(({ eventId }) => eventId),
    ...shownTurns(from, shows).flatMap(({ eventIds }) => eventIds),
  ]);
  const known = [...from.eventLog].filter(({ eventId }) => isGiven.has(eventId));
  const listed = handles.map(({ data }) => renderArtifact({ type: "artifact", ...data }));
  const draft = { kind: "user_input", data: { content: [task, ...listed].join("\n\n") } } as const;
  await session.recordAll([...known, draft]);
  const begun = session.eventLog.length;
  return {
    session,
    async report(result) {
      const stored = session.eventLog.slice(begun).filter(isStored);
      const evidence = session.toEvidencePack();
      const { sessionId, sha256 } = evidence;
      const output = { task, result, sessionId, sha256 };
      await from.recordAll([
        ...stored,
        { kind: "phase_result", data: { phase: "handoff", output } },
      ]);
      return { result, evidence, artifacts: stored.map(({ data }) => data) };
    },
  };
}

function throwUnknownArtifact({ eventLog }: Session, id: string): never {
  const ids = [...eventLog].flatMap(({ kind, data }) =>
    kind === "artifact_stored" ? data.artifactId : [],
  );
  const message = `The session stored no artifact ${JSON.stringify(id.slice(0, 80))}; name one of ${JSON.stringify([...new Set(ids)])}.`;
  throw new ContextCompilerError("invalid_options", message);
}

/** Selects whole turns: a message along with the results of all its calls. */
function shownTurns(
  from: Session,
  shows: (message: SessionMessage["message"]) => boolean,
): SessionMessage[] {
  const turns: SessionMessage[][] = [];
  for (const entry of from.messages()) {
    if (entry.message.role === "tool") turns.at(-1)?.push(entry);
    else turns.push([entry]);
  }
  const isAnswered = ([first, ...results]: SessionMessage[]): boolean =>
    first !== undefined &&
    results.length === (first.message.toolCalls ?? []).length &&
    shows(first.message);
  return turns.filter(isAnswered).flat();
}
