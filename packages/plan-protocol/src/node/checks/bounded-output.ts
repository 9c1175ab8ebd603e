import { redactSecrets } from "@ccl/core";

/** Bytes kept at each end of a running command's output. The middle of longer output is dropped. */
const KEPT_BYTES = 512 * 1024;

/** Collects a command's output in bounded memory. */
export interface BoundedOutput {
  add(bytes: Uint8Array): void;
  /** Returns the kept output with secrets masked. It is whole unless the middle was dropped. */
  end(): { text: string; isWhole: boolean };
}

export function createBoundedOutput(): BoundedOutput {
  let parts: Uint8Array[] = [];
  let sizeBytes = 0;
  let isWhole = true;

  /** Keeps only the first and last bytes. The middle is lost. */
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
      // If the gap splits a secret, neither half is recognized, so the text next to the gap is hidden.
      const texts = parts.map((part) => redactSecrets(new TextDecoder().decode(part)).text);
      return { text: texts.join("\n"), isWhole };
    },
  };
}
