import { describe, expect, it } from "vitest";

import { editFormatFor, renderEditPrompt } from "./edit-prompt.ts";
import { parseEdits } from "./parse-edits.ts";

describe("editFormatFor", () => {
  it.each([
    ["gpt-5", "v4a"],
    ["something-new", "v4a"],
    ["claude-sonnet-4", "str_replace"],
    ["google/gemini-2.5-pro", "search_replace"],
  ])("offers %s the format %s", (model, format) => {
    expect(editFormatFor(model)).toBe(format);
  });
});

describe("renderEditPrompt", () => {
  it("shows a patch that is itself read", () => {
    const patch = renderEditPrompt("v4a").replace("Add File: path", "Add File: new");
    const text = "line that stays\nline that goes\n";
    const readSet = new Map([["path", { sha256: "a".repeat(64), text }]]);
    const read = parseEdits(patch.replace("*** Delete File: path\n", ""), { readSet });
    expect(read.ok && read.value.plan.actions.map(({ kind }) => kind)).toEqual([
      "CREATE_FILE",
      "PATCH_FILE",
    ]);
  });
});
