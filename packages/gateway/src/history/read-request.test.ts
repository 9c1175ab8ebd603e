import { describe, expect, it } from "vitest";

import { auditTranscript } from "../audit/audit-transcript.ts";
import { readTranscripts } from "../audit/read-transcripts.ts";
import { readRequest } from "./read-request.ts";

const depth = 20_000;
const nested = (start: string, end: string): string =>
  `${start.repeat(depth)}"leaf"${end.repeat(depth)}`;
const deep = nested('{"a":', "}");
const results = nested('[{"type":"tool_result","tool_use_id":"1","content":', "}]");

describe("deeply nested JSON", () => {
  it.each([
    ["tools", `{"tools":[${deep}],"messages":[]}`],
    ["the input of a call", `{"messages":[{"content":[{"type":"tool_use","input":${deep}}]}]}`],
    ["an unknown part", `{"messages":[{"role":"user","content":[${deep}]}]}`],
    ["results within results", `{"messages":[{"role":"user","content":${results}}]}`],
    ["the system prompt", `{"system":${deep},"messages":[]}`],
    ["an unknown item", `{"input":[{"type":"unknown","value":${deep}}]}`],
  ])("is counted as %s of a request", (_, body) => {
    const [item] = readRequest(JSON.parse(body))?.items ?? [];
    expect(item?.text).toContain("leaf");
  });

  it("is audited in a transcript", () => {
    const { transcripts } = readTranscripts(
      `{"type":"assistant","message":{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"read","input":${deep}}]}}`,
    );
    expect(transcripts.map((one) => auditTranscript(one).kinds[0]?.kind)).toEqual(["call"]);
  });
});
