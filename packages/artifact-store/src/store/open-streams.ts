import type { CallScope } from "./call-scope.ts";
import type { ArtifactStream } from "./read-artifact.ts";

/** Streams that callers are reading. Closing the store ends them. */
export class OpenStreams {
  readonly #scope: CallScope;
  readonly #open = new Set<ArtifactStream>();

  constructor(scope: CallScope) {
    this.#scope = scope;
  }

  /** Wraps a stream so that each step counts as a store call: rejected after closing, and awaited while closing. */
  guard(
    stream: ArtifactStream,
    signal: AbortSignal | undefined,
  ): AsyncIterableIterator<Uint8Array> {
    this.#open.add(stream);
    const step = async (
      action: () => Promise<IteratorResult<Uint8Array, void>>,
    ): Promise<IteratorResult<Uint8Array, void>> => {
      try {
        const result = await this.#scope.run({ signal }, action);
        if (result.done === true) this.#open.delete(stream);
        return result;
      } catch (error) {
        await this.#end(stream);
        throw error;
      }
    };
    const guarded: AsyncIterableIterator<Uint8Array> = {
      next: () => step(() => stream.next()),
      return: async () => {
        await this.#end(stream);
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]: () => guarded,
    };
    return guarded;
  }

  async end(): Promise<void> {
    await Promise.all(Array.from(this.#open, (stream) => this.#end(stream)));
  }

  async #end(stream: ArtifactStream): Promise<void> {
    this.#open.delete(stream);
    await stream.return().catch(() => undefined);
  }
}
