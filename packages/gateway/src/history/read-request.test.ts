import { describe, expect, it } from "vitest";

import { auditTranscript } from "../audit/audit-transcript.ts";
import { readTranscripts } from "../audit/read-transcripts.ts";
import { readRequest } from "./read-request.ts";

const depth = 20_000;
const nested = (start: string, end: string): string =>
  `${start.repeat(depth)}"leaf"${end.repeat(depth)}`;
const deep = nested('{"a":', "}");
const results = nested('[{"type":"tool_result","tool_use_id":"1","content":', "}]");

describe("an attached file", () => {
  const data = "A".repeat(100_000);
  it.each([
    ["image", { source: { type: "base64", media_type: "image/png", data } }],
    ["document", { source: { type: "base64", media_type: "application/pdf", data } }],
    ["document", { source: { type: "url", url: "https://example.com/a.pdf" } }],
    ["image_url", { image_url: { url: `data:image/png;base64,${data}` } }],
    ["file", { file: { filename: "a.pdf", file_data: `data:application/pdf;base64,${data}` } }],
    ["input_audio", { input_audio: { format: "wav", data } }],
    ["input_image", { image_url: `data:image/png;base64,${data}` }],
    ["input_file", { filename: "a.pdf", file_data: `data:application/pdf;base64,${data}` }],
  ])("is counted as media, not by its bytes: %s", (type, fields) => {
    const content = [{ type, ...fields }];
    const result = { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content }] };
    const bodies = [
      { messages: [{ role: "user", content }] },
      { messages: [result] },
      { input: [{ role: "user", content }] },
    ];
    for (const body of bodies)
      expect(readRequest(body)?.items).toEqual([{ kind: "media", text: "", mediaTokens: 1_200 }]);
  });

  it("is counted as text if its source is text", () => {
    const content = [{ type: "document", source: { type: "text", data: "The whole report." } }];
    expect(readRequest({ messages: [{ role: "user", content }] })?.items).toMatchObject([
      { kind: "user", text: expect.stringContaining("The whole report.") },
    ]);
  });
});

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
