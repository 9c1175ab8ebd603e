import type { JsonRecord } from "@ccl/core/json";

/**
 * Converts ids to valid ones for the API: letters, digits, `_` and `-`, unique per call. The same input yields the same
 * ids.
 */
export class ToolIds {
  readonly #ofLastCall = new Map<string, string>();
  readonly #given = new Set<string>();
  readonly #repeats = new Map<string, number>();

  /** Copies the turn, replacing the ids in its calls and results. */
  replaceIn(turn: JsonRecord): JsonRecord {
    const { content } = turn;
    if (!Array.isArray(content)) return { ...turn };
    return { ...turn, content: content.map((block) => this.#replaced(block)) };
  }

  #replaced(block: JsonRecord): JsonRecord {
    const { type, id, tool_use_id: answered } = block;
    if (type === "tool_use" && typeof id === "string") return { ...block, id: this.forCall(id) };
    if (type !== "tool_result" || typeof answered !== "string") return block;
    return { ...block, tool_use_id: this.forResult(answered) };
  }

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

  /** Returns the new id of the last call with this id. */
  forResult(id: string): string {
    return this.#ofLastCall.get(id) ?? plainId(id);
  }
}

/** Returns true if the API accepts the id. */
export function isPlainId(id: string): boolean {
  return plainId(id) === id;
}

function plainId(id: string): string {
  return id === "" ? "_" : id.replace(/[^a-zA-Z0-9_-]/g, "_");
}
