/** A connection of a pool: a client of `pg`, by what is used of it. */
export interface PostgresConnection {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
  /** True closes the connection instead of giving it back. */
  release(destroy?: boolean): void;
  on(event: "error", listener: (error: Error) => void): unknown;
  off(event: "error", listener: (error: Error) => void): unknown;
}

/** A pool of `pg`, by what is used of it. */
export interface PostgresPool {
  connect(): Promise<PostgresConnection>;
}

/** Where DBOS writes what it has to say. */
export interface DbosLogger {
  info(entry: unknown): void;
  debug(entry: unknown): void;
  warn(entry: unknown): void;
  error(entry: unknown): void;
}

/** The settings of DBOS that a worker makes. */
export interface DbosSettings {
  name: string;
  systemDatabasePool?: PostgresPool;
  systemDatabaseSchemaName?: string;
  executorID?: string;
  applicationVersion?: string;
  logger?: DbosLogger;
  enableOTLP?: boolean;
  tracingEnabled?: boolean;
  useListenNotify?: boolean;
  runMigrations?: boolean;
}

/** A workflow as DBOS knows it, by what is used of it. */
export interface DbosWorkflowStatus {
  readonly workflowID: string;
  readonly executorId?: string;
}

/** Which workflows are listed. */
export interface DbosWorkflowQuery {
  workflowName?: string;
  workflowIDs?: string[];
  status?: "PENDING";
  executorId?: string[];
  limit?: number;
  loadInput?: boolean;
  loadOutput?: boolean;
}

/** How a step is tried again. */
export interface DbosStepOptions {
  name?: string;
  retriesAllowed?: boolean;
  intervalSeconds?: number;
  backoffRate?: number;
  maxAttempts?: number;
}

/** A registered workflow that carries out one run. */
export type RunWorkflow = (runId: string) => Promise<string>;

/** What an executor needs of the class `DBOS` of `@dbos-inc/dbos-sdk` 5. */
export interface DbosWorkflows {
  isInitialized(): boolean;
  registerWorkflow(workflow: RunWorkflow, options: { name: string }): RunWorkflow;
  startWorkflow(workflow: RunWorkflow, options: { workflowID: string }): (runId: string) => Promise<unknown>;
  runStep(step: () => Promise<string>, options: DbosStepOptions): Promise<string>;
}

/** What a worker needs of it. */
export interface DbosSdk extends DbosWorkflows {
  setConfig(settings: DbosSettings): void;
  launch(): Promise<void>;
  shutdown(options?: { workflowCompletionTimeoutMS?: number }): Promise<void>;
  listWorkflows(query: DbosWorkflowQuery): Promise<DbosWorkflowStatus[]>;
  resumeWorkflows(workflowIds: string[]): Promise<unknown>;
}
