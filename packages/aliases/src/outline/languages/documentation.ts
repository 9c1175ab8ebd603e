import { firstSentence } from "../first-sentence.ts";
import type { SyntaxNode } from "../syntax-node.ts";

/** Returns the text of a `/**` comment without its marks. */
function javadocText(comment: string): string {
  return comment.slice(3, -2).replace(/^[ \t]*\*+ ?/gm, "");
}

/** Returns the first sentence of the `/**` comment directly before a node, or an empty string. */
export function javadocBefore(siblings: readonly SyntaxNode[], index: number): string {
  for (let before = index - 1; before >= 0; before--) {
    const node = siblings[before];
    if (node === undefined || !node.isComment) return "";
    const { text } = node;
    if (text.startsWith("/**") && text.length > 4) return firstSentence(javadocText(text));
  }
  return "";
}

/**
 * Returns the first sentence of the line comments with this mark directly above a node. `isSkipped`
 * accepts nodes in between, such as attributes.
 */
export function lineCommentsBefore(
  siblings: readonly SyntaxNode[],
  index: number,
  options: { mark: string; isSkipped?: ((node: SyntaxNode) => boolean) | undefined },
): string {
  const lines: string[] = [];
  let nextLine = siblings[index]?.firstLine ?? 0;
  for (let before = index - 1; before >= 0; before--) {
    const node = siblings[before];
    if (node === undefined) break;
    const isSkipped = options.isSkipped?.(node) === true;
    const previous = siblings[before - 1];
    const isTrailing =
      previous !== undefined && !previous.isComment && previous.lastLine === node.firstLine;
    const isAbove =
      node.isComment &&
      node.text.startsWith(options.mark) &&
      !isTrailing &&
      node.firstLine >= nextLine - 1;
    if (!isSkipped && !isAbove) break;
    if (!isSkipped) lines.push(node.text.slice(options.mark.length).replace(/^\/+/, ""));
    nextLine = node.firstLine;
  }
  return firstSentence(lines.reverse().join("\n"));
}
