import { readFileSync } from "node:fs";

import type { ChatMessage } from "@ccl/core";
import { arrayAt, isRecord, type JsonRecord } from "@ccl/core/json";
import { describe, expect, it } from "vitest";

import { toAiSdkMessages } from "./ai-sdk/index.ts";
import { fromAnthropicMessages, toAnthropicMessages } from "./anthropic/index.ts";
import { fromOpenAiMessages, toOpenAiMessages } from "./openai-chat/index.ts";
import { fromResponsesItems, toResponsesInput } from "./openai-responses/index.ts";

/** One request of an official client, as `test-support/record-requests.mjs` recorded it. */
interface Recorded {
  client: string;
  scenario: string;
  turn: number;
  wire: string;
  body: JsonRecord;
}

const file = new URL("__fixtures__/requests.json", import.meta.url);
const recorded: Recorded[] = JSON.parse(readFileSync(file, "utf8"));

interface Wire {
  from(body: JsonRecord): ChatMessage[];
  to(messages: ChatMessage[]): object;
}

const itemsAt = (body: JsonRecord, member: string): object[] =>
  arrayAt(body, member).filter(isRecord);
const wires: Record<string, Wire> = {
  openai: {
    from: (body) => fromOpenAiMessages(itemsAt(body, "messages")),
    to: (messages) => ({ messages: toOpenAiMessages(messages) }),
  },
  "openai-responses": {
    from: (body) => Reflect.apply(fromResponsesItems, undefined, [body]),
    to: toResponsesInput,
  },
  anthropic: {
    from: ({ system, messages }) =>
      Reflect.apply(fromAnthropicMessages, undefined, [{ system, messages }]),
    to: (messages) => toAnthropicMessages(messages),
  },
};

describe("requests of the official clients", () => {
  it("are recorded for each wire, with calls, results, media and parts of servers", () => {
    expect(recorded.length).toBeGreaterThan(60);
    const clients = new Set(recorded.map(({ client }) => client));
    expect(clients.size).toBe(8);
    const text = JSON.stringify(recorded);
    for (const kind of [
      "server_tool_use",
      "mcp_call",
      "input_audio",
      "tool_result",
      "item_reference",
    ])
      expect(text).toContain(`"type":"${kind}"`);
  });

  it.each(recorded.map((row) => [row.client, row.scenario, row.turn, row] as const))(
    "%s: %s (%i) goes out as it came in",
    (_client, _scenario, _turn, { wire, body }) => {
      const known = wires[wire];
      if (known === undefined) throw new Error(`There is no wire ${wire}.`);
      const messages = known.from(body);
      const before = JSON.stringify(body);
      const sent = { ...body, ...known.to(messages) };
      expect(JSON.stringify(sent)).toBe(before);
      expect(JSON.stringify(body)).toBe(before);
      // No part ends the conversation on its way to another provider.
      for (const other of Object.values(wires)) expect(other.to(messages)).toBeDefined();
      for (const version of ["v2", "v3", "v4"])
        expect(toAiSdkMessages(messages, { version }).length).toBeGreaterThan(0);
    },
  );

  it("would not pass a converter that keeps only what core has a field for", () => {
    const plain = (messages: ChatMessage[]): ChatMessage[] =>
      messages.map(({ role, content, toolCalls, toolCallId }) => ({
        role,
        content,
        toolCalls,
        toolCallId,
      }));
    const changed = recorded.filter(({ wire, body }) => {
      const known = wires[wire];
      const back = known && { ...body, ...known.to(plain(known.from(body))) };
      return JSON.stringify(back) !== JSON.stringify(body);
    });
    expect(changed.length).toBeGreaterThan(recorded.length / 4);
  });
});
