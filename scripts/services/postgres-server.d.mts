export interface PostgresServer {
  url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  stop(): Promise<void>;
}
export function findPostgres(): string | undefined;
export function startPostgres(): Promise<PostgresServer>;
