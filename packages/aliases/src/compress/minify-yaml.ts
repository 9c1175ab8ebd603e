import type { Document, Scalar } from "yaml";

import { loadYaml } from "../load-library.ts";

/** Larger files stay as they are: the parser takes seconds for megabytes. */
const maxLength = 500_000;

/**
 * The YAML text without comments and spare white space: the shortest, by `measure`, of its block and its flow form.
 * Undefined when it is not valid, or when neither form parses back to the same nodes: tags, anchors, aliases and the
 * spelling of plain values included.
 */
export function minifyYaml(
  text: string,
  measure: (text: string) => number = (form) => form.length,
): string | undefined {
  // A directive holds for one document only; what it would mean for the next is not worth the risk.
  if (text.length > maxLength || /^%/m.test(text)) return undefined;
  try {
    const nodes = fingerprint(read(text));
    const forms = [render(read(text), "block"), render(read(text), "flow")];
    const faithful = forms.filter((form) => fingerprint(read(form)) === nodes);
    return faithful.sort((a, b) => measure(a) - measure(b))[0];
  } catch {
    return undefined;
  }
}

/** Every plain value stays the string that it is in the text, so that nothing is read as a number and written otherwise. */
function read(text: string): Document.Parsed[] {
  const documents = loadYaml().parseAllDocuments(text, {
    schema: "failsafe",
    logLevel: "silent",
    merge: false,
    keepSourceTokens: false,
  });
  if (!Array.isArray(documents)) return [];
  for (const document of documents) {
    const [error] = document.errors;
    if (error !== undefined) throw error;
  }
  return documents;
}

function render(documents: Document.Parsed[], style: "block" | "flow"): string {
  const texts = documents.map((document) => {
    strip(document, style);
    return document.toString({
      indent: 1,
      indentSeq: false,
      lineWidth: 0,
      minContentWidth: 0,
      flowCollectionPadding: false,
      commentString: () => "",
    });
  });
  return texts.map((text) => text.replace(/^---\n/, "")).join("---\n");
}

function strip(document: Document.Parsed, style: "block" | "flow"): void {
  const { isCollection, isScalar, Scalar, visit } = loadYaml();
  document.comment = null;
  document.commentBefore = null;
  visit(document, {
    Node(_, node) {
      node.comment = null;
      node.commentBefore = null;
      node.spaceBefore = false;
      if (isCollection(node)) node.flow = style === "flow";
      // An empty value is null; in this schema it would be written as an empty string.
      if (isScalar(node) && isEmpty(node)) {
        node.value = "~";
        node.type = Scalar.PLAIN;
      }
      return undefined;
    },
  });
}

const isEmpty = (node: Scalar): boolean =>
  node.value === "" && isPlain(node) && node.tag === undefined;

const isPlain = ({ type }: Scalar): boolean => type === undefined || type === "PLAIN";

/** Plain values that some schema of YAML 1.1 or 1.2 reads as something else than a string. */
const maybeTyped = /^(?:[-+.]?\d.*|[-+]?\.(?:inf|nan)|~|null|true|false|yes|no|on|off|y|n|<<|=)$/is;

/** Equal for texts with the same nodes in the same order, whatever their layout. */
function fingerprint(documents: Document.Parsed[]): string {
  return JSON.stringify(documents.map((document) => describe(document.contents)));
}

function describe(node: unknown): unknown {
  const { isAlias, isCollection, isMap, isPair, isScalar } = loadYaml();
  if (node === null || node === undefined) return ["plain", "~"];
  if (isAlias(node)) return ["alias", node.source];
  if (isScalar(node)) {
    const value = isEmpty(node) ? "~" : node.value;
    const isTyped = isPlain(node) && maybeTyped.test(String(value));
    return [isTyped ? "plain" : "string", value, node.tag, node.anchor];
  }
  if (isPair(node)) return [describe(node.key), describe(node.value)];
  if (!isCollection(node)) return ["unknown"];
  return [isMap(node) ? "map" : "sequence", node.tag, node.anchor, node.items.map(describe)];
}
