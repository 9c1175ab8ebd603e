import type { ArtifactStore, ByteRange } from "../artifact-store.ts";
import { inChunks } from "../store/in-chunks.ts";
import { damagedError } from "../store/read-chunks.ts";
import type { EncryptionKeys } from "./derive-keys.ts";
import { sealBytes } from "./aes-gcm.ts";
import { headerBytes, layoutOf, segmentBytes, SegmentCipher } from "./segment-cipher.ts";

/** The encrypted artifact to read, and the range. */
export interface OpenRequest {
  store: ArtifactStore;
  artifactId: string;
  /** Size of the encrypted bytes. */
  storedBytes: number;
  keys: EncryptionKeys;
  /** Range of the plain bytes. */
  range?: ByteRange | undefined;
  signal?: AbortSignal | undefined;
}

/**
 * Returns the plain bytes of a range, segment by segment. Each segment is authenticated before it is yielded. Undefined
 * if the artifact does not exist.
 * @throws ArtifactStoreError `damaged`
 */
export async function openSegments(
  request: OpenRequest,
): Promise<AsyncGenerator<Uint8Array, void> | undefined> {
  const { store, artifactId, keys, storedBytes, range = { start: 0 }, signal } = request;
  const layout = layoutOf(storedBytes);
  if (layout === undefined)
    throw damagedError(artifactId, `no encrypted artifact has ${storedBytes} bytes`);
  // A single segment is read in one call.
  const head = await store.retrieve(artifactId, {
    range: layout.segmentCount > 1 ? { start: 0, end: headerBytes } : undefined,
    signal,
  });
  if (head === undefined) return undefined;
  const cipher = SegmentCipher.fromHeader(keys, head.subarray(0, headerBytes));
  if (cipher === undefined) throw damagedError(artifactId, "its header is not one of this key");
  const start = Math.min(range.start, layout.plainBytes);
  const end = Math.max(start, Math.min(range.end ?? layout.plainBytes, layout.plainBytes));
  // A range past the end still opens the last segment, which alone proves the length.
  const first = Math.min(Math.floor(start / segmentBytes), layout.segmentCount - 1);
  const last = Math.max(first + 1, Math.ceil(end / segmentBytes));
  const plan = { artifactId, cipher, first, last, segmentCount: layout.segmentCount, start, end };
  const stored = { start: placeOf(first), end: Math.min(placeOf(last), storedBytes) };
  if (layout.segmentCount === 1) return openEach([head.subarray(stored.start, stored.end)], plan);
  const sealed = await store.retrieveStream(artifactId, { range: stored, signal });
  return sealed && openEach(sealed, plan);
}

interface Plan {
  artifactId: string;
  cipher: SegmentCipher;
  first: number;
  /** Index after the last segment to read. */
  last: number;
  segmentCount: number;
  start: number;
  end: number;
}

async function* openEach(
  sealed: AsyncIterable<Uint8Array> | readonly Uint8Array[],
  plan: Plan,
): AsyncGenerator<Uint8Array, void> {
  let index = plan.first;
  for await (const chunk of inChunks(sealed, segmentBytes + sealBytes)) {
    const plain = await plan.cipher.open(index, index === plan.segmentCount - 1, chunk);
    if (plain === undefined)
      throw damagedError(plan.artifactId, `segment ${index} is not what was sealed`);
    const offset = index * segmentBytes;
    index += 1;
    const part = plain.subarray(Math.max(0, plan.start - offset), Math.max(0, plan.end - offset));
    if (part.length > 0) yield part;
  }
  if (index !== plan.last) throw damagedError(plan.artifactId, `it ends before segment ${index}`);
}

function placeOf(segment: number): number {
  return headerBytes + segment * (segmentBytes + sealBytes);
}
