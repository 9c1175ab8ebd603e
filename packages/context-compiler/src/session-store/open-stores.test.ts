import { describe, expect, it } from "vitest";
import { openJsonlSessionStore } from "../node/index.ts";
import { openPostgresSessionStore } from "../postgres/index.ts";
import { openSqliteSessionStore } from "../sqlite/index.ts";

describe("a session store refuses by name", () => {
  it.each([
    [
      openJsonlSessionStore,
      "null",
      "What a session store is made of has to be an object, not null",
    ],
    [openJsonlSessionStore, "{}", "folder is the path of a folder, not undefined"],
    [openJsonlSessionStore, '{"folder":""}', 'folder is the path of a folder, not the text ""'],
    [
      openJsonlSessionStore,
      '{"folder":"x","durability":"Full"}',
      'durability is "full", "normal" or "off"',
    ],
    [
      openSqliteSessionStore,
      "null",
      "What a session store is made of has to be an object, not null",
    ],
    [openSqliteSessionStore, "{}", "database has to be an object with `prepare`, not undefined"],
    [
      openPostgresSessionStore,
      "null",
      "What a session store is made of has to be an object, not null",
    ],
    [openPostgresSessionStore, "{}", "client has to be an object with `query`, not undefined"],
  ])("%o of %s", async (open, options, words) => {
    const error = { code: "invalid_options", message: expect.stringContaining(words) };
    await expect(open(JSON.parse(options))).rejects.toMatchObject(error);
  });
});
