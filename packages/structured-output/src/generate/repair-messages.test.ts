import type { Issue } from "@ccl/core";
import { describe, expect, it } from "vitest";

import { repairMessages } from "./repair-messages.ts";

const misfit = (path: Issue["path"], message: string): Issue => ({
  code: "ERR_SCHEMA_VALIDATION",
  path,
  message,
});
const truncated: Issue = { code: "ERR_TRUNCATED", path: [], message: "It ends." };
const lastOf = (issues: Issue[], options = {}): unknown =>
  repairMessages(issues, "{", options).at(-1)?.content;

describe("repairMessages", () => {
  it("names every fault by pointer and rule", () => {
    const issues = [
      misfit([], "type: must be object"),
      misfit(["a/b", 0, "c~"], "minLength: too short"),
    ];
    expect(repairMessages(issues, '{"a": 1}')).toMatchInlineSnapshot(`
      [
        {
          "content": "{"a": 1}",
          "role": "assistant",
        },
        {
          "content": "Your answer cannot be used:
      - (root) [ERR_SCHEMA_VALIDATION] type: must be object
      - /a~1b/0/c~0 [ERR_SCHEMA_VALIDATION] minLength: too short
      Answer again with the whole corrected JSON value and nothing else: no prose and no code fence.",
          "role": "user",
        },
      ]
    `);
  });

  it("asks to go on after a cut, or for a shorter value where the decoder cannot go on", () => {
    expect(lastOf([truncated])).toMatchInlineSnapshot(
      `"Your answer was cut off before its end. Go on exactly where it stopped: send only what is missing and repeat nothing. If you cannot, send the whole JSON value again, shorter."`,
    );
    expect(lastOf([truncated], { format: "json_schema", schema: { type: "object" } }))
      .toMatchInlineSnapshot(`
      "Your answer was cut off before its end. Send the whole JSON value again, shorter.
      The JSON Schema is:
      {"type":"object"}"
    `);
  });

  it("does not ask a decoder for JSON to go on", () => {
    expect(lastOf([truncated], { format: "json_object" })).not.toContain("Go on");
    expect(lastOf([truncated], { format: "none" })).toContain("Go on");
  });

  it("counts what it does not list", () => {
    const issues = Array.from({ length: 23 }, (_, index) =>
      misfit([index], "type: must be string"),
    );
    expect(lastOf(issues)).toContain(
      "- /19 [ERR_SCHEMA_VALIDATION] type: must be string\n- and 3 more\n",
    );
  });

  it("sends no empty assistant turn", () => {
    expect(repairMessages([misfit([], "x")], " \n").map((turn) => turn.role)).toEqual(["user"]);
  });

  it("cuts a long answer in the middle, says so, and splits no character", () => {
    const answer = `a${"🙂".repeat(30_000)}`;
    const shown = String(repairMessages([truncated], answer)[0]?.content);
    const [head = "", left = "", tail = ""] = shown.split(/\.\.\.\[TRUNCATED (\d+) chars\]\.\.\./);
    expect(head.length + Number(left) + tail.length).toBe(answer.length);
    expect(shown.length).toBeLessThan(40_100);
    expect(shown).not.toMatch(/\p{Surrogate}/u);
  });
});
