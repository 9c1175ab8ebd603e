/** Ids as the API takes them: letters, digits, `_` and `-`, and each for one call alone; others are replaced, always alike. */
export class ToolIds {
  readonly #ofLastCall = new Map<string, string>();
  readonly #given = new Set<string>();
  readonly #repeats = new Map<string, number>();

  forCall(id: string): string {
    const plain = plainId(id);
    let given = plain;
    let repeat = this.#repeats.get(plain) ?? 1;
    while (this.#given.has(given)) given = `${plain}_${++repeat}`;
    this.#repeats.set(plain, repeat);
    this.#given.add(given);
    this.#ofLastCall.set(id, given);
    return given;
  }

  /** That of the last call with this id. */
  forResult(id: string): string {
    return this.#ofLastCall.get(id) ?? plainId(id);
  }
}

function plainId(id: string): string {
  return id === "" ? "_" : id.replace(/[^a-zA-Z0-9_-]/g, "_");
}
