import type { Template } from "liquidjs";

const defaultLimits = { templates: 256, chars: 4_000_000 };

/** A cache of compiled templates by their text, evicted by last use. Errors are not cached. */
export class CompiledTemplates {
  readonly #compiled = new Map<string, Template[]>();
  readonly #limits: typeof defaultLimits;
  #chars = 0;

  constructor(limits?: Partial<typeof defaultLimits>) {
    this.#limits = { ...defaultLimits, ...limits };
  }

  get size(): number {
    return this.#compiled.size;
  }

  /** Returns the cached template, or compiles it. An error of `compile` is thrown. */
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
    const { templates, chars } = this.#limits;
    for (const oldest of this.#compiled.keys()) {
      if (this.#compiled.size <= templates && this.#chars <= chars) return;
      this.#compiled.delete(oldest);
      this.#chars -= oldest.length;
    }
  }
}
