import type { FormatCallback } from "html-to-text";

/** Renders an `h2` as `## `, so that the text below it belongs to this heading. */
const heading: FormatCallback = (element, walk, builder) => {
  builder.openBlock({ leadingLineBreaks: 1 });
  builder.addInline(`${"#".repeat(Number(element.name?.slice(1)))} `);
  walk(element.children, builder);
  builder.closeBlock({ trailingLineBreaks: 1 });
};

const headings = ["h1", "h2", "h3", "h4", "h5", "h6"];

/**
 * Opens a `readHtml` for `compress` and `readContent` that preserves tables, nested tables, links
 * and lists. It uses the optional peer `html-to-text`, and rejects with the error of `import` if
 * that is not installed.
 */
export async function openHtmlReader(): Promise<(html: string) => string> {
  const { compile } = await import("html-to-text");
  const convert = compile({
    wordwrap: false,
    limits: { maxInputLength: undefined },
    formatters: { heading },
    selectors: [
      ...headings.map((selector) => ({ selector, format: "heading" })),
      { selector: "table", format: "dataTable", options: { uppercaseHeaderCells: false } },
      { selector: "img", format: "skip" },
    ],
  });
  return (html) => convert(html).replace(/(?<=\S) {3,}(?=\S)/g, " | ");
}
