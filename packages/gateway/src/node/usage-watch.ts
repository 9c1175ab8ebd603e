import { type Duplex, Transform } from "node:stream";
import { finished } from "node:stream/promises";

import type { ReportedInput } from "../history/read-request.ts";
import { createDecoder } from "./content-decoder.ts";

/** Maximum number of bytes to decode. Usage reported later is missed. */
const maxAnswerBytes = 2 ** 28;
/** Decoding stops if more than this many bytes are waiting for the decoder. */
const maxWaitingBytes = 2 ** 24;

/**
 * Passes an answer through unchanged, and reads the reported input tokens from a decoded copy of
 * it.
 */
export class UsageWatch extends Transform {
  readonly #decoder: Duplex | undefined;
  readonly #found = new Map<string, number>();

  constructor(encoding: string | undefined) {
    super();
    this.#decoder = createDecoder(encoding, maxAnswerBytes);
    const text = new TextDecoder();
    let [rest, length] = ["", 0];
    this.#decoder?.on("error", () => undefined);
    this.#decoder?.on("data", (piece: Uint8Array) => {
      length += piece.length;
      if (length > maxAnswerBytes) this.#decoder?.destroy();
      rest = this.#read(rest + text.decode(piece, { stream: true }));
    });
  }

  override _transform(piece: Uint8Array, _encoding: string, done: () => void): void {
    const decoder = this.#decoder;
    if (decoder?.writable === true) {
      if (decoder.writableLength > maxWaitingBytes) decoder.destroy();
      else decoder.write(piece);
    }
    this.push(piece);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    if (error !== null) this.#decoder?.destroy();
    done(error);
  }

  /** Returns the reported input. Call after the answer ends. Undefined without a readable report. */
  async reported(): Promise<ReportedInput | undefined> {
    if (this.#decoder === undefined) return undefined;
    this.#decoder.end();
    // Usage that was read before an error still counts.
    await finished(this.#decoder).catch(() => undefined);
    const found = this.#found;
    if (found.size === 0) return undefined;
    const read = found.get("cache_read_input_tokens") ?? 0;
    const written = found.get("cache_creation_input_tokens") ?? 0;
    const plain = found.get("input_tokens") ?? found.get("prompt_tokens") ?? 0;
    const cached = read + (found.get("cached_tokens") ?? 0);
    return { total: plain + read + written, cached, written };
  }

  /** Returns the end of the text, since a field may start there. */
  #read(text: string): string {
    for (const [, name = "", tokens] of text.matchAll(usageField))
      this.#found.set(name, Math.max(Number(tokens), this.#found.get(name) ?? 0));
    return text.slice(-80);
  }
}

const usageField =
  /"(cache_read_input_tokens|cache_creation_input_tokens|cached_tokens|input_tokens|prompt_tokens)"\s*:\s*(\d+)(?=\D)/g;
