import { arrayAt, isRecord, stringAt } from "@ccl/core/json";

/**
 * Returns the tool names of a request, including tools that Codex nests in a server. For a built-in tool, returns its
 * type.
 */
export function toolNames(tools: unknown): string[] {
  if (!Array.isArray(tools)) return [];
  return [...tools, ...tools.flatMap((tool) => arrayAt(tool, "tools"))].flatMap((tool) => {
    const declared = isRecord(tool) ? (tool["function"] ?? tool["custom"]) : undefined;
    return stringAt(tool, "name") ?? stringAt(declared, "name") ?? stringAt(tool, "type") ?? [];
  });
}

/**
 * Shell tools: Claude Code and opencode (Bash), Codex (shell, exec_command), Cursor (run_terminal_cmd), Cline
 * (execute_command), Gemini CLI and Copilot.
 */
const shells = new Set(
  "bash shell localshell shellcommand exec execcommand executecommand executebash runcommand runterminalcmd runterminalcommand runinterminal runshellcommand terminal unifiedexec".split(
    " ",
  ),
);

/**
 * Read tools: Claude Code and opencode (Read), Cursor, Cline and Gemini CLI (read_file), editors that models were
 * trained on, and file servers.
 */
const readers = new Set(
  "read readfile readfiles readmanyfiles readtextfile notebookread view viewfile openfile getfilecontents strreplaceeditor strreplacebasededittool texteditor".split(
    " ",
  ),
);

/** Converts a tool name to lower case, without server prefix, separators and version date. */
function plainName(tool: string): string {
  const own = tool.split(/__|[.:/]/).at(-1) ?? "";
  return own.replaceAll(/_?\d{8}$|[^a-zA-Z]/g, "").toLowerCase();
}

/** Returns true if a model with these tools can run `ccl artifacts`, or read artifacts through ccl's MCP server. */
export function hasWayBack(tools: readonly string[]): boolean {
  return tools.some((tool) => shells.has(plainName(tool)) || /(^|_)search_artifact$/.test(tool));
}

/**
 * Returns true for a tool that reads files. Its client assumes that the model saw the whole result, so it allows edits
 * and does not show the file again.
 */
export function isReader(tool: string | undefined): boolean {
  return tool !== undefined && readers.has(plainName(tool));
}

/**
 * Returns true for a short result that only says that an earlier one is still valid. Clients return such results when a
 * file is read again.
 */
export function refersToEarlier(text: string): boolean {
  return (
    text.length < 600 &&
    /\b(unchanged|not (been )?(changed|modified)|already (been )?read|still current|earlier)\b/i.test(
      text,
    )
  );
}

/** A result, separated from the text that its client added for the model. The added text is never cut. */
export interface OwnText {
  own: string;
  /** Either empty or starts with a line feed. */
  words: string;
}

const wordTags = ["system-reminder", "system_reminder", "bash_metadata", "environment_details"];

/** Separates the client's text from a result, in linear time. */
export function ownText(text: string): OwnText {
  let own = text;
  let words = "";
  for (const tag of wordTags) {
    const [open, close] = [`<${tag}>`, `</${tag}>`];
    let [rest, at] = ["", 0];
    for (;;) {
      const start = own.indexOf(open, at);
      const end = start < 0 ? -1 : own.indexOf(close, start);
      if (end < 0) break;
      rest += own.slice(at, start);
      at = end + close.length;
      words += `\n${own.slice(start, at)}`;
    }
    own = rest + own.slice(at);
  }
  return words === "" ? { own: text, words } : { own: own.trimEnd(), words };
}
