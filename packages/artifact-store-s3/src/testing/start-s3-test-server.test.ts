import { createHash } from "node:crypto";
import { request } from "node:http";
import { Readable } from "node:stream";
import { crc32 } from "node:zlib";
import {
  CompleteMultipartUploadCommand,
  CopyObjectCommand,
  CreateMultipartUploadCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
  UploadPartCopyCommand,
} from "@aws-sdk/client-s3";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { startS3TestServer, type S3TestServer } from "./start-s3-test-server.ts";

const Bucket = "artifacts";
let server: S3TestServer;
let client: S3Client;
beforeEach(async () => {
  server = await startS3TestServer();
  client = new S3Client({ ...server.clientConfig, maxAttempts: 1 });
});
afterEach(async () => {
  client.destroy();
  await server.close();
});

async function textOf(Key: string, Range?: string): Promise<string | undefined> {
  const answer = await client.send(new GetObjectCommand({ Bucket, Key, Range }));
  return await answer.Body?.transformToString();
}

/** A request as it is written here, without the SDK. */
function rawPut(
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${server.endpoint}${path}`, { method: "PUT", headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    outgoing.once("error", reject);
    outgoing.end(body);
  });
}

describe("the S3 test server", () => {
  it("keeps an object with its type and metadata, and gives ranges of it", async () => {
    const Key = "a key/with ümlaut&<x>";
    await client.send(
      new PutObjectCommand({
        Bucket,
        Key,
        Body: "0123456789",
        ContentType: "text/x",
        Metadata: { m: "1" },
      }),
    );
    expect(await textOf(Key)).toBe("0123456789");
    expect(await textOf(Key, "bytes=3-5")).toBe("345");
    expect(await textOf(Key, "bytes=8-100")).toBe("89");
    const head = await client.send(new HeadObjectCommand({ Bucket, Key }));
    expect(head).toMatchObject({ ContentLength: 10, ContentType: "text/x", Metadata: { m: "1" } });
    expect(head.ETag).toBe(`"${createHash("md5").update("0123456789").digest("hex")}"`);
    await expect(textOf(Key, "bytes=10-11")).rejects.toMatchObject({ name: "InvalidRange" });
    await expect(textOf("other")).rejects.toMatchObject({ name: "NoSuchKey" });
  });

  it("takes a stream that the SDK sends in chunks with a trailer", async () => {
    const body = Readable.from([Buffer.alloc(100_000, "a"), Buffer.alloc(50_000, "b")]);
    await client.send(
      new PutObjectCommand({ Bucket, Key: "stream", Body: body, ContentLength: 150_000 }),
    );
    expect(await textOf("stream")).toBe("a".repeat(100_000) + "b".repeat(50_000));
  });

  it.each([
    ["a right trailer", "5\r\nhello\r\n0\r\n", crc32("hello"), 200],
    ["a wrong trailer", "5\r\nhello\r\n0\r\n", crc32("other"), 400],
    [
      "chunk signatures",
      "5;chunk-signature=abc\r\nhello\r\n0;chunk-signature=def\r\n",
      crc32("hello"),
      200,
    ],
    ["a chunk that ends early", "9\r\nhello\r\n0\r\n", crc32("hello"), 400],
    ["no end", "5\r\nhello\r\n", crc32("hello"), 400],
  ])("decodes aws-chunked with %s", async (_name, frames, checksum, status) => {
    const value = Buffer.alloc(4);
    value.writeUInt32BE(checksum);
    const headers = { "content-encoding": "aws-chunked", "x-amz-decoded-content-length": "5" };
    const body =
      frames.endsWith("0\r\n") || frames.includes("def")
        ? `${frames}x-amz-checksum-crc32:${value.toString("base64")}\r\n\r\n`
        : frames;
    expect(await rawPut("/artifacts/chunked", headers, body)).toBe(status);
  });

  it.each(["ContentMD5", "ChecksumSHA256", "ChecksumSHA1", "ChecksumCRC32"])(
    "refuses a body with a wrong %s",
    async (name) => {
      const wrong = Buffer.alloc(name === "ContentMD5" ? 16 : 4).toString("base64");
      const put = client.send(new PutObjectCommand({ Bucket, Key: "k", Body: "x", [name]: wrong }));
      await expect(put).rejects.toMatchObject({ name: "BadDigest" });
      expect(server.keys()).toEqual([]);
    },
  );

  it("keeps the conditions of writes, unless it is told to ignore them", async () => {
    const put = async (to: S3Client, condition: object) =>
      await to.send(new PutObjectCommand({ Bucket, Key: "k", Body: "x", ...condition }));
    const { ETag } = await put(client, { IfNoneMatch: "*" });
    await expect(put(client, { IfNoneMatch: "*" })).rejects.toMatchObject({
      name: "PreconditionFailed",
    });
    await expect(put(client, { IfMatch: '"0"' })).rejects.toMatchObject({
      name: "PreconditionFailed",
    });
    await put(client, { IfMatch: ETag });
    const careless = await startS3TestServer({ ignoresConditions: true });
    const carelessClient = new S3Client(careless.clientConfig);
    await put(carelessClient, { IfNoneMatch: "*" });
    await expect(put(carelessClient, { IfNoneMatch: "*" })).resolves.toBeDefined();
    carelessClient.destroy();
    await careless.close();
  });

  it("lists by prefix, start and delimiter, page by page", async () => {
    for (const Key of ["a/1", "a/2", "a/b/3", "a/b/4", "c"])
      await client.send(new PutObjectCommand({ Bucket, Key, Body: "x" }));
    const keys: (string | undefined)[] = [];
    let token: string | undefined;
    do {
      const input = {
        Bucket,
        Prefix: "a/",
        MaxKeys: 3,
        ContinuationToken: token,
      };
      const page = await client.send(new ListObjectsV2Command(input));
      keys.push(...(page.Contents ?? []).map((object) => object.Key));
      token = page.NextContinuationToken;
    } while (token !== undefined);
    expect(keys).toEqual(["a/1", "a/2", "a/b/3", "a/b/4"]);
    const grouped = await client.send(
      new ListObjectsV2Command({ Bucket, Prefix: "a/", Delimiter: "/", StartAfter: "a/1" }),
    );
    expect(grouped.Contents?.map((object) => object.Key)).toEqual(["a/2"]);
    expect(grouped.CommonPrefixes).toEqual([{ Prefix: "a/b/" }]);
    await client.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: "a/1" }, { Key: "c" }] } }),
    );
    expect(server.keys()).toEqual(["a/2", "a/b/3", "a/b/4"]);
  });

  it("puts parts together, refuses small ones, and copies", async () => {
    const { UploadId } = await client.send(
      new CreateMultipartUploadCommand({ Bucket, Key: "whole" }),
    );
    const upload = { Bucket, Key: "whole", UploadId };
    const first = await client.send(
      new UploadPartCommand({ ...upload, PartNumber: 1, Body: Buffer.alloc(5 * 1024 * 1024, "a") }),
    );
    const second = await client.send(
      new UploadPartCommand({ ...upload, PartNumber: 2, Body: "end" }),
    );
    expect((await client.send(new ListMultipartUploadsCommand({ Bucket }))).Uploads).toMatchObject([
      { Key: "whole", UploadId },
    ]);
    const complete = async (...parts: { ETag?: string | undefined; PartNumber: number }[]) =>
      await client.send(
        new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts as [] } }),
      );
    const [one, two] = [
      { PartNumber: 1, ETag: first.ETag },
      { PartNumber: 2, ETag: second.ETag },
    ];
    await expect(complete(two, one)).rejects.toMatchObject({ name: "InvalidPartOrder" });
    await expect(complete({ ...one, ETag: '"0"' })).rejects.toMatchObject({ name: "InvalidPart" });
    expect((await complete(one, two)).ETag).toMatch(/-2"$/);
    await expect(complete(one, two)).rejects.toMatchObject({ name: "NoSuchUpload" });
    expect(await textOf("whole", `bytes=${5 * 1024 * 1024 - 1}-`)).toBe("aend");
    await client.send(
      new CopyObjectCommand({ Bucket, Key: "copy", CopySource: "artifacts/whole" }),
    );
    expect((await textOf("copy"))?.length).toBe(5 * 1024 * 1024 + 3);
    const other = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: "tail" }));
    const tail = { Bucket, Key: "tail", UploadId: other.UploadId };
    const range = `bytes=${5 * 1024 * 1024}-${5 * 1024 * 1024 + 2}`;
    const part = await client.send(
      new UploadPartCopyCommand({
        ...tail,
        PartNumber: 1,
        CopySource: "artifacts/copy",
        CopySourceRange: range,
      }),
    );
    const Parts = [{ PartNumber: 1, ETag: part.CopyPartResult?.ETag ?? "" }];
    await client.send(new CompleteMultipartUploadCommand({ ...tail, MultipartUpload: { Parts } }));
    expect(await textOf("tail")).toBe("end");
  });

  it("keeps to its bound, and counts what was removed as free", async () => {
    const small = await startS3TestServer({ maxBytes: 100 });
    const smallClient = new S3Client({ ...small.clientConfig, maxAttempts: 1 });
    const put = async (Key: string, size: number) =>
      await smallClient.send(new PutObjectCommand({ Bucket, Key, Body: "x".repeat(size) }));
    await put("a", 60);
    await expect(put("b", 60)).rejects.toMatchObject({ name: "InsufficientStorage" });
    await put("a", 100);
    await smallClient.send(
      new DeleteObjectsCommand({ Bucket, Delete: { Objects: [{ Key: "a" }] } }),
    );
    await put("b", 100);
    smallClient.destroy();
    await small.close();
  });

  it("lets a request wait, and answers others meanwhile", async () => {
    let release: () => void = () => undefined;
    const until = new Promise<void>((resolve) => (release = resolve));
    server.fail({ operation: "PutObject", key: "slow", action: { kind: "wait", until } });
    const slow = client.send(new PutObjectCommand({ Bucket, Key: "slow", Body: "1" }));
    await client.send(new PutObjectCommand({ Bucket, Key: "fast", Body: "2" }));
    expect(server.keys()).toEqual(["fast"]);
    release();
    await slow;
    expect(server.keys()).toEqual(["fast", "slow"]);
  });
});
