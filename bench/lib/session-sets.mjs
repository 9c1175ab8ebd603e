// Recorded conversations of several kinds as chat messages, read from a folder that the caller names.
import fs from "node:fs";
import path from "node:path";

import { fromOpenAiMessages } from "../../packages/providers/dist/wire/openai-chat/index.js";
import { readRecordedTraces } from "../../examples/long-session/src/recorded-traces.mjs";

/** `{ name, messages, tools }` each: agent runs over MCP servers. */
export const readMcpTraces = (folder) => readChats(folder, "livemcp.jsonl");

/** Coding agents: function calls of one agent, and the trajectories of another. */
export const readCodingTraces = (folder) => [
  ...readChats(folder, "mini-swe-agent.jsonl"),
  ...readRecordedTraces(path.join(folder, "traces")).filter(({ messages }) => messages.length > 20),
];

/** One question over three large results, and the facts of their error entries. */
export function readIncident(folder) {
  const file = path.join(folder, "outputs/incident.json");
  if (!fs.existsSync(file)) return undefined;
  const { messages, errors } = JSON.parse(fs.readFileSync(file, "utf8"));
  return { messages: fromOpenAiMessages(messages), errors };
}

/** Long conversations of two people with questions whose evidence is labelled. */
export function readTalks(folder) {
  return readLines(path.join(folder, "traces/locomo.jsonl")).map(({ id, turns, questions }) => ({
    id,
    questions: questions.filter(({ evidence }) => evidence.length > 0),
    turns: turns.map((turn) => ({
      ...turn,
      message: {
        role: turn.speaker === turns[0].speaker ? "user" : "assistant",
        content: `[${turn.at}] ${turn.speaker}: ${turn.text}`,
      },
    })),
  }));
}

function readChats(folder, name) {
  return readLines(path.join(folder, "traces", name)).map(({ id, messages }) => ({
    name: id,
    messages: fromOpenAiMessages(messages),
    tools: [],
  }));
}

function readLines(file) {
  if (!fs.existsSync(file)) return [];
  return fs
    .readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}
