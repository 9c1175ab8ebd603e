import type { JsonPath } from "../history/read-request.ts";

/** The position of a path's string in a JSON text, including its quotes. */
export interface StringSpan {
  path: JsonPath;
  start: number;
  end: number;
}

interface PathNode {
  path?: JsonPath | undefined;
  next: Map<string | number, PathNode>;
}

/**
 * Finds the strings of paths in a valid JSON text, in text order and linear time. Omits paths that do not lead to a
 * string, and paths through a duplicate key.
 */
export function findStrings(text: string, paths: readonly JsonPath[]): StringSpan[] {
  const root: PathNode = { next: new Map() };
  for (const path of paths) {
    let node = root;
    for (const step of path) {
      const next = node.next.get(step) ?? { next: new Map() };
      node.next.set(step, next);
      node = next;
    }
    node.path = path;
  }
  const scanner = new Scanner(text);
  scanner.value(root);
  return scanner.spans;
}

const blank = /[^\s,:]/g;
const closing = /["{}[\]]/g;

class Scanner {
  readonly #text: string;
  #at = 0;
  readonly spans: StringSpan[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  value(node: PathNode | undefined): void {
    const sign = this.#peek();
    const start = this.#at;
    if (node === undefined) return this.#skip(sign);
    if (sign === '"') {
      this.#skipString();
      if (node.path !== undefined) this.spans.push({ path: node.path, start, end: this.#at });
    } else if (sign === "{") this.#object(node);
    else if (sign === "[") this.#array(node);
    else this.#skip(sign);
  }

  #object(node: PathNode): void {
    const seen = new Set<string>();
    this.#at += 1;
    while (this.#peek() === '"') {
      const start = this.#at;
      this.#skipString();
      const key: unknown = JSON.parse(this.#text.slice(start, this.#at));
      const name = String(key);
      const wasSeen = seen.has(name);
      seen.add(name);
      if (wasSeen && node.next.has(name)) {
        // Parsers use the last of two values, so the first must not be replaced.
        this.spans.length = 0;
        this.#at = this.#text.length;
        return;
      }
      this.value(node.next.get(name));
    }
    this.#at += 1;
  }

  #array(node: PathNode): void {
    this.#at += 1;
    for (let index = 0; this.#peek() !== "]" && this.#at < this.#text.length; index++)
      this.value(node.next.get(index));
    this.#at += 1;
  }

  /** Moves to the next character other than a blank, comma or colon. */
  #peek(): string | undefined {
    blank.lastIndex = this.#at;
    const found = blank.exec(this.#text);
    this.#at = found?.index ?? this.#text.length;
    return found?.[0];
  }

  #skip(sign: string | undefined): void {
    if (sign === '"') return this.#skipString();
    if (sign !== "{" && sign !== "[") {
      while (this.#at < this.#text.length && !",]} \t\r\n".includes(this.#text.charAt(this.#at)))
        this.#at += 1;
      return;
    }
    let depth = 0;
    do {
      closing.lastIndex = this.#at;
      const found = closing.exec(this.#text);
      if (found === null) {
        this.#at = this.#text.length;
        return;
      }
      this.#at = found.index;
      if (found[0] === '"') this.#skipString();
      else {
        depth += found[0] === "{" || found[0] === "[" ? 1 : -1;
        this.#at += 1;
      }
    } while (depth > 0);
  }

  #skipString(): void {
    let end = this.#at;
    let slashes: number;
    do {
      end = this.#text.indexOf('"', end + 1);
      slashes = 0;
      while (this.#text[end - 1 - slashes] === "\\") slashes += 1;
    } while (end >= 0 && slashes % 2 === 1);
    this.#at = end < 0 ? this.#text.length : end + 1;
  }
}
