import { redactSecrets } from "@ccl/core";

/** What is kept at each end while a command runs; between them a long output is let go. */
const KEPT_BYTES = 512 * 1024;

/** Collects what a command prints in bounded memory. */
export interface BoundedOutput {
  add(bytes: Uint8Array): void;
  /** All that was kept, masked; and unmasked unless something was let go between head and tail. */
  end(): { text: string; whole: string | undefined };
}

/** An output that has nothing yet. */
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
      // A secret that is cut in two is known by neither half: what stands next to the gap is not shown.
      const text = parts.map((part) => redactSecrets(part).text).join("\n");
      return { text, whole: isWhole ? parts[0] : undefined };
    },
  };
}
