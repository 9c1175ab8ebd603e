import { redactSecrets } from "@ccl/core";

/** Bytes kept at each end while a command runs. The middle of a longer output is dropped. */
const KEPT_BYTES = 512 * 1024;

/** Collects what a command prints in bounded memory. */
export interface BoundedOutput {
  add(bytes: Uint8Array): void;
  /**
   * `text` is the kept output with secrets masked. `whole` is the unmasked output, undefined if the middle was dropped.
   */
  end(): { text: string; whole: string | undefined };
}

export function createBoundedOutput(): BoundedOutput {
  const head: Uint8Array[] = [];
  let headBytes = 0;
  let tail: Uint8Array[] = [];
  let tailBytes = 0;
  let droppedBytes = 0;

  const trimTail = (): void => {
    const all = Buffer.concat(tail);
    const kept = all.subarray(Math.max(0, all.length - KEPT_BYTES));
    droppedBytes += all.length - kept.length;
    tail = [kept];
    tailBytes = kept.length;
  };

  return {
    add(bytes) {
      const forHead = bytes.subarray(0, Math.max(0, KEPT_BYTES - headBytes));
      if (forHead.length > 0) head.push(forHead);
      headBytes += forHead.length;
      const rest = bytes.subarray(forHead.length);
      if (rest.length === 0) return;
      tail.push(rest);
      tailBytes += rest.length;
      if (tailBytes > 4 * KEPT_BYTES) trimTail();
    },
    end() {
      trimTail();
      const isWhole = droppedBytes === 0;
      const parts = (isWhole ? [[...head, ...tail]] : [head, tail]).map((part) =>
        new TextDecoder().decode(Buffer.concat(part)),
      );
      // If the gap cuts a secret in two, neither half is recognized. So the text next to the gap is not shown.
      const text = parts.map((part) => redactSecrets(part).text).join("\n");
      return { text, whole: isWhole ? parts[0] : undefined };
    },
  };
}
