import fs from "node:fs";
import path from "node:path";

import { defineConfig } from "vitepress";

import { packageNames } from "./package-pages.mjs";
import { rewriteLinks, showBraces } from "./site-links.mjs";

const root = path.resolve(import.meta.dirname, "../..");
// On GitHub Pages, a project's site is below the repository's name.
const base = process.env.CCL_DOCS_BASE ?? "/";

export default defineConfig({
  base,
  title: "CCL",
  description:
    "The Context Compression Layer: the smallest context that is enough, and a safe way to act on the answer.",
  cleanUrls: true,
  lastUpdated: false,
  srcExclude: ["public/**"],
  buildEnd: ({ outDir }) => fs.writeFileSync(path.join(outDir, "llms.txt"), llmsText()),
  markdown: {
    config: (markdown) => [rewriteLinks, showBraces].forEach((extend) => extend(markdown)),
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  // The default theme's greys and its button have too little contrast. The key on the search button is not part of the
  // button's name, so speech input would fail.
  head: [
    [
      "style",
      {},
      ":root{--vp-code-lang-color:#56565c;--vp-button-brand-bg:#3451b2}.dark{--vp-code-lang-color:#b4b4bb}.DocSearch-Button-Keys{display:none!important}",
    ],
  ],
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Start", link: "/tutorials/" },
      { text: "Guides", link: "/guides/" },
      { text: "How it works", link: "/explain/" },
      { text: "Compared", link: "/compare" },
      { text: "Packages", link: "/packages/context-compiler" },
      { text: "Reference", link: "/reference/" },
    ],
    sidebar: {
      "/packages/": [
        {
          text: "Packages",
          items: packageNames.map((name) => ({ text: `@ccl/${name}`, link: `/packages/${name}` })),
        },
      ],
      "/": [
        {
          text: "Tutorials",
          items: [
            { text: "A chat that keeps its task", link: "/tutorials/chat-that-keeps-its-task" },
            { text: "A proxy in front of your agent", link: "/tutorials/proxy-in-five-minutes" },
            { text: "A repository in a prompt", link: "/tutorials/repository-in-a-prompt" },
            { text: "A database that a model can query", link: "/tutorials/database-for-a-model" },
            { text: "Your own store", link: "/tutorials/your-own-store" },
          ],
        },
        {
          text: "Guides",
          items: [
            { text: "With LangChain", link: "/guides/with-langchain" },
            { text: "With the AI SDK", link: "/guides/with-ai-sdk" },
            { text: "With Next", link: "/guides/with-next" },
            { text: "With Claude Code", link: "/guides/with-claude-code" },
            { text: "With Codex", link: "/guides/with-codex" },
            { text: "Cookbook", link: "/guides/cookbook" },
            { text: "A chat server that survives a crash", link: "/guides/chat-server" },
            { text: "From Repomix", link: "/guides/from-repomix" },
            { text: "From trimMessages", link: "/guides/from-trim-messages" },
            { text: "From jsonrepair", link: "/guides/from-jsonrepair" },
            { text: "A custom store", link: "/guides/custom-store" },
            { text: "An artifact driver", link: "/guides/artifact-driver" },
            { text: "Tracing", link: "/guides/tracing" },
            { text: "Troubleshooting", link: "/guides/troubleshooting" },
          ],
        },
        {
          text: "How it works",
          items: [
            { text: "The parts and the data flow", link: "/explain/" },
            { text: "Budgets and prompt caches", link: "/explain/budgets-and-caches" },
            { text: "What the model sees", link: "/explain/what-the-model-sees" },
            { text: "Changes to files", link: "/explain/transactions" },
            { text: "Deterministic output", link: "/explain/determinism" },
            { text: "Security", link: "/explain/security" },
            { text: "From one process to many", link: "/explain/scaling" },
          ],
        },
        {
          text: "Compared",
          items: [
            { text: "Compared with other tools", link: "/compare" },
            { text: "The gateway compared", link: "/gateway-beside-others" },
          ],
        },
        {
          text: "Reference",
          items: [
            { text: "Overview", link: "/reference/" },
            { text: "Types and functions", link: "/api/" },
            { text: "Error codes", link: "/reference/errors" },
            { text: "Kinds of operations", link: "/reference/operation-kinds" },
            { text: "Glossary", link: "/reference/glossary" },
            { text: "Versions", link: "/versioning" },
            { text: "Decisions", link: "/decisions/README" },
          ],
        },
      ],
    },
  },
});

/** An index for models, as llmstxt.org defines it: each page and each package, with its first paragraph. */
function llmsText() {
  const pages = ["tutorials", "guides", "explain", "."].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, "docs", folder))
      .filter((file) => file.endsWith(".md") && file !== "index.md")
      .map((file) => lineOf(path.join("docs", folder, file), path.posix.join(folder, file))),
  );
  const readmes = packageNames.map((name) =>
    lineOf(path.join("packages", name, "README.md"), `packages/${name}.md`),
  );
  return `# CCL, the Context Compression Layer\n\n## Docs\n\n${pages.join("\n")}\n\n## Packages\n\n${readmes.join("\n")}\n`;
}

function lineOf(file, page) {
  const text = fs.readFileSync(path.join(root, file), "utf8");
  const title = /^# (.*)$/m.exec(text)?.[1];
  const gain = /^(?!#|\||```|!|<)\S[^]*?(?=\n\n)/m
    .exec(text)?.[0]
    .replaceAll(/[\s*]+/g, " ")
    .trim();
  return `- [${title}](${base}${page.slice(0, -3)}): ${gain}`;
}
