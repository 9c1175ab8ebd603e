// Links between files of the repository, as links of the site.
import path from "node:path";

const docs = path.resolve(import.meta.dirname, "..");
const sources = "https://github.com/ccl-dev/ccl/blob/main";

/** The site's page for a file if there is one, otherwise the file in the repository. Other addresses stay unchanged. */
export function siteLink(folder, link) {
  if (/^(?:[a-z]+:|[#/])/.test(link)) return link;
  const [file, anchor] = link.split("#");
  const target = path.resolve(folder, file);
  const inside = path
    .relative(docs, target)
    .replaceAll("\\", "/")
    .replace(/^public\//, "");
  const readme = /^\.\.\/packages\/([^/]+)(?:\/README\.md)?$/.exec(inside)?.[1];
  const page = readme === undefined ? `/${inside.replace(/\.md$/, "")}` : `/packages/${readme}`;
  const isPage = readme !== undefined || !inside.startsWith("..");
  const address = isPage ? page : `${sources}/${inside.replaceAll("../", "")}`;
  return anchor === undefined ? address : `${address}#${anchor}`;
}

/** A markdown-it plugin that maps the links of pages through `siteLink`. */
export function rewriteLinks(markdown) {
  markdown.core.ruler.push("site-links", ({ tokens, env }) => {
    for (const token of tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.attrGet("href");
      if (href) token.attrSet("href", siteLink(path.dirname(env.path), href));
    }
  });
}

/** A markdown-it plugin that shows braces of TypeDoc's pages literally, where Vue would evaluate them. */
export function showBraces(markdown) {
  const render = markdown.render.bind(markdown);
  markdown.render = (text, env) =>
    env.relativePath.startsWith("api/")
      ? `<div v-pre>\n${render(text, env)}</div>\n`
      : render(text, env);
}
