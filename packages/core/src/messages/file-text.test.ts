import { describe, expect, it } from "vitest";

import { fileText } from "./file-text.ts";
import { imageTypeOf } from "./image-type-of.ts";

const data = new TextEncoder().encode("a,b\n1,ä\n");

describe("an attached file", () => {
  it.each([
    "text/plain",
    "text/csv; charset=utf-8",
    "TEXT/MARKDOWN",
    "application/json",
    "application/ld+json",
    "application/vnd.api+json",
    "application/x-ndjson",
    "application/x-sh",
    "application/x-yaml",
    "application/xml",
    "image/svg+xml",
  ])("is text if its media type is %s", (mimeType) => {
    expect(fileText({ type: "file", mimeType, data })).toBe("a,b\n1,ä\n");
  });

  it.each([
    "application/pdf",
    "application/octet-stream",
    "application/jsonfoo",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "image/png",
    "audio/wav",
    "x-text/plain",
    "",
  ])("is no text if its media type is %j", (mimeType) => {
    expect(fileText({ type: "file", mimeType, data })).toBeUndefined();
  });

  it("is no text without its bytes", () => {
    expect(
      fileText({ type: "file", mimeType: "text/plain", url: "https://example.com/a.txt" }),
    ).toBeUndefined();
  });
});

describe("the media type of an image", () => {
  it.each([
    ["image/png", "\x89PNG\r\n\x1A\n"],
    ["image/jpeg", "\xFF\xD8\xFF\xE0"],
    ["image/gif", "GIF89a"],
    ["image/webp", "RIFF\x10\0\0\0WEBPVP8 "],
    [undefined, "RIFF\x10\0\0\0WAVEfmt "],
    [undefined, " GIF89a"],
    [undefined, "%PDF-1.7"],
    [undefined, ""],
  ])("is %s for %j", (mimeType, head) => {
    expect(imageTypeOf(Uint8Array.from(head, (sign) => sign.charCodeAt(0)))).toBe(mimeType);
  });
});
