import { spawn } from 'node:child_process';
import * as z from 'zod';
import type { Clock } from '../base/clock.ts';
import type { ExecConfig } from './kubeconfig.ts';

/** A credential plugin gave none; the message is one line that names the command to run by hand. */
export class CredentialPluginError extends Error {
  override readonly name = 'CredentialPluginError';
}

/** The output of a plugin (client.authentication.k8s.io, kind ExecCredential). */
const ExecCredential = z.object({
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.string().optional(),
  }),
});
export type PluginCredential = z.infer<typeof ExecCredential>['status'];

export interface PluginOptions {
  clock: Clock;
  /** For plugins that need it (`provideClusterInfo`). */
  cluster: { server: string; 'certificate-authority-data'?: string | undefined };
  /** Default 60 000: a plugin that waits for a browser or a password would wait for ever. */
  timeoutMs?: number;
}

export interface CredentialPlugin {
  /** The current credential: the last one until shortly before it expires, else the plugin runs, once for all callers. */
  credential(): Promise<PluginCredential>;
  /** The server did not accept it: the next caller gets a new one. */
  forget(): void;
}

/** A credential is renewed this long before its expiry, so that it does not expire during a request. */
const RENEW_BEFORE_MS = 5_000;
/** Pause after a failure: otherwise every request would start a process. */
const RETRY_AFTER_MS = 2_000;
const TEXT_LIMIT = 200;

export function credentialPlugin(exec: ExecConfig, { clock, cluster, timeoutMs = 60_000 }: PluginOptions): CredentialPlugin {
  let current: Promise<PluginCredential> | undefined;
  let isRunning = false;
  let validUntilMs = 0;

  async function renew(): Promise<PluginCredential> {
    isRunning = true;
    try {
      const credential = await run(exec, cluster, timeoutMs);
      const expiresMs = Date.parse(credential.expirationTimestamp ?? '');
      validUntilMs = Number.isNaN(expiresMs) ? Number.POSITIVE_INFINITY : expiresMs - RENEW_BEFORE_MS;
      return credential;
    } catch (error) {
      validUntilMs = clock.nowMs() + RETRY_AFTER_MS;
      throw error;
    } finally {
      isRunning = false;
    }
  }
  return {
    credential() {
      if (current === undefined || (!isRunning && clock.nowMs() >= validUntilMs)) current = renew();
      return current;
    },
    forget() {
      // While the plugin runs, its answer is newer than the rejection.
      if (!isRunning) current = undefined;
    },
  };
}

function run(exec: ExecConfig, cluster: PluginOptions['cluster'], timeoutMs: number): Promise<PluginCredential> {
  const { promise, resolve, reject } = Promise.withResolvers<PluginCredential>();
  const fail = (what: string, cause?: unknown): void =>
    reject(new CredentialPluginError(`the kubeconfig's credential plugin ${exec.command} ${what}`, { cause }));
  const info = {
    apiVersion: exec.apiVersion,
    kind: 'ExecCredential',
    spec: { interactive: false, ...(exec.provideClusterInfo ? { cluster } : {}) },
  };
  const env = { ...process.env, ...Object.fromEntries((exec.env ?? []).map(({ name, value }) => [name, value])) };
  const child = spawn(exec.command, exec.args ?? [], {
    env: { ...env, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    // No standard input: a plugin with a prompt ends instead of waiting.
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: timeoutMs,
    killSignal: 'SIGKILL',
  });
  let printed = '';
  let complaint = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (printed += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => (complaint += part));
  child.once('error', (cause: NodeJS.ErrnoException) => {
    const hint = exec.installHint ? `: ${flat(exec.installHint)}` : ': install it, or correct users[].user.exec.command';
    fail(cause.code === 'ENOENT' ? `is not installed${hint}` : `cannot be run (${cause.code}): correct users[].user.exec.command`, cause);
  });
  child.once('close', (code, signal) => {
    if (signal !== null) return fail(`gave nothing within ${timeoutMs / 1000} s: run it by hand and see what it waits for`);
    if (code !== 0)
      return fail(`ended with code ${code}: ${flat(complaint) || 'it says nothing'}: run it by hand, and log in again if it says so`);
    const credential = read(printed);
    // The output is not shown: it can hold the token.
    if (credential === undefined)
      return fail('printed no ExecCredential with a token or a certificate: run it by hand and look at what it prints');
    resolve(credential);
  });
  return promise;
}

function read(printed: string): PluginCredential | undefined {
  try {
    const { status } = ExecCredential.parse(JSON.parse(printed));
    return status.token || (status.clientCertificateData && status.clientKeyData) ? status : undefined;
  } catch {
    return undefined; // no JSON, or another shape: the same to the caller
  }
}

/** Puts a plugin's complaint, which can be a whole trace, into one short line. */
function flat(text: string): string {
  return text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, TEXT_LIMIT);
}
