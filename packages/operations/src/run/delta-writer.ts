import type { RunDesk } from "./run-desk.ts";

/** Turns pieces of an answer into `main_llm.delta` events, not too many and none too long. */
export interface DeltaWriter {
  add(text: string): void;
  /** All that was added. */
  text(): string;
  /** Writes what is left, and a last piece if there is one; later additions are dropped. */
  close(last?: string): void;
}

/** The first piece is written at once, later ones together as the interval passes. */
export function createDeltaWriter(desk: RunDesk): DeltaWriter {
  const { clock, limits } = desk.services;
  const { assistantVariantId } = desk.input;
  const pieces: string[] = [];
  let waiting = "";
  let offset = 0;
  let isClosed = false;
  let cancel: (() => void) | undefined;
  const write = (): void => {
    while (waiting.length > 0) {
      const text = waiting.slice(0, endOfPiece(waiting, limits.maxDeltaChars));
      desk.emit({ type: "main_llm.delta", assistantVariantId, text, offset });
      offset += text.length;
      waiting = waiting.slice(text.length);
    }
  };
  const onTime = (): void => {
    cancel = undefined;
    if (waiting.length === 0) return;
    write();
    cancel = clock.schedule(limits.deltaIntervalMs, onTime);
  };
  return {
    add(text) {
      if (isClosed || text.length === 0) return;
      pieces.push(text);
      waiting += text;
      if (cancel === undefined) onTime();
    },
    text: () => pieces.join(""),
    close(last = "") {
      cancel?.();
      cancel = undefined;
      if (isClosed) return;
      isClosed = true;
      pieces.push(last);
      waiting += last;
      write();
    },
  };
}

/** No surrogate pair is cut in two. */
function endOfPiece(text: string, max: number): number {
  if (text.length <= max) return text.length;
  const code = text.charCodeAt(max - 1);
  return code >= 0xd800 && code < 0xdc00 && max > 1 ? max - 1 : max;
}
