import { describe, expect, it } from "vitest";

import { CclError } from "../ccl-error.ts";
import { bindRules, rejectsWith, type ConformanceHooks, type KitRule } from "./index.ts";

class Notes {
  texts: string[] = [];
  isClosed = false;
  async close(): Promise<void> {
    this.isClosed = true;
  }
}

const rules: KitRule<Notes>[] = [
  {
    name: "is empty at first",
    async check({ texts }) {
      expect(texts).toEqual([]);
    },
  },
  {
    name: "survives a restart",
    needs: "reopen",
    async check(notes, { reopen }) {
      notes.texts.push("kept");
      expect((await reopen(notes)).texts).toEqual(["kept"]);
    },
  },
];

describe("bindRules", () => {
  it("lists a rule only if the adapter has the hooks that it needs", () => {
    const names = (hooks: ConformanceHooks<Notes>): string[] =>
      bindRules(rules, hooks).map(({ name }) => name);
    const open = async (): Promise<Notes> => new Notes();
    expect(names({ open })).toEqual(["is empty at first"]);
    expect(names({ open, reopen: async (notes) => notes })).toHaveLength(2);
  });

  it("opens a subject for each rule and closes it afterwards, even if the rule fails", async () => {
    const opened: Notes[] = [];
    const hooks: ConformanceHooks<Notes> = {
      async open() {
        opened.push(new Notes());
        return opened.at(-1) ?? new Notes();
      },
      reopen: async () => new Notes(),
    };
    const outcomes = await Promise.allSettled(bindRules(rules, hooks).map(({ run }) => run()));
    expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(opened.map(({ isClosed }) => isClosed)).toEqual([true, true]);
  });

  it("names a hook that a rule used without declaring it", async () => {
    const careless: KitRule<Notes> = {
      name: "looks from elsewhere",
      check: async (notes, { openSecond }) => void (await openSecond(notes)),
    };
    const [rule] = bindRules<Notes, ConformanceHooks<Notes>>([careless], {
      open: async () => new Notes(),
    });
    await expect(rule?.run()).rejects.toThrow("no openSecond was given");
  });
});

class NoteError extends CclError<"full" | "closed"> {
  static override readonly brand: string = "NoteError";
}

describe("rejectsWith", () => {
  const fail = (error: unknown) => () => Promise.reject(error);

  it("returns an error of the expected class and code", async () => {
    const error = new NoteError("full", "no room");
    expect(await rejectsWith(NoteError, "full", fail(error))).toBe(error);
  });

  it("fails on success, on another class and on another code", async () => {
    const calls = [
      async () => {},
      fail(new Error("full")),
      fail(new CclError("full", "of another class")),
      fail(new NoteError("closed", "gone")),
    ];
    for (const call of calls)
      await expect(rejectsWith(NoteError, "full", call)).rejects.toHaveProperty(
        "name",
        "AssertionError",
      );
  });
});
