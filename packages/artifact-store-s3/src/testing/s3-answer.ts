/** An answer of the server. */
export interface S3Answer {
  status: number;
  headers?: Record<string, string> | undefined;
  body?: Uint8Array | string | undefined;
  /** Content length in the answer to HEAD. */
  headLength?: number | undefined;
}

/** An error answer, thrown by the operations. */
export class S3ServerError extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string = code) {
    super(message);
    this.name = "S3ServerError";
    this.status = status;
    this.code = code;
  }
}

/** The XML body from which the SDK reads an error's code. */
export function errorAnswer(status: number, code: string, message: string): S3Answer {
  const body = xml("Error", [
    ["Code", code],
    ["Message", message],
    ["RequestId", "test"],
  ]);
  return { status, headers: { "content-type": "application/xml" }, body };
}

/** An element's name, and its text or child elements. */
export type XmlField = readonly [
  name: string,
  value: string | number | boolean | readonly XmlField[],
];

/** A document with one root element. */
export function xml(root: string, fields: readonly XmlField[]): string {
  const namespace = root === "Error" ? "" : ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"';
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${root}${namespace}>${fields.map(element).join("")}</${root}>`;
}

function element([name, value]: XmlField): string {
  const text = typeof value === "object" ? value.map(element).join("") : escapeXml(String(value));
  return `<${name}>${text}</${name}>`;
}

function escapeXml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Texts of all elements with that name, for the few request bodies that have any. */
export function xmlTexts(document: string, name: string): string[] {
  const texts = document.matchAll(new RegExp(`<${name}>([\\s\\S]*?)</${name}>`, "g"));
  return Array.from(texts, ([, text = ""]) =>
    text
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&quot;", '"')
      .replaceAll("&amp;", "&"),
  );
}
