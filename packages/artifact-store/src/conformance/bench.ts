import assert from "node:assert/strict";
import { rejectsWith } from "@ccl/core/conformance";
import { createFixedClock, type FixedClock } from "@ccl/core/testing";
import { sha256Hex } from "@ccl/core";
import type {
  ArtifactHandle,
  ArtifactStore,
  ListHandlesOptions,
  StoreLimits,
} from "../artifact-store.ts";
import { ArtifactStoreError, type ArtifactStoreErrorCode } from "../artifact-store-error.ts";
import { concatBytes } from "../store/blob-record.ts";
import type { ConformanceOptions, Damage } from "./conformance-options.ts";

export const mebibyte: number = 1024 * 1024;
export const startMs: number = Date.UTC(2030, 0, 1);

/** Capabilities that a store may lack. */
export type Need = "reopen" | "corrupt" | "corruptHandle" | "limits" | "cutOff";

/** A rule that is not yet bound to a store. */
export interface Rule {
  name: string;
  /** Capabilities without which the rule does not apply. */
  needs?: Need | readonly Need[] | undefined;
  /** Limits in stored bytes. `of(n)` returns the stored size of content with n bytes. */
  limits?: ((of: (contentBytes: number) => number) => StoreLimits) | undefined;
  check(bench: Bench): Promise<void>;
}

/** Creates rules by name that all need the same capability, or none. */
export function rulesOf(checks: Record<string, Rule["check"]>, needs?: Need): Rule[] {
  return Object.entries(checks).map(([name, check]) => ({ name, needs, check }));
}

/** Asserts that the call fails with this code. */
export async function expectError(
  code: ArtifactStoreErrorCode,
  call: () => Promise<unknown>,
): Promise<void> {
  await rejectsWith(ArtifactStoreError, code, call);
}

/** An open store with helpers that the rules share. */
export class Bench {
  readonly clock: FixedClock;
  readonly store: ArtifactStore;
  readonly #options: ConformanceOptions;

  constructor(store: ArtifactStore, clock: FixedClock, options: ConformanceOptions) {
    this.store = store;
    this.clock = clock;
    this.#options = options;
  }

  static async open(options: ConformanceOptions, limits?: StoreLimits): Promise<Bench> {
    const clock = createFixedClock(startMs);
    return new Bench(await options.open({ clock, limits }), clock, options);
  }

  async idOf(content: Uint8Array | string): Promise<string> {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    return this.#options.idOf === undefined ? sha256Hex(bytes) : this.#options.idOf(bytes);
  }

  storedBytes(contentBytes: number): number {
    return contentBytes + (this.#options.overheadBytes ?? 0);
  }

  /** Stores content of this size. Each seed produces different content. */
  async put(contentBytes: number, seed: number = contentBytes): Promise<ArtifactHandle> {
    this.clock.advance(1);
    return this.store.store(someBytes(contentBytes, seed), { source: "tool:test" });
  }

  async corrupt(artifactId: string, damage: Damage): Promise<void> {
    assert.ok(this.#options.corrupt, "corrupt is missing: give it, or declare isDamageable: false");
    await this.#options.corrupt(this.store, artifactId, damage);
  }

  async corruptHandle(handle: ArtifactHandle): Promise<void> {
    assert.ok(this.#options.corruptHandle, "corruptHandle is missing");
    await this.#options.corruptHandle(this.store, handle);
  }

  async cutOff(writes: number): Promise<void> {
    assert.ok(this.#options.cutOff, "cutOff is missing");
    await this.#options.cutOff(this.store, writes);
  }

  async reopen(limits?: StoreLimits): Promise<Bench> {
    assert.ok(this.#options.reopen, "reopen is missing: give it, or declare isDurable: false");
    const { clock } = this;
    return new Bench(
      await this.#options.reopen(this.store, { clock, limits }),
      clock,
      this.#options,
    );
  }

  /** Asserts that the store has no handles and none of these contents. */
  async expectEmpty(...contents: (Uint8Array | string)[]): Promise<void> {
    assert.deepEqual(await this.store.listHandles(), { handles: [] }, "a handle is there");
    for (const content of contents) await this.expectAbsent(content);
  }

  async expectAbsent(content: Uint8Array | string): Promise<void> {
    const artifactId = await this.idOf(content);
    assert.equal(await this.store.exists(artifactId), false, "the artifact exists");
    assert.equal(await this.store.retrieve(artifactId), undefined, "the artifact can be read");
    assert.equal(await this.store.retrieveStream(artifactId), undefined, "it can be streamed");
  }

  /** Asserts that the artifact reads back as exactly this content. */
  async expectContent(artifactId: string, content: Uint8Array): Promise<void> {
    assertBytes(await this.store.retrieve(artifactId), content);
  }
}

const blockBytes = 4_096;

/** Returns bytes that are the same for the same arguments in every run. They differ by seed and offset. */
export function someBytes(length: number, seed: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let state = (Math.imul(seed + 1, 0x9e3779b1) ^ length) | 1;
  for (let index = 0; index < Math.min(length, blockBytes); index += 1) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    bytes[index] = state;
  }
  const view = new DataView(bytes.buffer);
  for (let at = blockBytes; at < length; at += blockBytes) {
    bytes.copyWithin(at, 0, Math.min(blockBytes, length - at));
    if (at + 4 <= length) view.setUint32(at, at ^ seed);
  }
  return bytes;
}

/** Reports only the first difference, since a diff of two megabytes would be unreadable. */
export function assertBytes(actual: Uint8Array | undefined, expected: Uint8Array): void {
  assert.ok(actual !== undefined, "nothing was there");
  assert.equal(Object.prototype.toString.call(actual), "[object Uint8Array]");
  assert.equal(actual.length, expected.length, "the number of bytes");
  // Hashes are compared in native code. A loop over the bytes would take up much of the kit's time.
  if (sha256Hex(actual) === sha256Hex(expected)) return;
  assert.fail(`byte ${actual.findIndex((byte, at) => byte !== expected[at])} differs`);
}

/** Reads a stream to its end. */
export async function drain(stream: AsyncIterable<Uint8Array> | undefined): Promise<Uint8Array> {
  assert.ok(stream !== undefined, "nothing was there");
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return concatBytes(pieces);
}

/** Splits the bytes into pieces of these lengths, repeated as often as needed. */
export async function* inPieces(
  bytes: Uint8Array,
  ...lengths: number[]
): AsyncGenerator<Uint8Array, void> {
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const length = lengths[turn % lengths.length] ?? bytes.length;
    yield bytes.slice(at, at + length);
    at += length;
  }
}

/** Lists all handles, page by page. */
export async function listAll(
  store: ArtifactStore,
  options: ListHandlesOptions = {},
): Promise<ArtifactHandle[]> {
  const handles: ArtifactHandle[] = [];
  const cursors = new Set<string>();
  let page = await store.listHandles(options);
  for (;;) {
    handles.push(...page.handles);
    if (page.cursor === undefined) return handles;
    assert.ok(!cursors.has(page.cursor), "a cursor came twice: the listing would never end");
    cursors.add(page.cursor);
    page = await store.listHandles({ ...options, cursor: page.cursor });
  }
}

/** Passes a value that TypeScript would reject, as a JavaScript caller could. */
export function untyped<T>(value: unknown): T {
  return value as T;
}
