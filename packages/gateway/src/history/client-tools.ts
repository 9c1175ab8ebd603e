import { arrayAt, isRecord, stringAt } from "@ccl/core/json";

/** The names of the tools of a request, those of a server that Codex lists together too; of a built-in one its type. */
export function toolNames(tools: unknown): string[] {
  if (!Array.isArray(tools)) return [];
  return [...tools, ...tools.flatMap((tool) => arrayAt(tool, "tools"))].flatMap((tool) => {
    const declared = isRecord(tool) ? (tool["function"] ?? tool["custom"]) : undefined;
    return stringAt(tool, "name") ?? stringAt(declared, "name") ?? stringAt(tool, "type") ?? [];
  });
}

/** Claude Code and opencode: Bash; Codex: shell, exec_command; Cursor: run_terminal_cmd; Cline: execute_command; Gemini CLI, Copilot. */
const shells = new Set(
  "bash shell localshell shellcommand exec execcommand executecommand executebash runcommand runterminalcmd runterminalcommand runinterminal runshellcommand terminal unifiedexec".split(
    " ",
  ),
);

/** Claude Code and opencode: Read; Cursor, Cline, Gemini CLI: read_file; editors that models were trained on; servers of files. */
const readers = new Set(
  "read readfile readfiles readmanyfiles readtextfile notebookread view viewfile openfile getfilecontents strreplaceeditor strreplacebasededittool texteditor".split(
    " ",
  ),
);

/** Without the server before it, case, separators and the date of a version. */
function plainName(tool: string): string {
  const own = tool.split(/__|[.:/]/).at(-1) ?? "";
  return own.replaceAll(/_?\d{8}$|[^a-zA-Z]/g, "").toLowerCase();
}

/** True where a model with these tools can run `ccl artifacts`, or reads artifacts by our MCP server. */
export function hasWayBack(tools: readonly string[]): boolean {
  return tools.some((tool) => shells.has(plainName(tool)) || /(^|_)search_artifact$/.test(tool));
}

/** True of a tool whose client takes what it returned for shown: it lets files be edited by it, and does not show it again. */
export function isReader(tool: string | undefined): boolean {
  return tool !== undefined && readers.has(plainName(tool));
}

/** True of a short result that says no more than that an earlier one still holds, as clients answer a file that is read again. */
export function refersToEarlier(text: string): boolean {
  return (
    text.length < 600 &&
    /\b(unchanged|not (been )?(changed|modified)|already (been )?read|still current|earlier)\b/i.test(
      text,
    )
  );
}

/** A result without what its client says to the model in it, which is never cut. */
export interface OwnText {
  own: string;
  /** Empty, or with a line break before it. */
  words: string;
}

const wordTags = ["system-reminder", "system_reminder", "bash_metadata", "environment_details"];

/** Takes the client's words out of a result. Linear in the text. */
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
