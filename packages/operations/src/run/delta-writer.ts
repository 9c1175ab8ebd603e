import { wellFormed } from "../artifact/well-formed.ts";
import type { RunContext } from "./run-context.ts";

/** Turns pieces of an answer into events, not too many and none too long, each of them well-formed. */
export interface DeltaWriter {
  add(text: string): void;
  /** All that was added, well-formed. */
  text(): string;
  /** Writes what is left, and a last piece if there is one; later additions are dropped. */
  close(last?: string): void;
}

/** The first piece is written at once, later ones together as the interval passes. */
export function createDeltaWriter(
  run: RunContext,
  type: "main_llm.delta" | "main_llm.reasoning",
): DeltaWriter {
  const { clock, limits } = run.services;
  const { assistantVariantId } = run.input;
  const pieces: string[] = [];
  let waiting = "";
  let offset = 0;
  let isClosed = false;
  let cancel: (() => void) | undefined;
  const write = (): void => {
    for (;;) {
      const end = endOfPiece(waiting, limits.maxDeltaChars);
      // The other half may come.
      if (end === 0 || (end === 1 && !isClosed && isHighSurrogate(waiting, 0))) break;
      const text = wellFormed(waiting.slice(0, end));
      run.emit({ type, assistantVariantId, text, offset });
      offset += text.length;
      waiting = waiting.slice(text.length);
    }
  };
  const onTime = (): void => {
    cancel = undefined;
    const before = offset;
    write();
    if (offset > before) cancel = clock.schedule(limits.deltaIntervalMs, onTime);
  };
  return {
    add(text) {
      if (isClosed || text.length === 0) return;
      pieces.push(text);
      waiting += text;
      if (cancel === undefined) onTime();
    },
    text: () => wellFormed(pieces.join("")),
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

/** No surrogate pair is cut in two, so that one that has not come whole waits, unless it is all there is. */
function endOfPiece(text: string, max: number): number {
  const end = Math.min(text.length, max);
  return end > 1 && isHighSurrogate(text, end - 1) ? end - 1 : end;
}

function isHighSurrogate(text: string, index: number): boolean {
  const code = text.charCodeAt(index);
  return code >= 0xd800 && code < 0xdc00;
}
