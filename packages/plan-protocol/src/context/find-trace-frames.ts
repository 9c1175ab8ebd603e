/** A line that a stack trace or compiler message refers to. */
export interface TraceFrame {
  /** Relative if the path is below the root or already relative. */
  path: string;
  /** 1-based. */
  line: number;
}

const NAME = String.raw`[^\s"'()<>:|*?,;]`;

/** A match must start at the start of a name. Otherwise a long name takes quadratic time. */
const START = `(?<!${NAME})`;

/** How each language's tools write a location. The groups are the path and the line. */
const PATTERNS: readonly RegExp[] = [
  // Python: File "app/x.py", line 12; pytest: app/x.py:12: AssertionError
  /File "([^"\n]{1,400})", line (\d{1,7})/g,
  // Node and browsers: at f (file:///a/b.js:3:1), at /a/b.ts:3:1
  new RegExp(
    String.raw`\bat (?:async )?(?:[^\n(]{0,200}\()?(?:file://)?((?:[A-Za-z]:)?${NAME}{1,400}\.[A-Za-z]{1,8}):(\d{1,7}):\d{1,7}`,
    "g",
  ),
  // TypeScript: src/a.ts(3,1): error TS2307
  new RegExp(String.raw`${START}(${NAME}{1,400}\.[cm]?[jt]sx?)\((\d{1,7}),\d{1,7}\)`, "g"),
  // Java and Kotlin: at com.example.App.main(App.java:12)
  /\bat (?:[\w.$-]{1,80}\/)?([\w$.]{1,300})\.[\w$<>]{1,100}\(([\w$]{1,100}\.(?:java|kt|scala)):(\d{1,7})\)/g,
  // Rust: --> src/main.rs:3:5; panicked at src/main.rs:3:5
  new RegExp(String.raw`(?:-->|panicked at)\s+(${NAME}{1,400}):(\d{1,7})(?::\d{1,7})?`, "g"),
  // TAP: location: '/w/a.test.js:3:1', and the older at: with file: and line: on separate lines
  /\b(?:location|at): ['"]?(?:file:\/\/)?([^'"\n:]{1,400}\.[A-Za-z]{1,8}):(\d{1,7})(?::\d{1,7})?['"]?/g,
  /\bfile: ['"]?([^'"\n]{1,400}?)['"]?[ \t]*\n\s{1,40}line: (\d{1,7})/g,
  // Go, pytest, tsc, compilers, linters: /a/main.go:12 +0x1d, src/a.ts:3:1 - error
  new RegExp(
    String.raw`${START}((?:[A-Za-z]:)?${NAME}{1,400}\.(?:py|go|rs|[cm]?[jt]sx?|java|kt|vue|svelte|c|cc|cpp|h|rb|php)):(\d{1,7})\b`,
    "g",
  ),
];

/** Third-party code, which costs more to read than it helps. */
const FOREIGN =
  /(?:^|\/)(?:node_modules|site-packages|dist-packages|\.venv|venv|\.cargo|vendor)\/|^node:|^internal\/|^<|\/rustc\/|\/lib\/python\d/;

/**
 * Returns the project's frames in a trace, deduplicated, deepest first. In Python traces the last frame is the deepest,
 * elsewhere the first.
 */
export function findTraceFrames(text: string, root?: string): TraceFrame[] {
  const found = new Map<string, TraceFrame & { order: number }>();
  for (const pattern of PATTERNS) {
    for (const match of text.matchAll(pattern)) {
      const isPython = match[0].startsWith("File ");
      const named =
        match.length === 4 ? javaPath(match[1] ?? "", match[2] ?? "") : (match[1] ?? "");
      // A bare class file is less precise than the frame that the Java pattern reads.
      if (match.length !== 4 && /^[^/]+\.(?:java|kt|scala)$/.test(named)) continue;
      const path = toRelative(named, root);
      const line = Number(match.at(-1));
      if (path === undefined || line < 1) continue;
      const key = `${path}:${line}`;
      if (!found.has(key))
        found.set(key, {
          path,
          line,
          order: isPython ? -match.index : match.index,
        });
    }
  }
  return [...found.values()]
    .toSorted((a, b) => a.order - b.order)
    .map(({ path, line }) => ({ path, line }));
}

/** Java frames name classes, not files. By convention, sources live under src/main/java. */
function javaPath(type: string, file: string): string {
  const folders = type.split(".").slice(0, -1);
  return ["src", "main", file.endsWith(".kt") ? "kotlin" : "java", ...folders, file].join("/");
}

function toRelative(named: string, root: string | undefined): string | undefined {
  const path = named.replaceAll("\\", "/").replace(/^(?:file:\/\/|webpack:\/\/\/?|async )/, "");
  if (FOREIGN.test(path)) return undefined;
  const base = root?.replaceAll("\\", "/").replace(/\/+$/, "");
  if (base !== undefined && path.startsWith(`${base}/`)) return path.slice(base.length + 1);
  const isAbsolute = path.startsWith("/") || /^[A-Za-z]:/.test(path);
  return isAbsolute ? undefined : path.replace(/^(?:\.\/)+/, "");
}
