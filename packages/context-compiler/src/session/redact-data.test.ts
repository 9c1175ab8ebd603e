import { redactSecrets } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { redactData } from "./redact-data.ts";

const secret = `sk-proj-${"a1B2".repeat(12)}`;
const redact = (text: string): string => redactSecrets(text).text;
const shownIn = (value: unknown): number => JSON.stringify(value).split(secret).length - 1;

describe("a provider's JSON", () => {
  const raw = {
    type: "mcp_tool_result",
    tool_use_id: "mcptoolu_1",
    is_error: false,
    content: [{ type: "text", text: `key: ${secret}` }, null, 7],
    input: { password: "hunter2-hunter2", command: `curl -H "Authorization: Bearer ${secret}"` },
  };

  it("is masked in its texts and named secrets, and remains JSON of the same shape", () => {
    const masked = redactData({ type: "provider", provider: "anthropic", raw }, redact);
    expect(masked).toMatchObject({
      provider: "anthropic",
      raw: {
        type: "mcp_tool_result",
        tool_use_id: "mcptoolu_1",
        is_error: false,
        content: [{ type: "text", text: expect.stringContaining("[redacted:") }, null, 7],
        input: { password: "[redacted:secret_value]" },
      },
    });
    expect([shownIn(raw), shownIn(masked)]).toEqual([2, 0]);
  });

  it("is unchanged, in the same order, if it has no secrets", () => {
    const plain = { z: [{ b: "", a: null, c: 'x\\/y \u0026 "q"' }], a: 1, id: "1" };
    expect(JSON.stringify(redactData({ raw: plain }, redact))).toBe(JSON.stringify({ raw: plain }));
  });

  it.each([
    { type: "thinking", thinking: `Hm ${secret}`, signature: "c2ln" },
    { type: "reasoning", encrypted_content: secret, id: secret },
    { type: "redacted_thinking", data: secret },
    { type: "reasoning.encrypted", data: secret, index: 0 },
    { type: "web_search_result", encryptedContent: secret, tool_use_id: secret },
    { thoughtSignature: secret, callId: secret },
  ])("keeps signed values, encrypted values and ids: %j", (part) => {
    expect(redactData({ raw: part, providerMetadata: { x: [part] } }, redact)).toEqual({
      raw: part,
      providerMetadata: { x: [part] },
    });
  });

  it("is masked in metadata too", () => {
    const providerMetadata = { openai: { refusal: secret }, wire: { edits: [[["a"], secret]] } };
    expect(shownIn(redactData({ text: "Hi", providerMetadata }, redact))).toBe(0);
  });
});
