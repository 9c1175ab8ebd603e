import type { EditFormat } from "../place/file-change.ts";

const FAMILIES: readonly [RegExp, EditFormat][] = [
  [/claude|anthropic/i, "str_replace"],
  [/gemini|gemma|deepseek|qwen|mistral|codestral|devstral|llama|kimi|glm/i, "search_replace"],
];

/** Returns the edit format that the named model's family is trained on. V4A for an unknown model. */
export function editFormatFor(model: string): EditFormat {
  return FAMILIES.find(([family]) => family.test(model))?.[1] ?? "v4a";
}

const EXACT =
  "Copy old lines exactly. Give enough lines around each change that they occur only once in the file. Change only files that you were shown in full.";

const PROMPTS: Readonly<Record<Exclude<EditFormat, "json">, string>> = {
  v4a: `Give all changes as one patch:
*** Begin Patch
*** Update File: path
@@
 line that stays
-line that goes
+line that is new
*** Add File: path
+line
*** Delete File: path
*** End Patch
"*** Move to: path" under an Update moves the file. ${EXACT}`,
  search_replace: `Give each change as the file's path alone on a line, and below it:
<<<<<<< SEARCH
old lines
=======
new lines
>>>>>>> REPLACE
A block without old lines creates the file. ${EXACT}`,
  unified_diff: `Give all changes as one unified diff. Write "--- a/path" and "+++ b/path" above the hunks of each file. A hunk may begin with "@@" alone, without line numbers. ${EXACT}`,
  str_replace: `Give each change as one JSON object on its own line: {"command":"str_replace","path":PATH,"old_str":TEXT,"new_str":TEXT}, or {"command":"create","path":PATH,"file_text":TEXT}. ${EXACT}`,
  whole_file: `Give each changed file in full: its path alone on a line, and below it the new text in a fence. Leave nothing out.`,
};

/** Renders system prompt text that describes a format, about 60 to 110 tokens. For `json` use `renderSystemPrompt`. */
export function renderEditPrompt(format: Exclude<EditFormat, "json">): string {
  return PROMPTS[format];
}
