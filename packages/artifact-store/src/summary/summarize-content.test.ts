import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMemoryArtifactStore } from "../index.ts";
import { cleanSummary, summarizeContent } from "./summarize-content.ts";

const token = `ghp_${"a1B2c3D4e5F6g7H8i9J0".repeat(2).slice(0, 36)}`;
const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}";

async function summaryOf(content: string | Uint8Array, mimeType?: string): Promise<string> {
  const store = createMemoryArtifactStore();
  return (
    await store.store(content, mimeType === undefined ? { source: "a" } : { source: "a", mimeType })
  ).summary;
}

describe("the default summary", () => {
  it.each([
    ["short text as it is", "Hello, world", undefined, "Hello, world"],
    ["lines as one line", "a\r\n\tb\n\n c ", undefined, "a b c"],
    ["nothing", "", undefined, "empty, text/plain; charset=utf-8"],
    [
      "binary content",
      new Uint8Array(12_345).fill(200),
      "image/png",
      "binary, 12,345 bytes, image/png",
    ],
    [
      "text with a NUL as binary",
      "a\u0000b",
      undefined,
      "binary, 3 bytes, text/plain; charset=utf-8",
    ],
    [
      "UTF-8 that is cut short as binary",
      Uint8Array.of(97, 0xe4, 0xb8),
      "text/plain",
      "binary, 3 bytes, text/plain",
    ],
    [
      "a terminal's colours without their control characters",
      "\u001b[31mred\u001b[0m",
      undefined,
      "[31mred [0m",
    ],
    [
      "text that would be shown in another order in its own",
      "a\u202egnp.exe\u202c \u2066b\u2069",
      undefined,
      "a gnp.exe b",
    ],
  ])("shows %s", async (_, content, mimeType, expected) => {
    expect(await summaryOf(content, mimeType)).toBe(expected);
  });

  it("is cut between graphemes at 200 characters, and marked", async () => {
    const summary = await summaryOf(family.repeat(100));
    expect(summary.length).toBeLessThanOrEqual(200);
    expect(summary.replaceAll(family, "")).toBe(" ...");
  });

  it("shows a character that the end of the head cuts neither whole nor broken", async () => {
    for (const shift of [0, 1, 2]) {
      expect(await summaryOf("x".repeat(shift) + "世".repeat(4_000))).toMatch(/^x*世+ \.\.\.$/);
    }
  });
});

describe("every summary", () => {
  it("is well formed, short and the same again, for any bytes", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 400 }),
      fc.string({ unit: "binary" }).map((text) => new TextEncoder().encode(text)),
    );
    fc.assert(
      fc.property(bytes, fc.boolean(), (head, isCut) => {
        const input = {
          head,
          isCut,
          sizeBytes: head.length + (isCut ? 9 : 0),
          mimeType: "a/b",
        };
        const summary = cleanSummary(summarizeContent(input));
        expect(summary.length).toBeLessThanOrEqual(200);
        expect(summary).not.toMatch(/\p{Surrogate}|\p{Cc}/u);
        expect(cleanSummary(summarizeContent(input))).toBe(summary);
      }),
    );
  });

  it("masks before it cuts", () => {
    for (let at = 3_950; at < 4_010; at += 1)
      expect(cleanSummary(`${"x".repeat(at)} ${token}`)).not.toContain("ghp_");
    // Masking makes a long text short, so that its own end shows.
    const masked = `-----BEGIN PRIVATE KEY-----\n${"K".repeat(31_000)}\n-----END PRIVATE KEY-----\n`;
    for (let at = 880; at < 940; at += 1) {
      expect(cleanSummary(`${masked}${"q".repeat(at)} ${token}`)).not.toContain("ghp_");
    }
  });
});
