import assert from "node:assert/strict";
import { canonicalJson } from "@ccl/core";
import type { SessionEvent } from "../session/session-event.ts";
import type { SessionStore } from "../session-store/session-store.ts";

/** Every event of a session, page by page. */
export async function readAll(
  store: SessionStore,
  sessionId: string,
  limit?: number,
): Promise<SessionEvent[]> {
  const events: SessionEvent[] = [];
  let cursor: string | undefined;
  do {
    const at = {
      cursor,
      limit,
    };
    const page = await store.read(sessionId, at);
    events.push(...page.events);
    ({ cursor } = page);
    assert.ok(cursor === undefined || page.events.length > 0, "a page without events has a cursor");
    assert.ok(events.length <= 10_000, "the pages do not end");
  } while (cursor !== undefined);
  return events;
}

/** Fails unless both are the same to the byte. */
export function expectSameEvents(
  actual: readonly SessionEvent[],
  expected: readonly SessionEvent[],
): void {
  assert.equal(actual.length, expected.length, "the number of events");
  for (const [index, event] of actual.entries()) {
    assert.equal(canonicalJson(event), canonicalJson(expected[index]), `event ${index}`);
  }
}
