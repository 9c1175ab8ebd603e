import {
  createContextCompiler,
  createMemorySessionStore,
  openSession,
} from "@ccl/context-compiler";

/**
 * The prompt of each model call of a trace. Earlier messages are recorded in a session, and the session is compiled.
 * Halfway, another compiler reopens the session, as after a restart.
 */
export async function compileTrace({ messages, tools }, { budget, counter }) {
  const store = createMemorySessionStore();
  const calls = messages.flatMap(({ role }, index) =>
    role === "assistant" && index > 0 ? [index] : [],
  );
  const systemPrompt = messages[0].content;
  const contexts = new Map();
  let session = await openSession({ store, sessionId: "run", counter });
  let compiler = createContextCompiler({ counter });
  let recorded = 1;
  for (const [at, index] of calls.entries()) {
    await session.recordAll(messages.slice(recorded, index).map(draftOf));
    recorded = index;
    contexts.set(index, await compiler.compile(session, { budget, systemPrompt, tools }));
    if (at !== Math.floor(calls.length / 2)) continue;
    await session.close();
    session = await openSession({ store, sessionId: "run", counter });
    compiler = createContextCompiler({ counter });
  }
  await session.close();
  return contexts;
}

function draftOf({ role, content, toolCalls, toolCallId, source }) {
  const fields = { content, ...(source === undefined ? {} : { source }) };
  if (role === "tool") return { kind: "tool_success", data: { ...fields, callId: toolCallId } };
  if (role !== "assistant")
    return { kind: "user_input", data: { ...fields, ...(role === "user" ? {} : { role }) } };
  return {
    kind: "assistant_message",
    data: { ...fields, ...(toolCalls === undefined ? {} : { toolCalls }) },
  };
}
