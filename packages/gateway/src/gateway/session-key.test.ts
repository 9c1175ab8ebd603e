import { describe, expect, it } from "vitest";

import { readRequest } from "../history/read-request.ts";
import { type RequestHeaders, sessionKey, tenantOf } from "./session-key.ts";

const ask = (content: string): object => ({ role: "user", content });
const answer = { role: "assistant", content: "Yes." };

function keyOf(body: object, headers: RequestHeaders = {}): string {
  const request = readRequest(body);
  if (request === undefined) throw new Error("It is no request.");
  return sessionKey(body, request, headers);
}

const first = { messages: [ask("Which failed?")] };
const later = { messages: [ask("Which failed?"), answer, ask("And why?")] };

describe("a session without a name", () => {
  it("keeps its key as its history grows, and gets another for a different beginning", () => {
    expect(keyOf(later)).toBe(keyOf(first));
    expect(keyOf({ messages: [ask("Which passed?")] })).not.toBe(keyOf(first));
    expect(
      keyOf({ messages: [{ role: "system", content: "Be brief." }, ...first.messages] }),
    ).not.toBe(keyOf(first));
  });

  it("gets a key by the first question, even after a system prompt that others share", () => {
    const [one, other] = ["Which failed?", "Which passed?"].map((text) =>
      keyOf({ messages: [{ role: "system", content: "Be brief." }, ask(text)] }),
    );
    expect(one).not.toBe(other);
  });
});

describe("a session with a name", () => {
  const names: [string, object, RequestHeaders][] = [
    ["a header of ours", {}, { "x-ccl-session": "s" }],
    ["a header of the client", {}, { "x-claude-code-session-id": "s" }],
    ["a prompt cache key", { prompt_cache_key: "s" }, {}],
    ["the user of the metadata", { metadata: { user_id: "s" } }, {}],
  ];

  it.each(names)(
    "by %s keeps its key as its history grows, and gets another for a different beginning",
    (_, fields, headers) => {
      const key = keyOf({ ...first, ...fields }, headers);
      expect(keyOf({ ...later, ...fields }, headers)).toBe(key);
      expect(keyOf({ messages: [ask("Which passed?")], ...fields }, headers)).not.toBe(key);
      expect(key).not.toBe(keyOf(first));
    },
  );

  it.each(names)(
    "by %s keeps its key when the client refreshes its token, but not for another account",
    (_, fields, headers) => {
      const keysOf = (...accounts: string[]): Set<string> =>
        new Set(
          ["one", "two"].flatMap((token) =>
            accounts.map((account) => {
              const own = { authorization: `Bearer ${token}`, "chatgpt-account-id": account };
              return keyOf({ ...first, ...fields }, { ...headers, ...own });
            }),
          ),
        );
      expect(keysOf("a").size).toBe(1);
      expect(keysOf("a", "b").size).toBe(2);
    },
  );

  it("takes its name from a header before the body", () => {
    const header = { "session-id": "header" };
    const named = { ...first, prompt_cache_key: "body", metadata: { user_id: "user" } };
    expect(keyOf(named, header)).toBe(keyOf(first, header));
    expect(keyOf(named)).toBe(keyOf({ ...first, prompt_cache_key: "body" }));
  });
});

describe("a tenant", () => {
  const credentials: RequestHeaders[] = [
    {},
    { authorization: "Bearer one" },
    { authorization: "Bearer two" },
    { "x-api-key": "one" },
    { "api-key": "one" },
    { authorization: "Bearer one", "x-api-key": "one" },
  ];

  it("differs for each set of credentials, while session keys differ only by account", () => {
    expect(new Set(credentials.map(tenantOf)).size).toBe(credentials.length);
    const keysOf = (more: RequestHeaders): Set<string> =>
      new Set(credentials.map((headers) => keyOf(first, { ...headers, ...more })));
    expect(keysOf({}).size).toBe(1);
    expect(keysOf({ "openai-project": "p" })).not.toEqual(keysOf({}));
    expect(tenantOf({ authorization: "Bearer one", "user-agent": "x" })).toBe(
      tenantOf({ authorization: "Bearer one" }),
    );
  });
});
