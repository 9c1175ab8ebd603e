import type { OutlineLanguage } from "./outline.ts";

const EXTENSIONS: [language: OutlineLanguage, extensions: string][] = [
  ["typescript", "ts mts cts vue svelte astro"],
  ["tsx", "tsx"],
  ["javascript", "js mjs cjs jsx"],
  ["python", "py pyi ipynb"],
  ["go", "go"],
  ["rust", "rs"],
  ["java", "java"],
  ["cpp", "c h cc hh cpp hpp cxx hxx"],
  ["c-sharp", "cs"],
  ["php", "php"],
  ["ruby", "rb rake"],
  ["bash", "sh bash"],
  ["kotlin", "kt kts"],
  ["swift", "swift"],
  ["scala", "scala"],
  ["sql", "sql"],
  ["css", "css scss less"],
  ["markdown", "md markdown mdx"],
  ["json", "json jsonc json5 webmanifest"],
  ["yaml", "yaml yml"],
];
const LANGUAGE_BY_EXTENSION = new Map(
  EXTENSIONS.flatMap(([language, extensions]) =>
    extensions.split(" ").map((extension) => [extension, language] as const),
  ),
);

/** Returns the language for a path's extension, or undefined if it is unknown. */
export function outlineLanguage(path: string): OutlineLanguage | undefined {
  const dot = path.lastIndexOf(".");
  return dot < 0 ? undefined : LANGUAGE_BY_EXTENSION.get(path.slice(dot + 1).toLowerCase());
}
