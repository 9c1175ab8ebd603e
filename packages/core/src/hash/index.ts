export { randomBytes, randomHex } from "./random.ts";
export { createHmacSha256, createSha256, type Sha256 } from "./sha256.ts";
