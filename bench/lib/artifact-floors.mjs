// The bare operations below the stores, in a plain loop: no store can be faster than these rows.
import fs from "node:fs";
import { constants, link, lstat, open, readFile, rename, unlink } from "node:fs/promises";
import path from "node:path";

const mebibyte = 2 ** 20;
/** What our fs store writes before the content: a line of about 580 bytes, or 4 KiB reserved before a stream. */
const headerBytes = 580;
const stagedHeaderBytes = 4096;
/** What it writes after a stream: a tag for each MiB, and a checksum. */
const tagBytes = 16;
const checksumBytes = 32;
const firstReadBytes = 16 * 1024;
const readBytes = 256 * 1024;
const createFlags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW;

/** The same calls as the fs store: a file under two names, one sync of the file, one of the folder. */
export async function bareFiles(folder) {
  const staging = path.join(folder, "staging");
  fs.mkdirSync(staging, { recursive: true });
  for (let shard = 0; shard < 256; shard += 1)
    fs.mkdirSync(path.join(folder, shard.toString(16).padStart(2, "0")));
  const shardOf = (id) => path.join(folder, id.slice(0, 2));
  const put = async ({ bytes, id }) => {
    const blob = path.join(shardOf(id), id);
    const staged = bytes.length > mebibyte ? path.join(staging, `${id}.tmp`) : undefined;
    const file = staged === undefined ? undefined : await writeStaged(staged, bytes);
    await isThere(blob);
    if (file === undefined) await writeWhole(`${blob}.pin`, bytes);
    else {
      await syncAtTime(file);
      await link(staged, `${blob}.pin`);
    }
    await link(`${blob}.pin`, blob);
    await rename(`${blob}.pin`, `${blob}.ref`);
    await syncFolder(shardOf(id));
    if (file === undefined) return;
    await file.close();
    await unlink(staged);
  };
  return { put, get: (id) => readBlob(path.join(shardOf(id), id)), close: () => {} };
}

async function isThere(file) {
  return lstat(file).then(
    () => true,
    () => false,
  );
}

async function writeWhole(name, bytes) {
  const file = await open(name, createFlags);
  await file.write(
    Buffer.concat([Buffer.alloc(headerBytes, " "), bytes]),
    0,
    headerBytes + bytes.length,
    0,
  );
  await syncAtTime(file);
  await file.close();
}

async function writeStaged(name, bytes) {
  const file = await open(name, createFlags);
  for (let at = 0; at < bytes.length; at += mebibyte) {
    const size = Math.min(mebibyte, bytes.length - at);
    await file.write(bytes, at, size, stagedHeaderBytes + at);
  }
  await file.write(Buffer.alloc(stagedHeaderBytes, " "), 0, stagedHeaderBytes, 0);
  const tags = Buffer.alloc(tagBytes * Math.ceil(bytes.length / mebibyte) + checksumBytes);
  await file.write(tags, 0, tags.length, stagedHeaderBytes + bytes.length);
  return file;
}

async function syncAtTime(file) {
  const now = Date.now() / 1000;
  await Promise.all([file.sync(), file.utimes(now, now)]);
}

async function syncFolder(name) {
  const folder = await open(name, readFlags | constants.O_DIRECTORY);
  await folder.sync();
  await folder.close();
}

async function readBlob(blob) {
  const file = await open(blob, readFlags);
  const head = Buffer.allocUnsafeSlow(firstReadBytes);
  const { bytesRead } = await file.read(head, 0, head.length, 0);
  const { size } = await lstat(`${blob}.ref`);
  const isStaged = size > mebibyte + headerBytes;
  const taggedBytes = size - stagedHeaderBytes - checksumBytes;
  const recordBytes = isStaged
    ? tagBytes * Math.ceil(taggedBytes / (mebibyte + tagBytes)) + checksumBytes
    : 0;
  const start = isStaged ? stagedHeaderBytes : headerBytes;
  const bytes = new Uint8Array(size - start - recordBytes);
  if (recordBytes > 0)
    await file.read(Buffer.alloc(recordBytes), 0, recordBytes, size - recordBytes);
  bytes.set(head.subarray(start, Math.min(bytesRead, start + bytes.length)));
  for (let at = bytesRead - start; at < bytes.length;) {
    const part = await file.read(
      bytes,
      at,
      Math.min(isStaged ? readBytes : bytes.length, bytes.length - at),
      start + at,
    );
    at += part.bytesRead;
  }
  await file.close();
  return bytes;
}

