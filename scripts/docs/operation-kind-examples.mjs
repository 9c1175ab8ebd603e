// One record for each kind of operation, as a profile stores it, and what the application provides for it.
const writes = (tag) => ({ tag, persisted: true, usage: "prompt+ui", semantics: "state" });
const toSystem = [{ type: "prompt.system_update", mode: "append", separator: "\n" }];

/** In the order of the page. */
export const kindExamples = {
  template: {
    purpose: "Renders a Liquid text and calls no model.",
    params: { template: "The user is called {{ vars.name }}.", emit: toSystem },
  },
  compute: {
    purpose: "Stores what your function returns.",
    needs: "`createBuiltinOperations({ functions: { addTax } })`",
    params: { function: "addTax", input: { net: 100 }, writeArtifact: writes("price") },
  },
  llm: {
    purpose: "Asks a model apart from the main call and stores its answer.",
    needs: "`createBuiltinOperations({ models })`",
    params: {
      providerRef: "openai",
      model: "gpt-5-mini",
      credentialRef: "default",
      prompt: "Mood of the message, in JSON: {{ chatHistory | last: 1 | compact }}",
      output: { mode: "json" },
      writeArtifact: writes("mood"),
    },
  },
  rag: {
    purpose: "Finds passages with a retriever and stores them, or adds their text to the prompt.",
    needs: "`createBuiltinOperations({ retriever })`",
    params: { query: "{{ chatHistory | last: 1 | compact }}", topK: 3, emit: toSystem },
  },
  tool: {
    purpose: "Calls a tool, with Liquid in its arguments, whether the model asks for it or not.",
    needs: "`createBuiltinOperations({ tools })`",
    params: {
      tool: "weather",
      args: { city: "{{ vars.city }}" },
      writeArtifact: writes("weather"),
    },
  },
  guard: {
    purpose: "Computes a boolean from a condition, for `when` of other operations.",
    params: {
      condition: { ref: "userMessages.last.content", contains: "weather", ignoreCase: true },
      writeArtifact: writes("asksForWeather"),
    },
  },
  wait: {
    purpose: "Waits for a person's answer, or until a time.",
    params: {
      question: "May I look up {{ vars.city }}?",
      maxWaitMs: 600_000,
      otherwise: false,
      writeArtifact: writes("consent"),
    },
  },
  transform: {
    purpose: "Changes the answer, after the main call.",
    after: true,
    params: {
      steps: [{ use: "trim" }, { use: "replace_text", find: "rain", with: "sunshine" }],
      apply: ["variant"],
    },
  },
};

/** The record of an example, as in `operations` of a profile. */
export function exampleRecord(kind) {
  const { after = false, params } = kindExamples[kind];
  const hooks = [after ? "after_main_llm" : "before_main_llm"];
  const config = { enabled: true, required: true, hooks, order: 1, params };
  return { operationId: `example:${kind}`, config };
}
