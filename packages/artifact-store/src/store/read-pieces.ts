import { throwIfAborted, untilAborted } from "@ccl/core/async";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import { invalidInput, quoted } from "./check-input.ts";
import { isBytes } from "./is-bytes.ts";

/**
 * Yields the pieces of a caller's stream. An abort immediately ends the wait for a piece. It then stops the stream
 * without waiting for it. A failure of the stream itself becomes `invalid_input`.
 */
export async function* readPieces(
  pieces: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void> {
  const iterator = pieces[Symbol.asyncIterator]();
  let isDone = false;
  try {
    for (;;) {
      throwIfAborted(signal, ArtifactStoreError);
      const next = await untilAborted(nextPiece(iterator), signal, ArtifactStoreError);
      isDone = next.done === true;
      if (isDone) return;
      if (!isBytes(next.value))
        throw invalidInput(`The content stream gave ${quoted(next.value)}, not a Uint8Array.`);
      yield next.value;
    }
  } catch (error) {
    if (!(error instanceof StreamFailure)) throw error;
    isDone = true;
    throw ArtifactStoreError.isInstance(error.cause)
      ? error.cause
      : invalidInput(error.message, error.cause);
  } finally {
    if (!isDone) {
      const stopped = Promise.resolve(iterator.return?.()).catch(() => undefined);
      if (signal?.aborted !== true) await stopped;
    }
  }
}

class StreamFailure extends Error {}

async function nextPiece(iterator: AsyncIterator<Uint8Array>): Promise<IteratorResult<Uint8Array>> {
  try {
    return await iterator.next();
  } catch (cause) {
    throw new StreamFailure("The content stream failed.", { cause });
  }
}
