// A chat with every sort of state, for tests in this process on sources and for workers on the built package.

/** State written by each answer, made from the state before, written now and then before the answer, and appended. */
function profileOf({ defineProfile, compute, custom }) {
  const wished = (tag, history, append) => {
    const value = String(history.at(-1)?.content);
    if (!value.endsWith("!")) return { status: "done" };
    const write = { persisted: true, usage: "internal", semantics: "state", tag, value };
    return { status: "done", effects: [{ type: "artifact.upsert", ...write, append }] };
  };
  return defineProfile({
    id: "story",
    turn: {
      system:
        "{{ art.last }}|{{ art.count }}|{{ art.wish }}|{{ art.log | join: ',' }}|{{ art.wishes | join: ',' }}",
    },
    operations: {
      last: compute(({ answer }) => answer, { after: true }),
      count: compute(({ art }) => Number(art.count ?? 0) + 1, { after: true }),
      log: compute(({ answer }) => answer, { after: true, artifact: { append: true } }),
      wish: custom(async ({ chatHistory }) => wished("wish", chatHistory), { before: true }),
      wishes: custom(async ({ chatHistory }) => wished("wishes", chatHistory, true), {
        before: true,
      }),
    },
  });
}

/** Answers in chats of the stores; `onPrompt` has each prompt before the model answers it. */
export function createStateWorld(operations, stores, onPrompt) {
  let turn = { answer: "", fails: false };
  const mainModel = {
    provider: "test",
    modelId: "test",
    async generate({ messages }) {
      onPrompt(messages.map(({ content }) => String(content)));
      if (turn.fails) throw new Error("The model is away.");
      return { text: turn.answer, toolCalls: [], finishReason: "stop" };
    },
  };
  const engine = operations.createRunEngine({
    ...stores,
    profile: profileOf(operations),
    mainModel,
    recover: false,
    limits: { pollMs: 20 },
  });
  return {
    chat: stores.chat,
    async say({ answer, fails, ...start }) {
      turn = { answer, fails };
      const { mainLlm } = await (await engine.start(start)).result;
      return { status: mainLlm.status, variantId: mainLlm.assistantVariantId };
    },
  };
}
