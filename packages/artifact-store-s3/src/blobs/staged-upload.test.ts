import { createFixedClock } from "@ccl/core/testing";
import { createMemoryRecords } from "@ccl/records";
import { describe, expect, it } from "vitest";

import { S3Bucket, type S3LikeClient } from "../bucket/s3-bucket.ts";
import type { S3Context } from "../s3-context.ts";
import { StagedUpload } from "./staged-upload.ts";

const mebibyte = 1024 * 1024;
const partBytes = 2 * mebibyte;

/** A client that keeps what it is sent. A part's body is read when the part is answered, as by a slow server. */
class KeepingClient {
  readonly sent: string[] = [];
  readonly parts: Uint8Array[] = [];
  object: Uint8Array | undefined;
  /** What the completion named. */
  completed: object[] = [];
  /** Errors by the request's name, each thrown once. */
  readonly failures: Map<string, object> = new Map();

  async send(command: object): Promise<object> {
    const name = command.constructor.name.replace("Command", "");
    const input = Object(Reflect.get(command, "input"));
    this.sent.push(name);
    // Lets the writer go on and reuse its buffer.
    await new Promise((done) => setTimeout(done));
    const failure = this.failures.get(name);
    this.failures.delete(name);
    if (name === "UploadPart" && failure === undefined)
      this.parts[input.PartNumber - 1] = Uint8Array.from(input.Body);
    if (name === "PutObject") this.object = Uint8Array.from(input.Body);
    if (name === "CompleteMultipartUpload") {
      this.completed = input.MultipartUpload.Parts;
      this.object = Uint8Array.from(Buffer.concat(this.parts));
    }
    if (failure !== undefined) throw failure;
    return {
      UploadId: "upload",
      ETag: `part ${input.PartNumber}`,
      ContentLength: this.object?.length,
    };
  }
}

function start(): { client: KeepingClient; upload: StagedUpload } {
  const client = new KeepingClient();
  const bucket = new S3Bucket({ client: client as S3LikeClient, bucket: "artifacts", prefix: "" });
  const context: S3Context = {
    bucket,
    clock: createFixedClock(Date.UTC(2030, 0, 1)),
    records: createMemoryRecords(),
    root: "artifacts/test",
    partBytes,
    abandonedAfterMs: 1,
  };
  return { client, upload: new StagedUpload(context) };
}

const parts = (count: number): string[] => Array.from({ length: count }, () => "UploadPart");

const bytesOf = (length: number): Uint8Array =>
  new Uint8Array(length).map((_, at) => (at * 31 + (at >> 16)) % 251);

async function writeIn(
  upload: StagedUpload,
  content: Uint8Array,
  pieceBytes: number,
): Promise<void> {
  for (let at = 0; at < content.length; at += pieceBytes)
    await upload.write(content.subarray(at, at + pieceBytes));
}

describe("a staged upload", () => {
  it.each([
    [0, 1, ["PutObject"]],
    [1, 1, ["PutObject"]],
    [mebibyte + 1, 65_537, ["PutObject"]],
    [partBytes, partBytes, ["PutObject"]],
    [partBytes + 1, 1_000_003, ["CreateMultipartUpload", ...parts(2)]],
    [2 * partBytes, 2 * partBytes, ["CreateMultipartUpload", ...parts(2)]],
    [7 * mebibyte + 9, 300_007, ["CreateMultipartUpload", ...parts(4)]],
  ])("keeps %i bytes that come in pieces of %i", async (length, pieceBytes, requests) => {
    const { client, upload } = start();
    const content = bytesOf(length);
    await writeIn(upload, content, pieceBytes);
    const isWhole = requests[0] === "PutObject";
    expect(upload.wholeBytes()?.length).toBe(isWhole ? length : undefined);
    await upload.complete();
    expect(Buffer.compare(client.object ?? Buffer.of(9), content)).toBe(0);
    expect(client.sent).toEqual(isWhole ? requests : [...requests, "CompleteMultipartUpload"]);
    const named = client.parts.map((_, at) => ({ PartNumber: at + 1, ETag: `part ${at + 1}` }));
    expect(client.completed).toEqual(named);
    // What was completed is neither completed again nor discarded.
    await upload.complete();
    await upload.discard();
    expect(client.sent).toHaveLength(isWhole ? 1 : requests.length + 1);
  });

  it("aborts what was sent, once, when it is discarded", async () => {
    const { client, upload } = start();
    await writeIn(upload, bytesOf(partBytes + 1), partBytes);
    await upload.discard();
    await upload.discard();
    expect(client.sent).toEqual(["CreateMultipartUpload", "UploadPart", "AbortMultipartUpload"]);
    const unsent = start();
    await unsent.upload.discard();
    expect(unsent.client.sent).toEqual([]);
  });

  it("sends a part again whose bytes were changed on the way", async () => {
    const { client, upload } = start();
    client.failures.set("UploadPart", { name: "BadDigest" });
    const content = bytesOf(partBytes + 5);
    await writeIn(upload, content, partBytes);
    await upload.complete();
    expect(Buffer.compare(client.object ?? Buffer.of(), content)).toBe(0);
  });

  it.each([
    [0, "fine"],
    [1, "unavailable"],
  ])(
    "takes a lost answer for a completion if %i bytes are missing: %s",
    async (missing, outcome) => {
      const { client, upload } = start();
      await writeIn(upload, bytesOf(partBytes + 5), partBytes);
      client.failures.set("CompleteMultipartUpload", { name: "NoSuchUpload" });
      const completed = upload.complete();
      if (missing > 0) {
        const keep = client.send.bind(client);
        client.send = async (command) =>
          command.constructor.name === "HeadObjectCommand"
            ? { ContentLength: partBytes + 5 - missing }
            : await keep(command);
      }
      const code = await completed.then(
        () => "fine",
        (error: unknown) => Object(error).code,
      );
      expect(code).toBe(outcome);
    },
  );
});
