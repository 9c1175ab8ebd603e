import { foldName } from "./fold-name.ts";

/** Names that are protected at any depth, as a file or a folder. */
const PROTECTED_NAMES: ReadonlySet<string> = new Set(
  [
    // Tools' internal data.
    ".git git~1 .hg .svn .jj .ccl .ado node_modules __pycache__",
    // Secrets.
    ".env secrets .ssh .gnupg .netrc _netrc .git-credentials authorized_keys",
    // Coding agents' settings: permissions and instructions.
    ".claude .claude.json .cursor .cursorrules .codex .gemini .windsurf .windsurfrules .cline .clinerules .roo .roomodes",
    ".continue .kiro .amazonq .augment .trae .junie .opencode .goosehints .mcp.json .antigravity",
    // Editor settings that name programs to run.
    ".vscode .vscode-server .idea .fleet .zed .vs .nova .vimrc .nvimrc .exrc .nvim.lua .dir-locals.el .dir-locals-2.el",
  ].flatMap((names) => names.split(" ")),
);

const PROTECTED_ENDINGS = [".pem", ".key", ".p12", ".code-workspace"];
const PROTECTED_STARTS = [
  ".env.",
  "id_rsa",
  "id_dsa",
  "id_ecdsa",
  "id_ed25519",
  "id_xmss",
  ".aider",
];
const EXCEPTIONS: ReadonlySet<string> = new Set([".env.example"]);

/** True if a path has a segment that no plan may create, change, delete or read, however it is spelled. */
export function isProtectedPath(path: string): boolean {
  return path.split("/").some(isProtectedName);
}

function isProtectedName(segment: string): boolean {
  // An alternate data stream belongs to the file before the colon, and Windows strips trailing dots and spaces.
  const name = foldName(segment)
    .replace(/:.*$/s, "")
    .replace(/[. ]+$/, "");
  if (EXCEPTIONS.has(name)) return false;
  return (
    PROTECTED_NAMES.has(name) ||
    PROTECTED_ENDINGS.some((ending) => name.endsWith(ending)) ||
    PROTECTED_STARTS.some((start) => name.startsWith(start))
  );
}
