import { wellFormed } from "../artifact/copy-json.ts";
import type { RunEventBody } from "../events/run-event.ts";
import type { RunInput } from "../ports/run-store.ts";
import type { EngineServices } from "./engine-options.ts";
import { isHighSurrogate } from "./safe-text.ts";

/** Converts pieces of an answer to events. Limits the number and length of events, each of which is well-formed. */
export interface DeltaWriter {
  add(text: string): void;
  /** Returns the whole text so far, well-formed. */
  text(): string;
  /** Writes the remaining text, plus a last piece if given. Later additions are dropped. */
  close(last?: string): void;
}

/** The run that emits the events. */
interface StreamedRun {
  services: Pick<EngineServices, "clock" | "limits">;
  input: RunInput;
  emit(body: RunEventBody): void;
}

// In UTF-16 code units.
const maxDeltaChars = 4_096;

/** Writes the first piece immediately, and batches later ones once per interval. */
export function createDeltaWriter(
  run: StreamedRun,
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
      const end = endOfPiece(waiting);
      // The other half of the surrogate pair may follow.
      if (end === 0 || (end === 1 && !isClosed && isHighSurrogate(waiting.charCodeAt(0)))) break;
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

/**
 * Returns where to end a piece without splitting a surrogate pair. An incomplete pair waits, unless nothing else is
 * left.
 */
function endOfPiece(text: string): number {
  const end = Math.min(text.length, maxDeltaChars);
  return end > 1 && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end;
}
