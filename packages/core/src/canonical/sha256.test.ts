import { describe, expect, it } from "vitest";
import { sha256Hex, sha8 } from "./sha256.ts";

describe("sha256Hex", () => {
  it.each([
    ["", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"],
    ["abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
  ])("returns the digest of FIPS 180-4 for %j", (text, digest) => {
    expect(sha256Hex(text)).toBe(digest);
    expect(sha8(text)).toBe(digest.slice(0, 8));
  });

  it("hashes a string as its UTF-8 bytes", () => {
    expect(sha256Hex("грёза 🙂")).toBe(sha256Hex(new TextEncoder().encode("грёза 🙂")));
  });
});
