import { type Complete } from "@ccl/core";
import type { Template } from "liquidjs";

import type { TemplateLimits } from "./template-limits.ts";

/** Compiled templates by their text, evicted by last use. Errors are not kept. */
export class CompiledTemplates {
  readonly #compiled = new Map<string, Template[]>();
  readonly #limits: Complete<TemplateLimits>;
  #chars = 0;

  constructor(limits: Complete<TemplateLimits>) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#compiled.size;
  }

  /** The compiled template, by `compile` where it is not known; what that throws is thrown. */
  get(template: string, compile: (template: string) => Template[]): Template[] {
    const known = this.#compiled.get(template);
    if (known !== undefined) {
      this.#compiled.delete(template);
      this.#compiled.set(template, known);
      return known;
    }
    const compiled = compile(template);
    this.#compiled.set(template, compiled);
    this.#chars += template.length;
    this.#evict();
    return compiled;
  }

  #evict(): void {
    const { maxCachedTemplates, maxCachedChars } = this.#limits;
    for (const oldest of this.#compiled.keys()) {
      if (this.#compiled.size <= maxCachedTemplates && this.#chars <= maxCachedChars) return;
      this.#compiled.delete(oldest);
      this.#chars -= oldest.length;
    }
  }
}