/** The minimum that keeps a file's bytes. By the letter of the standard, its name may still be lost. */
export async function writeAndSync(folder) {
  fs.mkdirSync(folder, { recursive: true });
  const put = async ({ bytes, id }) => {
    const file = await open(path.join(folder, id), "wx");
    await file.write(bytes, 0, bytes.length, 0);
    await file.sync();
    await file.close();
  };
  return { put, get: (id) => readFile(path.join(folder, id)), close: () => {} };
}

/** One statement per call, on the driver that the store would use, opened with the same settings. */
export async function bareSqlite(folder) {
  const { openSqlite } = await import(
    new URL("../../packages/sql/dist/node/index.js", import.meta.url).href
  );
  fs.mkdirSync(folder, { recursive: true });
  const database = await openSqlite({ path: path.join(folder, "bare.db"), durability: "full" });
  database.exec("CREATE TABLE bare (id TEXT PRIMARY KEY, bytes BLOB NOT NULL)");
  const insert = database.handle.prepare("INSERT INTO bare VALUES (?, ?)");
  const select = database.handle.prepare("SELECT bytes FROM bare WHERE id = ?");
  return {
    put: async ({ bytes, id }) => void insert.run(id, bytes),
    get: async (id) => select.get(id).bytes,
    close: () => database.close(),
  };
}

export const barePostgres =
  (connectionString, { Client }) =>
  async (folder) => {
    const table = `bare_${path.basename(folder).replace(/\W/g, "_")}`.toLowerCase();
    const client = new Client({ connectionString });
    await client.connect();
    await client.query(
      `DROP TABLE IF EXISTS ${table}; CREATE TABLE ${table} (id text PRIMARY KEY, bytes bytea)`,
    );
    await client.query(`ALTER TABLE ${table} ALTER COLUMN bytes SET STORAGE EXTERNAL`);
    return {
      put: ({ bytes, id }) => client.query(`INSERT INTO ${table} VALUES ($1, $2)`, [id, bytes]),
      get: async (id) =>
        (await client.query(`SELECT bytes FROM ${table} WHERE id = $1`, [id])).rows[0].bytes,
      close: () => {},
      erase: async () => {
        await client.query(`DROP TABLE ${table}`);
        await client.end();
      },
    };
  };

export const bareS3 = (config, sdk) => async (folder) => {
  const client = new sdk.S3Client(config);
  const prefix = `bare-${path.basename(folder)}/`;
  const place = (id) => ({ Bucket: "artifacts", Key: prefix + id });
  return {
    put: ({ bytes, id }) => client.send(new sdk.PutObjectCommand({ ...place(id), Body: bytes })),
    get: async (id) =>
      (await client.send(new sdk.GetObjectCommand(place(id)))).Body.transformToByteArray(),
    close: () => {},
    erase: async () => {
      await emptyPrefix(client, prefix, sdk);
      client.destroy();
    },
  };
};

/** Removes all objects below a prefix. */
export async function emptyPrefix(client, prefix, { DeleteObjectsCommand, ListObjectsV2Command }) {
  for (;;) {
    const list = new ListObjectsV2Command({ Bucket: "artifacts", Prefix: prefix });
    const { Contents = [] } = await client.send(list);
    if (Contents.length === 0) return;
    const Delete = { Objects: Contents.map(({ Key }) => ({ Key })), Quiet: true };
    await client.send(new DeleteObjectsCommand({ Bucket: "artifacts", Delete }));
  }
}
