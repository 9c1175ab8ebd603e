import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";

import fc from "fast-check";
import { describe, expect, it } from "vitest";

import { storedZstd } from "./__fixtures__/stored-zstd.ts";
import { createDecoder, decodeBody } from "./content-decoder.ts";

const maxBytes = 100_000;
const lines = Array.from({ length: 40 }, (_, at) => `line ${at} of ${(at * 7919) % 101}`).join(
  "\n",
);
/** The lines as compressed by the zstd 1.5 program, with and without a checksum. */
const byZstd = [
  "KLUv/QRY9QQAEggUEbAlbfYQWA2TdnfvTHJ8yXQlRxFD0v7ZzKUy3nN7SlntGC+Nl2dlrbrbT3K1RNe6zU41m8Vi761ZEhbeb2U7mZB6EUMqQUAYACNiyEgQEIZLqEGgvv8bcJMkeRBopHbMH3Y2/jIix0WMbD7fDRo6neVKUadNRjFcozgG6BaRV0hPFCNkDisMhIsERhDgK7hYKJEZLm1OdgoAi1VCVxhj",
  "KLUv/WAhATUEACLIExDAFxtktPxnENm9U0pWVJwbt2A4gvOtVSJ3aPdtYW9oiq2utrqioXKmXvtXD0tp62jjlQxxjs7arHUKia42Vj+N6XWtPANAguEIJBAMoghNqCCe7x3AF1oDEIhCD966Av3JTmamPqo3qVOMxgxQjD50DR4TFAmovkzXIm9vMQrx/2Kn",
].map((text) => Buffer.from(text, "base64"));
const encoders = {
  gzip: (bytes: Uint8Array) => gzipSync(bytes),
  "x-gzip": (bytes: Uint8Array) => gzipSync(bytes),
  deflate: (bytes: Uint8Array) => deflateSync(bytes),
  br: (bytes: Uint8Array) => brotliCompressSync(bytes),
  zstd: storedZstd,
};

describe.each(Object.entries(encoders))("a body in %s", (encoding, encode) => {
  it("decodes to the original, whatever its chunks", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 2_000 }),
        fc.integer({ min: 1, max: 50 }),
        async (bytes, size) => {
          const body = encode(bytes);
          expect(await decodeBody(body, encoding, maxBytes)).toEqual(Buffer.from(bytes));
          const decoder = createDecoder(encoding, maxBytes);
          for (let at = 0; at < body.length; at += size)
            decoder?.write(body.subarray(at, at + size));
          decoder?.end();
          const pieces: Uint8Array[] = [];
          for await (const piece of decoder ?? []) pieces.push(piece);
          expect(Buffer.concat(pieces)).toEqual(Buffer.from(bytes));
        },
      ),
    );
  });

  it("is rejected if it is too long, truncated or in another encoding", async () => {
    const body = encode(Buffer.alloc(maxBytes + 1, lines));
    expect(await decodeBody(body, encoding, maxBytes)).toBe("too_large");
    expect(await decodeBody(body, encoding, maxBytes + 1)).toHaveLength(maxBytes + 1);
    for (const wrong of [body.subarray(0, body.length / 2), Buffer.from(lines)])
      expect(await decodeBody(wrong, encoding, maxBytes + 1)).toBe("unreadable_encoding");
  });
});

it("decodes frames of the zstd program", async () => {
  for (const body of byZstd) expect(String(await decodeBody(body, "zstd", maxBytes))).toBe(lines);
});

it("rejects a zstd frame that declares more memory than a body may use, before allocating it", async () => {
  for (const header of ["28b52ffd00f0", "28b52ffda0ffffff7f", "28b52ffde0ffffff7f00000000"])
    expect(await decodeBody(Buffer.from(header, "hex"), "zstd", 2 ** 25)).toBe("too_large");
  // Each block of four bytes expands to 128 kB of zeros.
  const bomb = Buffer.concat([
    Buffer.from("28b52ffd0048", "hex"),
    ...Array.from({ length: 5_000 }, () => Buffer.from([0x02, 0, 0x10, 0])),
  ]);
  expect(await decodeBody(bomb, "zstd", 2 ** 25)).toBe("too_large");
});

it("returns an unencoded body unchanged, and rejects unknown encodings", async () => {
  const body = Buffer.from(lines);
  for (const encoding of [undefined, "identity", " Identity"])
    expect(await decodeBody(body, encoding, maxBytes)).toBe(body);
  for (const encoding of ["gzip, br", "compress", ""])
    expect(await decodeBody(body, encoding, maxBytes)).toBe("unreadable_encoding");
});
