// A conversation within a budget, with a tool whose results would fill any window.
import { createMemoryArtifactStore } from "@ccl/artifact-store";
import {
  createArtifactTools,
  createContextCompiler,
  createSession,
  runCompiled,
} from "@ccl/context-compiler";
import { estimatedCounter } from "@ccl/core";

export const budget = 4_000;
const systemPrompt =
  "You run an online shop's servers. Answer in a sentence or two. Read logs before you guess.";

/**
 * Sends one message after another in one session. `onText` gets the answer as it arrives, and the result says what the
 * window contained.
 */
export function createChat(model) {
  const session = createSession({ artifactStore: createMemoryArtifactStore() });
  const compiler = createContextCompiler();
  let sentTokens = 0;
  let allCalls = 0;
  // What a prompt would contain without a budget, for comparison.
  let wholeTokens = 0;
  const keep = (text) => {
    wholeTokens += estimatedCounter.count(text);
    return text;
  };
  keep(systemPrompt);
  const read = { ...readLog, execute: async (given) => keep(await readLog.execute(given)) };
  const tools = [read, ...createArtifactTools({ session })];
  return {
    async say(input, onText, signal) {
      const meters = [];
      keep(input);
      await runCompiled({
        session,
        compiler,
        model,
        tools,
        budget,
        systemPrompt,
        input,
        signal,
        onStep({ context }) {
          meters.push(meterOf(context));
          sentTokens += context.tokenCount;
          allCalls += 1;
        },
        onDelta: (delta) => delta.type === "text" && onText(delta.text),
      });
      return { ...meters.at(-1), calls: meters.length, allCalls, sentTokens, wholeTokens };
    },
  };
}

/** What the window contains, in tokens, and what was left out. */
function meterOf(context) {
  const changes = context.trace.flatMap((entry) => entry.changes);
  const count = (...actions) => changes.filter(({ action }) => actions.includes(action)).length;
  return {
    budget: context.budget,
    tokens: context.tokenCount,
    cached: context.prefixStableTokens,
    messages: context.toMessages().length,
    shortened: count("compacted", "truncated"),
    dropped: count("dropped"),
  };
}

const readLog = {
  name: "read_log",
  description: "All lines of a service's log of today.",
  inputSchema: {
    type: "object",
    properties: { service: { enum: ["checkout", "payments", "search"] } },
    required: ["service"],
  },
  async execute({ service }) {
    const lines = Array.from({ length: 3_000 }, (_, at) => {
      const time = new Date(Date.UTC(2026, 0, 5, 8, 0, at)).toISOString();
      return `${time} INFO ${service} GET /${service}/${(at * 7919) % 10_007} 200 ${20 + (at % 60)}ms`;
    });
    lines[1_744] = `${lines[1_744].slice(0, 24)} ERROR ${service} disk full on /var/lib/${service}, 0 bytes left`;
    return lines.join("\n");
  },
};
