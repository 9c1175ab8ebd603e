// A separate process for the S3 test server, so that its work is not on the measured process's thread.
const testing = new URL("../../packages/artifact-store-s3/dist/testing/index.js", import.meta.url)
  .href;
const { startS3TestServer } = await import(testing);

const server = await startS3TestServer({ maxBytes: 4 * 2 ** 30 });
process.on("disconnect", () => void server.close().then(() => process.exit()));
process.send(server.clientConfig);
