import type { Context, Emitter } from "liquidjs";

import { textOfValue } from "./text-of-value.ts";
import { TemplateError } from "./template-filter.ts";

/** Where a template writes: prints lists and objects as JSON, and ends a render that writes too much. */
export class BoundedEmitter implements Emitter {
  buffer = "";
  readonly #context: Context;
  readonly #maxChars: number;

  constructor(context: Context, maxChars: number) {
    this.#context = context;
    this.#maxChars = maxChars;
  }

  write(value: unknown): void {
    const text = textOfValue(value);
    if (!text.ok) throw new TemplateError("A value is no JSON and cannot be printed");
    this.#context.memoryLimit.use(text.value.length);
    if (this.buffer.length + text.value.length > this.#maxChars) {
      throw new TemplateError(`The text would be longer than ${this.#maxChars} characters`);
    }
    this.buffer += text.value;
  }
}
