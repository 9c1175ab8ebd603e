import fc from "fast-check";
import { expect, it } from "vitest";

import { hasWayBack, isReader, ownText, refersToEarlier, toolNames } from "./client-tools.ts";

it("lists the tool names of each API, including those nested in a server", () => {
  const tools = [
    { name: "Read", input_schema: {} },
    { type: "function", function: { name: "bash" } },
    { type: "local_shell" },
    { type: "namespace", name: "mcp__ccl", tools: [{ type: "function", name: "search_artifact" }] },
    null,
    7,
  ];
  expect(toolNames(tools)).toEqual(["Read", "bash", "local_shell", "mcp__ccl", "search_artifact"]);
  for (const none of [undefined, {}, "Bash"]) expect(toolNames(none)).toEqual([]);
});

it.each([
  ["Claude Code", ["Read", "Bash"], true],
  ["Codex", ["exec_command", "apply_patch"], true],
  ["the built-in shell of Responses", ["local_shell"], true],
  ["Anthropic's own", ["bash_20250124"], true],
  ["Cursor", ["run_terminal_cmd"], true],
  ["Cline", ["execute_command"], true],
  ["our MCP server", ["mcp__ccl__search_artifact"], true],
  ["a shop", ["find_orders", "search", "bash_history_reader"], false],
  ["nothing", [], false],
])("knows whether %s has a way back", (_, tools, expected) => {
  expect(hasWayBack(tools)).toBe(expected);
});

it("recognizes file-reading tools of clients, editors and servers by name", () => {
  for (const tool of [
    "Read",
    "read_file",
    "mcp__filesystem__read_text_file",
    "view",
    "str_replace_based_edit_tool",
    "text_editor_20250728",
  ])
    expect(isReader(tool)).toBe(true);
  for (const tool of ["Bash", "Grep", "read_orders", "spread", undefined])
    expect(isReader(tool)).toBe(false);
});

it("recognizes a result that refers to an earlier one by its length and words", () => {
  const unchanged =
    "File unchanged since last read. The content from the earlier Read tool_result in this conversation is still current; refer to that instead of re-reading.";
  expect(refersToEarlier(unchanged)).toBe(true);
  expect(refersToEarlier("ok")).toBe(false);
  expect(refersToEarlier(`${unchanged}${"more ".repeat(100)}`)).toBe(false);
});

it("extracts each complete block of client text and nothing else", () => {
  const plain = fc.string({ unit: fc.constantFrom("a", "\n", "<", ">", "/", "system-reminder") });
  const block = plain.map(
    (text) => `<system-reminder>${text.replaceAll("</system-reminder>", "")}</system-reminder>`,
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.constantFrom("code ", "<system-reminder>x"), block)),
      (parts) => {
        const { own, words } = ownText(parts.join(""));
        const sum =
          own.length + words.replaceAll("\n<system-reminder>", "<system-reminder>").length;
        expect(sum).toBeLessThanOrEqual(parts.join("").length);
        expect(own).not.toMatch(/<system-reminder>[^]*<\/system-reminder>/);
        expect(words.split("<system-reminder>").length).toBeGreaterThanOrEqual(
          words.split("</system-reminder>").length,
        );
      },
    ),
  );
  expect(ownText("a\n<system-reminder>\nBe kind.\n</system-reminder>\n")).toEqual({
    own: "a",
    words: "\n<system-reminder>\nBe kind.\n</system-reminder>",
  });
  const open = "<system-reminder>".repeat(200_000);
  expect(ownText(open)).toEqual({ own: open, words: "" });
});
