import { readFileSync } from 'node:fs';
import type { Server } from 'node:https';
import { createSecureContext } from 'node:tls';
import { type Clock, every } from '../../base/clock.ts';
import type { TlsFilePaths } from './dashboard-settings.ts';

/** The kubelet writes a changed Secret within about a minute, by a link that watches of files miss. */
const READ_EVERY_MS = 30_000;

/** Certificates or a key that cannot be used, by the flag to correct. */
export class TlsFilesProblem extends Error {
  override readonly name = 'TlsFilesProblem';
}

/** The certificates in these files, read again and again: new ones are for new connections. Throws a `TlsFilesProblem` where they cannot be used at first. */
export function watchedTls(
  files: TlsFilePaths,
  { clock, log }: { clock: Clock; log: { info(fields: object, message: string): void; warn(fields: object, message: string): void } },
) {
  let current = readPair(files);
  let failed: string | undefined;
  const servers = new Set<Server>();
  const reload = () => {
    try {
      const next = readPair(files);
      failed = undefined;
      if (next.cert === current.cert && next.key === current.key) return;
      current = next;
      for (const server of servers) server.setSecureContext(next);
      log.info({}, 'new certificates for the dashboard');
    } catch (error) {
      const reason = error instanceof Error ? error.message : 'unknown';
      if (reason !== failed) log.warn({ reason }, 'the certificates of the dashboard cannot be read again: the earlier ones stay');
      failed = reason;
    }
  };
  const stop = every(clock, READ_EVERY_MS, reload);
  return {
    now: () => current,
    follow(server: Server): Server {
      servers.add(server);
      return server;
    },
    stop,
  };
}

function readPair({ certFile, keyFile }: TlsFilePaths): { cert: string; key: string } {
  const pair = { cert: textOf('--dashboard-tls-cert-file', certFile), key: textOf('--dashboard-tls-key-file', keyFile) };
  try {
    createSecureContext(pair);
  } catch {
    throw new TlsFilesProblem(`--dashboard-tls-cert-file: ${certFile} and ${keyFile} are not a certificate and its key, in PEM`);
  }
  return pair;
}

function textOf(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new TlsFilesProblem(`${flag}: ${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
