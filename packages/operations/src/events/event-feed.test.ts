import { expect, test } from "vitest";

import { createEventFeed } from "./event-feed.ts";
import { pageOf } from "./event-page.ts";
import type { RunEvent } from "./run-event.ts";

const stamp = {
  runId: "run",
  chatId: "chat",
  branchId: "main",
  userMessageId: "m",
  trigger: "generate",
} as const;

function eventAt(seq: number): RunEvent {
  return { ...stamp, type: "run.started", seq, epoch: 1, ts: seq };
}

test.each([1, 2, 3, 7])(
  "keeps the newest events, and all or nothing of what is asked for: pages of %d",
  (length) => {
    const feed = createEventFeed(4);
    for (let first = 1; first <= 40; first += length) {
      feed.publish(pageOf(Array.from({ length }, (_, index) => eventAt(first + index))));
      const { lastSeq } = feed;
      const kept = Array.from({ length: lastSeq + 1 }, (_, seq) =>
        feed.after(seq)?.map((event) => event.seq),
      );
      const wanted = kept.map((_, seq) =>
        Array.from({ length: lastSeq - seq }, (__, index) => seq + 1 + index),
      );
      const from = kept.findIndex((events) => events !== undefined);
      expect(kept.slice(from)).toEqual(wanted.slice(from));
      expect(lastSeq - from).toBeGreaterThanOrEqual(Math.min(4, lastSeq));
      expect(lastSeq - from).toBeLessThanOrEqual(8);
    }
  },
);

test("makes events of a page that nobody hears when they are read", () => {
  const feed = createEventFeed(4);
  let readings = 0;
  const page = (seq: number): ReturnType<typeof pageOf> => ({
    ...pageOf([eventAt(seq)]),
    read() {
      readings += 1;
      return [eventAt(seq)];
    },
  });
  feed.publish(page(1));
  expect(readings).toBe(0);
  const heard: number[] = [];
  feed.listen(({ seq }) => heard.push(seq));
  feed.publish(page(2));
  expect([readings, heard]).toEqual([1, [2]]);
  expect(feed.after(0)).toEqual([eventAt(1), eventAt(2)]);
});
