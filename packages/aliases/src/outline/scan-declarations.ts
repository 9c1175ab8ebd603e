import type { OutlineLanguage } from "./outline.ts";
import { EXPORTED } from "./unread-exports.ts";

const MAX_LINE_CHARACTERS = 240;

// Each pattern captures a name in its last matching group. Only the start of a line is searched.
const ECMASCRIPT = [
  /^\s*(?:export |default |declare |abstract |async |const(?= enum))*\s*(?:function\*?|class|interface|type|enum|const|let|var|namespace|module) +([\w$]+)/,
  /^\s*(?:[\w$]+\.)+([\w$]+) *= *(?:async )?(?:function|class|\(|[\w$]+ *=>)/,
  /^\s+(?:public |protected |static |readonly |override |abstract |async |get |set |\*)*([\w$]+)(?:<[^(]*>)?\(.*\{\s*$/,
];
/** Matches a type and a name before parameters, if there is no final semicolon or the body is an expression. */
const METHOD = /^\s*(?:[\w:<>,*&?[\]]+ +)+[*&]*([\w:~]+) *\([^;]*(?:$|=>)/;
const PATTERNS: Partial<Record<OutlineLanguage, RegExp[]>> = {
  typescript: ECMASCRIPT,
  tsx: ECMASCRIPT,
  javascript: ECMASCRIPT,
  python: [/^\s*(?:async )?(?:def|class) +(\w+)/, /^([A-Za-z_]\w*)(?: *:[^=]+)? *=(?!=)/],
  go: [/^func +(?:\([^)]*\) *)?(\w+)/, /^(?:type|var|const) +(\w+)/, /^\t([A-Z]\w*)(?: |\(|$)/],
  rust: [
    /^\s*(?:pub(?:\([^)]*\))? )?(?:async |const |unsafe |default |extern "C" )*(?:fn|struct|enum|union|trait|type|mod|static|const|macro_rules!) +(?:mut )?(\w+)/,
  ],
  java: [
    /^\s*(?:(?:@\w+|public|protected|private|static|final|abstract|sealed|strictfp) )*(?:class|interface|enum|record|@interface) +(\w+)/,
    /^\s+(?:(?:@\w+|public|protected|private|static|final|abstract|default|synchronized|native) )+(?:<[^>]*> )?[\w.<>[\],?]+ +(\w+) *\(/,
  ],
  cpp: [EXPORTED.cpp, METHOD],
  "c-sharp": [/^\s*(?:\w+ )*(?:class|interface|struct|record|enum|delegate) +(\w+)/, METHOD],
  php: [/^\s*(?:\w+ )*(?:class|interface|trait|enum|function) +&?(\w+)/],
  ruby: [/^\s*(?:class|module|def) +(?:self\.)?([\w:]+[?!=]?)/],
  bash: [/^(?:function +)?([\w:-]+) *\(\)/],
  kotlin: [
    /^\s*(?:@?\w+ )*(?:class|interface|object|fun|val|var|typealias) +(?:<[^>]*> *)?(?:[\w<>,?*]+\.)*(\w+)/,
  ],
  swift: [
    /^\s*(?:@?\w+ )*(?:class|struct|enum|protocol|extension|actor|func|typealias|var|let) +(\w+)/,
  ],
  scala: [/^\s*(?:\w+ )*(?:class|trait|object|enum|def|val|type|given) +(\w+)/],
  sql: [EXPORTED.sql],
  css: [
    /^\s*((?:--|[.#$])[\w-]+)(?=[^;{]*[{:,]|\s*$)/,
    /^\s*@(?:keyframes|mixin|function|layer) +([\w-]+)/,
  ],
  markdown: [/^#{1,6} +(\S.*)$/],
  json: [/^\s{0,4}"([\w$.-]+)"\s*:/],
  yaml: [/^ {0,2}([\w.-]+) *:(?= |$)/],
};
const KEYWORDS = new Set(
  "if for while switch catch return function with else do try new".split(" "),
);

/**
 * Returns the distinct names that a source seems to declare, in order. Matches lines against
 * patterns instead of parsing them. This is fast enough to rank thousands of files, but also finds
 * declarations in comments.
 */
export function scanDeclarations(text: string, language: OutlineLanguage | undefined): string[] {
  const patterns = language === undefined ? undefined : PATTERNS[language];
  if (patterns === undefined) return [];
  const names = new Set<string>();
  for (const line of sourceLines(text, MAX_LINE_CHARACTERS)) {
    for (const pattern of patterns) {
      const name = pattern.exec(line)?.findLast((group) => group !== undefined);
      if (name === undefined) continue;
      if (!KEYWORDS.has(name)) names.add(name.trimEnd());
      break;
    }
  }
  return [...names];
}

/**
 * Returns the lines of a source without their line endings. Truncates each to `maxCharacters`, to
 * limit the cost of matching a pattern against it.
 */
function* sourceLines(text: string, maxCharacters: number): Generator<string> {
  for (let start = 0; start < text.length;) {
    const newline = text.indexOf("\n", start);
    const end = newline < 0 ? text.length : newline;
    const last = text[end - 1] === "\r" ? end - 1 : end;
    if (last > start) yield text.slice(start, Math.min(last, start + maxCharacters));
    start = end + 1;
  }
}
