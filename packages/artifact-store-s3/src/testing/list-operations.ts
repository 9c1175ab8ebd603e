import type { OperationInput } from "./object-operations.ts";
import { xml, type S3Answer, type XmlField } from "./s3-answer.ts";

const xmlType = { "content-type": "application/xml" };

/** S3 sorts by the UTF-8 bytes of the key. Keys outside ASCII sort by code units here. */
const sortedKeys = (keys: Iterable<string>): string[] => [...keys].sort();

/** Keys and common prefixes both count towards `max-keys`. */
export function listObjects({ request, table }: OperationInput): S3Answer {
  const { query, bucket } = request;
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const token = query.get("continuation-token");
  const after =
    token === null
      ? (query.get("start-after") ?? "")
      : Buffer.from(token, "base64url").toString("utf8");
  const maxKeys = Math.min(1_000, Number(query.get("max-keys") ?? 1_000));
  const entries: { name: string; isPrefix: boolean }[] = [];
  for (const key of sortedKeys(table.objects.keys())) {
    if (!key.startsWith(prefix)) continue;
    const cut = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const name = cut < 0 ? key : key.slice(0, cut + delimiter.length);
    if (name > after && entries.at(-1)?.name !== name) entries.push({ name, isPrefix: cut >= 0 });
  }
  const page = entries.slice(0, maxKeys);
  const isTruncated = entries.length > page.length;
  const next = Buffer.from(page.at(-1)?.name ?? "").toString("base64url");
  const fields: XmlField[] = [
    ["Name", bucket],
    ["Prefix", prefix],
    ["KeyCount", page.length],
    ["MaxKeys", maxKeys],
    ["IsTruncated", isTruncated],
    ...(isTruncated ? [["NextContinuationToken", next] as const] : []),
    ...page.filter(({ isPrefix }) => !isPrefix).map(({ name }) => contents(name, table)),
    ...page
      .filter(({ isPrefix }) => isPrefix)
      .map(({ name }) => ["CommonPrefixes", [["Prefix", name]]] as const),
  ];
  return { status: 200, headers: xmlType, body: xml("ListBucketResult", fields) };
}

function contents(key: string, table: OperationInput["table"]): XmlField {
  const { bytes, etag, modifiedAt } = table.get(key);
  return [
    "Contents",
    [
      ["Key", key],
      ["LastModified", modifiedAt.toISOString()],
      ["ETag", etag],
      ["Size", bytes.byteLength],
      ["StorageClass", "STANDARD"],
    ],
  ];
}

export function listUploads({ request, table }: OperationInput): S3Answer {
  const { query, bucket } = request;
  const prefix = query.get("prefix") ?? "";
  const keyMarker = query.get("key-marker") ?? "";
  const idMarker = query.get("upload-id-marker") ?? "";
  const maxUploads = Math.min(1_000, Number(query.get("max-uploads") ?? 1_000));
  const all = [...table.uploads.values()]
    .filter(({ key }) => key.startsWith(prefix))
    .filter(
      ({ key, uploadId }) =>
        key > keyMarker || (key === keyMarker && idMarker !== "" && uploadId > idMarker),
    )
    .sort((a, b) => (`${a.key}\0${a.uploadId}` < `${b.key}\0${b.uploadId}` ? -1 : 1));
  const page = all.slice(0, maxUploads);
  const last = all.length > page.length ? page.at(-1) : undefined;
  const fields: XmlField[] = [
    ["Bucket", bucket],
    ["Prefix", prefix],
    ["MaxUploads", maxUploads],
    ["IsTruncated", last !== undefined],
    ...(last === undefined
      ? []
      : [["NextKeyMarker", last.key] as const, ["NextUploadIdMarker", last.uploadId] as const]),
    ...page.map(({ key, uploadId, startedAt }): XmlField => {
      return [
        "Upload",
        [
          ["Key", key],
          ["UploadId", uploadId],
          ["Initiated", startedAt.toISOString()],
        ],
      ];
    }),
  ];
  return { status: 200, headers: xmlType, body: xml("ListMultipartUploadsResult", fields) };
}
