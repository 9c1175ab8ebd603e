import { redactSecrets } from "@ccl/core";

/** Number of bytes kept from each end of a command's output. */
const KEPT_BYTES = 512 * 1024;
/** Enough for a private key. */
const MAX_SECRET_CHARS = 4096;

/** Collects a command's output in bounded memory. */
export interface BoundedOutput {
  add(bytes: Uint8Array): void;
  /** Returns the kept output with secrets masked. `isWhole` is false if the middle was dropped. */
  end(): { text: string; isWhole: boolean };
}

export function createBoundedOutput(): BoundedOutput {
  let parts: Uint8Array[] = [];
  let sizeBytes = 0;
  let isWhole = true;

  /** Drops the middle if the output is too long. */
  const shorten = (): void => {
    const all = Buffer.concat(parts);
    parts = [all];
    if (isWhole && all.length <= 2 * KEPT_BYTES) return;
    isWhole = false;
    parts = [all.subarray(0, KEPT_BYTES), all.subarray(-KEPT_BYTES)];
    sizeBytes = 2 * KEPT_BYTES;
  };

  return {
    add(bytes) {
      parts.push(bytes);
      sizeBytes += bytes.length;
      if (sizeBytes > 4 * KEPT_BYTES) shorten();
    },
    end() {
      shorten();
      const [head = "", tail = ""] = parts.map(
        (part) => redactSecrets(new TextDecoder().decode(part)).text,
      );
      if (isWhole) return { text: head, isWhole };
      // If the gap splits a secret, neither half is recognized, so the text next to the gap is dropped.
      const text = `${head.slice(0, -MAX_SECRET_CHARS)}\n${tail.slice(MAX_SECRET_CHARS)}`;
      return { text, isWhole };
    },
  };
}
