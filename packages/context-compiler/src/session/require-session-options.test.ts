import { describe, expect, it } from "vitest";
import { sampleSession } from "../../test-support/sample-session.ts";
import { sessionFromEvidencePack } from "./session-from-evidence-pack.ts";
import { createSession } from "./create-session.ts";
import { openSession } from "./open-session.ts";
import { recordMessages } from "./record-messages.ts";

const refused = (code: string, words: string): unknown =>
  expect.objectContaining({ code, message: expect.stringContaining(words) });

const broken: [options: string, words: string][] = [
  ["null", "The options of a session must be an object, not null"],
  ['{"artifactStore": {}}', "artifactStore must be an object with `store` and `retrieve`"],
  ['{"counter": null}', "counter must be an object with `count`, not null"],
  ['{"clock": {}}', "clock must be an object with `now`"],
  ['{"ids": "uuid"}', 'ids must be an object with `next`, not the text "uuid"'],
  ['{"redact": true}', "redact is a function of a text, or false, not a value of type boolean"],
  [
    '{"offloadAboveTokens": "5"}',
    'offloadAboveTokens is a number of tokens from 0, not the text "5"',
  ],
  ['{"sessionId": 5}', "A session id has"],
];

describe("a session rejects, by name,", () => {
  it.each(broken)("%s", (options, words) => {
    expect(() => createSession(JSON.parse(options))).toThrow(
      refused("invalid_options", words) as Error,
    );
  });

  it("nothing that works, such as Date as a clock", () => {
    expect(createSession({ clock: Date }).sessionId).not.toBe("");
    expect(createSession(JSON.parse('{"redact": null, "artifactStore": null}')).sessionId).not.toBe(
      "",
    );
  });

  it.each([
    ["null", "The options of a session must be an object, not null"],
    ["{}", "store must be an object with `read`"],
    ['{"store": {}}', "store must be an object with `read`"],
  ])("the options of openSession: %s", async (options, words) => {
    await expect(openSession(JSON.parse(options))).rejects.toEqual(
      refused("invalid_options", words),
    );
  });

  it("the options of an evidence pack", async () => {
    const going = sessionFromEvidencePack(
      sampleSession().toEvidencePack(),
      JSON.parse('{"clock": {}}'),
    );
    await expect(going).rejects.toEqual(
      refused("invalid_options", "clock must be an object with `now`"),
    );
  });

  it.each([Number.NaN, Infinity, "1"])(
    "a time of %s, which a store could not read back",
    async (time) => {
      const session = sampleSession({ clock: { now: () => Object(time).valueOf() } });
      const recording = session.record("user_input", { content: "Hello." });
      await expect(recording).rejects.toEqual(refused("invalid_options", "The clock returned"));
      expect(session.eventLog.length).toBe(0);
    },
  );

  it.each([5, ""])("an event id of %s, which a store could not read back", async (id) => {
    const session = sampleSession({ ids: { next: () => Object(id).valueOf() } });
    const recording = session.record("user_input", { content: "Hello." });
    await expect(recording).rejects.toEqual(
      refused("invalid_options", "The id generator returned"),
    );
    expect(session.eventLog.length).toBe(0);
  });

  it.each(["null", "[null]", '{"kind": "user_input"}'])("recording %s", async (drafts) => {
    await expect(sampleSession().recordAll(JSON.parse(drafts))).rejects.toMatchObject({
      code: "invalid_event",
    });
  });

  it.each([
    "null",
    "[null]",
    '[{"role": "user"}, 5]',
    '[{"role": "assistant", "content": "", "toolCalls": null}]',
    '[{"role": "assistant", "content": "", "toolCalls": [null]}]',
  ])("the transcript %s", async (messages) => {
    const recording = recordMessages(sampleSession(), JSON.parse(messages));
    await expect(recording).rejects.toMatchObject({ code: "invalid_messages" });
  });
});
