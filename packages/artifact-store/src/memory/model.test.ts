import fc from "fast-check";
import { expect, it } from "vitest";
import { createFixedClock, type FixedClock } from "@ccl/core/testing";
import { ArtifactStoreError } from "../artifact-store-error.ts";
import type { ArtifactStore } from "../artifact-store.ts";
import { createMemoryArtifactStore } from "../index.ts";

const maxSessionBytes = 700;
const maxStoreBytes = 1_200;
const sizeOf = (content: number): number => 100 * (content + 1);

type Session = string | undefined;
type Step =
  | { do: "store" | "delete"; content: number; session: Session }
  | { do: "collect"; graceMs: number }
  | { do: "wait"; ms: number };

const session = fc.constantFrom(undefined, "s1", "s2");
const content = fc.nat(5);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constantFrom("store" as const, "delete" as const), content, session }),
  fc.record({ do: fc.constant("collect" as const), graceMs: fc.constantFrom(0, 5, 20) }),
  fc.record({ do: fc.constant("wait" as const), ms: fc.nat(10) }),
);

/** What is there, as plainly as it can be said: contents are named by their number. */
class Model {
  handles: { content: number; session: Session }[] = [];
  /** When each blob was last stored or lost a handle. */
  blobs = new Map<number, number>();

  store(content: number, session: Session, now: number): string | number {
    const own = new Set(
      this.handles.filter((handle) => handle.session === session).map((handle) => handle.content),
    );
    const total = (contents: Iterable<number>): number =>
      [...contents].reduce((sum, each) => sum + sizeOf(each), 0);
    const fitsStore = total(new Set([...this.blobs.keys(), content])) <= maxStoreBytes;
    const fitsSession = session === undefined || total(own.add(content)) <= maxSessionBytes;
    if (!fitsStore || !fitsSession) return "limit_exceeded";
    this.handles.push({ content, session });
    this.blobs.set(content, now);
    return sizeOf(content);
  }

  delete(content: number, session: Session, now: number): boolean {
    const left = this.handles.filter(
      (handle) =>
        handle.content !== content || (session !== undefined && handle.session !== session),
    );
    if (left.length === this.handles.length) return false;
    this.handles = left;
    this.blobs.set(content, now);
    return true;
  }

  collect(until: number): number {
    const garbage = [...this.blobs].filter(([content, at]) => at <= until && !this.has(content));
    for (const [content] of garbage) this.blobs.delete(content);
    return garbage.reduce((sum, [content]) => sum + sizeOf(content), 0);
  }

  has(content: number): boolean {
    return this.handles.some((handle) => handle.content === content);
  }
}

const bytesOf = (content: number): Uint8Array => new Uint8Array(sizeOf(content)).fill(content);

/** What the step gives in the store and in the model. */
async function play(
  step: Step,
  store: ArtifactStore,
  { model, clock, ids }: Played,
): Promise<[unknown, unknown]> {
  if (step.do === "wait") return [clock.advance(step.ms), undefined];
  if (step.do === "collect") {
    const { freedBytes } = await store.collectGarbage({ graceMs: step.graceMs });
    return [freedBytes, model.collect(clock.now() - step.graceMs)];
  }
  const sessionOption = step.session === undefined ? {} : { sessionId: step.session };
  if (step.do === "delete") {
    const isDeleted = await store.delete(ids[step.content] ?? "", sessionOption);
    return [isDeleted, model.delete(step.content, step.session, clock.now())];
  }
  const options = { source: "a", ...sessionOption };
  const stored = await store.store(bytesOf(step.content), options).then(
    (handle) => handle.sizeBytes,
    (error: unknown) => (ArtifactStoreError.isInstance(error) ? error.code : error),
  );
  return [stored, model.store(step.content, step.session, clock.now())];
}

interface Played {
  model: Model;
  clock: FixedClock;
  /** Ids by the number of the content. */
  ids: string[];
}

it("behaves like its model under random puts, deletions and collections within limits", async () => {
  const scratch = createMemoryArtifactStore();
  const handles = await scratch.storeMany(
    [0, 1, 2, 3, 4, 5].map((n) => ({ content: bytesOf(n), source: "a" })),
  );
  const ids = handles.map(({ artifactId }) => artifactId);
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const clock = createFixedClock(1_000);
      const store = createMemoryArtifactStore({
        clock,
        limits: { maxSessionBytes, maxStoreBytes },
      });
      const model = new Model();
      for (const each of steps) {
        const [actual, expected] = await play(each, store, { model, clock, ids });
        expect(actual).toEqual(expected);
        const listed = (await store.listHandles({ limit: 1000 })).handles;
        expect(
          listed.map(({ artifactId, sessionId }) => [ids.indexOf(artifactId), sessionId]),
        ).toEqual(model.handles.map(({ content, session }) => [content, session]));
      }
      for (const [content, id] of ids.entries()) {
        expect(await store.retrieve(id)).toEqual(model.has(content) ? bytesOf(content) : undefined);
      }
    }),
  );
});
