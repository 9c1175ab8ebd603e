import { createMemoryArtifactStore } from "@ccl/artifact-store";
import type { ChatMessage } from "@ccl/core";
import { expect, it } from "vitest";

import { createContextCompiler } from "../compile/create-context-compiler.ts";
import { fitMessages } from "../fit/fit-messages.ts";
import { createArtifactTools } from "../tool-interrupt/create-artifact-tools.ts";
import { createSession } from "./create-session.ts";
import type { Session } from "./session.ts";

const file = Array.from(
  { length: 400 },
  (_, at) => `  take(${(at * 7919) % 997}, "${at}"); // step ${at} of the plan`,
);
const edited = file.with(250, "  skip(); // no longer a step");

const recordCall = async (
  session: Session,
  [callId, input, content]: readonly [string, string, string],
): Promise<string> => {
  const toolCalls = [{ id: callId, name: "read_file", arguments: input }];
  await session.record("assistant_message", { content: "", toolCalls });
  await session.record("tool_success", { callId, name: "read_file", content });
  return String(session.messages().at(-1)?.message.content);
};

it("shows a stored result that repeats in one line, and after an edit by the differences", async () => {
  const session = createSession({ artifactStore: createMemoryArtifactStore() });
  await session.record("user_input", { content: "Shorten the plan." });
  const first = await recordCall(session, ["1", '{"path":"plan.ts"}', file.join("\n")]);
  const id = /artifact ([0-9a-f]{12})/.exec(first)?.[1] ?? "none";
  expect(first).not.toContain("step 250 ");
  const again = await recordCall(session, ["2", '{"path":"plan.ts"}', file.join("\n")]);
  expect(again.split("\n")[1]).toBe(`[The same as artifact ${id}.]`);
  const changed = await recordCall(session, ["3", '{"path":"plan.ts"}', edited.join("\n")]);
  expect(changed).toContain(`[As artifact ${id}, but for 2 lines; - there, + here:]`);
  expect(changed).toContain("+  skip(); // no longer a step");
});

it("refers only to artifacts that the log names", async () => {
  const session = createSession({ artifactStore: createMemoryArtifactStore() });
  const controller = new AbortController();
  const content = file.join("\n");
  const lost = session.record("tool_success", { callId: "1", content }, controller);
  controller.abort();
  await expect(lost).rejects.toMatchObject({ code: "aborted" });
  expect(await recordCall(session, ["2", "{}", content])).not.toContain("The same as");
});

it("summarizes a stored result by the user's words and the arguments of its call", async () => {
  const session = createSession({ artifactStore: createMemoryArtifactStore() });
  await session.record("user_input", { content: "What does step 311 do?" });
  const shown = await recordCall(session, ["1", '{"path":"plan.ts"}', file.join("\n")]);
  expect(shown).toContain("step 311 ");
  const asked = createSession({ artifactStore: createMemoryArtifactStore() });
  expect(await recordCall(asked, ["1", '{"find":"step 177"}', file.join("\n")])).toContain(
    "step 177 ",
  );
});

it("shows an older result by its differences from a later one when both do not fit", () => {
  const call = (id: string, input: string): ChatMessage => ({
    role: "assistant",
    content: "",
    toolCalls: [{ id, name: "read_file", arguments: input }],
  });
  const messages: ChatMessage[] = [
    { role: "user", content: "Compare the plans." },
    call("1", '{"path":"plan.ts"}'),
    { role: "tool", toolCallId: "1", content: file.join("\n") },
    call("2", '{"path":"plan-2.ts"}'),
    { role: "tool", toolCallId: "2", content: edited.join("\n") },
  ];
  const { messages: shown } = fitMessages(messages, { budget: 12_000 });
  const [older, later] = shown.filter(({ role }) => role === "tool");
  expect(later?.content).toBe(edited.join("\n"));
  expect(older?.content).toMatch(
    /^\[As a later result, but for 2 lines; - there, \+ here:\]\n@@ 249 @@\n/,
  );
  expect(older?.content).toContain(`+${file[250]}`);
});

it("explains once how to get the rest of a result, if the model has the tools", async () => {
  const session = createSession({ artifactStore: createMemoryArtifactStore() });
  await session.record("user_input", { content: "Shorten the plan." });
  const compiler = createContextCompiler();
  const tools = createArtifactTools({ session });
  const compile = async (): Promise<readonly ChatMessage[]> =>
    (
      await compiler.compile(session, { budget: 6_000, systemPrompt: "Be brief.", tools })
    ).toMessages();
  const [before] = await compile();
  expect(before?.content).toMatch(
    /^Be brief\.\n\nResults marked as shortened or stored are not whole: search_artifact finds /,
  );
  for (const id of ["1", "2", "3"])
    await recordCall(session, [
      id,
      `{"path":"${id}"}`,
      file.map((line) => `${id} ${line}`).join("\n"),
    ]);
  const [system, ...others] = await compile();
  expect(system).toEqual(before);
  const text = others.map(({ content }) => String(content)).join("\n");
  expect(text).toMatch(/\[Shortened from [\d,]+ tokens; artifact [0-9a-f]{12} has all of it\]/);
  expect(text).not.toContain("search_artifact");
  const bare = await compiler.compile(session, { budget: 6_000, systemPrompt: "Be brief." });
  expect(bare.toMessages()[0]?.content).toBe("Be brief.");
});
