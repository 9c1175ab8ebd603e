import { createMemoryArtifactStore } from "@ccl/artifact-store";
import { describe, expect, it } from "vitest";

import { verifyEvidencePack } from "../evidence/verify-evidence-pack.ts";
import { createSession } from "../session/create-session.ts";
import type { Session } from "../session/session.ts";
import { createArtifactTools } from "../tool-interrupt/create-artifact-tools.ts";
import { handOff } from "./hand-off.ts";

const log = `${"step ok\n".repeat(3_000)}ERROR: disk full`;

async function recorded(): Promise<{ session: Session; ids: string[] }> {
  const session = createSession({ artifactStore: createMemoryArtifactStore() });
  await session.record("user_input", { content: "Our password is hunter2. Fix the build." });
  for (const [callId, content] of [
    ["c1", log],
    ["c2", log.replace("disk", "memory")],
  ] as const) {
    const toolCalls = [{ id: callId, name: "read_log", arguments: "{}" }];
    await session.record("assistant_message", { content: `Looking at ${callId}.`, toolCalls });
    await session.record("tool_success", { callId, name: "read_log", content });
  }
  const toolCalls = [{ id: "c3", name: "ask_another", arguments: "{}" }];
  await session.record("assistant_message", { content: "", toolCalls });
  const ids = [...session.eventLog].flatMap(({ kind, data }) =>
    kind === "artifact_stored" ? [data.artifactId] : [],
  );
  return { session, ids };
}

const shown = (session: Session): string =>
  JSON.stringify(session.messages().map(({ message }) => message));

async function searched(session: Session, handle: string): Promise<string> {
  const [search] = createArtifactTools({ session });
  return search.execute({ handle, query: "ERROR" }, {});
}

describe("a handoff", () => {
  it("passes on the task and the named results, and nothing else of the log", async () => {
    const { session, ids } = await recorded();
    const [first = "", second = ""] = ids;
    const { session: other } = await handOff(session, {
      task: "What failed?",
      artifacts: [first.slice(0, 12)],
    });
    expect(other.messages()).toHaveLength(1);
    expect(shown(other)).toContain("What failed?");
    expect(shown(other)).toContain(first.slice(0, 12));
    expect(shown(other)).not.toContain("hunter2");
    expect(await searched(other, first)).toContain("ERROR: disk full");
    expect(await searched(other, second)).toContain("can't be read");
    expect(await searched(session, second)).toContain("ERROR: memory full");
  });

  it("shows the selected turns whole, and none with an open call", async () => {
    const { session } = await recorded();
    const { session: other } = await handOff(session, {
      task: "Go on.",
      shows: ({ role }) => role === "assistant",
    });
    const roles = other.messages().map(({ message }) => message.role);
    expect(roles).toEqual(["assistant", "tool", "assistant", "tool", "user"]);
    expect(shown(other)).not.toContain("hunter2");
    const [, result] = session.messages().filter(({ message }) => message.role !== "user");
    expect(other.messages()[1]?.message).toEqual(result?.message);
  });

  it("returns and records the result, the stored artifacts and the evidence", async () => {
    const { session } = await recorded();
    const { session: other, report } = await handOff(session, { task: "What failed?" });
    await other.record("tool_call", { callId: "d1", name: "read_log", arguments: "{}" });
    const content = log.replace("disk", "quota");
    await other.record("tool_success", { callId: "d1", name: "read_log", content });
    const before = session.messages().length;
    const { result, evidence, artifacts } = await report("The quota is used up.");
    const [stored] = artifacts;
    expect(result).toBe("The quota is used up.");
    expect(verifyEvidencePack(evidence, [...other.eventLog]).ok).toBe(true);
    expect(await searched(session, stored?.artifactId ?? "")).toContain("ERROR: quota full");
    expect(session.messages()).toHaveLength(before);
    const last = session.eventLog.at(-1);
    const output = { task: "What failed?", result, sessionId: other.sessionId };
    expect(last).toMatchObject({ kind: "phase_result", data: { phase: "handoff", output } });
    expect(last?.data).toMatchObject({ output: { sha256: evidence.sha256 } });
  });

  it("rejects a result that the session did not store, and lists those it stored", async () => {
    const { session, ids } = await recorded();
    const refused = handOff(session, { task: "What failed?", artifacts: ["0".repeat(64)] });
    await expect(refused).rejects.toMatchObject({ code: "invalid_options" });
    await expect(refused).rejects.toThrow(ids[0]);
    expect(session.eventLog.at(-1)?.kind).toBe("assistant_message");
  });
});
