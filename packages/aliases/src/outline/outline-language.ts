import type { OutlineLanguage } from "./outline.ts";

const LANGUAGE_BY_EXTENSION = new Map<string, OutlineLanguage>([
  ["ts", "typescript"],
  ["mts", "typescript"],
  ["cts", "typescript"],
  ["tsx", "tsx"],
  ["js", "javascript"],
  ["mjs", "javascript"],
  ["cjs", "javascript"],
  ["jsx", "javascript"],
  ...["vue", "svelte", "astro"].map((name) => [name, "typescript"] as const),
  ["py", "python"],
  ["ipynb", "python"],
  ["pyi", "python"],
  ["go", "go"],
  ["rs", "rust"],
  ["java", "java"],
  ...["c", "h", "cc", "hh", "cpp", "hpp", "cxx", "hxx"].map((name) => [name, "cpp"] as const),
  ["cs", "c-sharp"],
  ["php", "php"],
  ["rb", "ruby"],
  ["rake", "ruby"],
  ["sh", "bash"],
  ["bash", "bash"],
  ["kt", "kotlin"],
  ["kts", "kotlin"],
  ["swift", "swift"],
  ["scala", "scala"],
  ["sql", "sql"],
  ...["css", "scss", "less"].map((name) => [name, "css"] as const),
  ["md", "markdown"],
  ["markdown", "markdown"],
  ["mdx", "markdown"],
  ["json", "json"],
  ["jsonc", "json"],
  ["json5", "json"],
  ["webmanifest", "json"],
  ["yaml", "yaml"],
  ["yml", "yaml"],
]);

/** The language of a path's extension. Undefined if it is unknown. */
export function outlineLanguage(path: string): OutlineLanguage | undefined {
  const dot = path.lastIndexOf(".");
  return dot < 0 ? undefined : LANGUAGE_BY_EXTENSION.get(path.slice(dot + 1).toLowerCase());
}
