import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureNginx } from '../../scripts/e2e-binaries.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import { freePort } from './free-port.ts';

export interface RealNginx {
  /** One for each upstream, by its name. */
  readonly urls: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 30_000;
/** Lifetime of the process: it ends by itself after this time, even if a test does not stop it. */
const LIVES_S = 120;

/** An nginx in the foreground on loopback, in front of these upstreams; it ends with this process. */
export async function startRealNginx(upstreams: readonly { name: string; text: string }[]): Promise<RealNginx> {
  const program = await ensureNginx();
  const folder = mkdtempSync(join(tmpdir(), 'serin-nginx-'));
  const urls: Record<string, string> = {};
  const servers: string[] = [];
  for (const { name } of upstreams) {
    const port = await freePort();
    urls[name] = `http://127.0.0.1:${port}`;
    servers.push(`server { listen 127.0.0.1:${port}; location / { proxy_pass http://${name}; } }`);
  }
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${join(folder, kind)};`);
  const config = [
    'daemon off;',
    // One process: the shares of several add up only in the long run.
    'master_process off;',
    `pid ${join(folder, 'pid')};`,
    'error_log stderr warn;',
    'events { worker_connections 256; }',
    `http { access_log off; ${paths.join(' ')}\n${upstreams.map(({ text }) => text).join('')}${servers.join('\n')}\n}`,
  ];
  writeFileSync(join(folder, 'nginx.conf'), `${config.join('\n')}\n`);
  const server = startGuarded(
    'nginx',
    ['timeout', String(LIVES_S), program, '-p', folder, '-c', join(folder, 'nginx.conf')],
    join(folder, 'log'),
  );
  const stop = async () => {
    await server.stop('TERM');
    rmSync(folder, { recursive: true, force: true });
  };
  const deadlineMs = performance.now() + READY_WITHIN_MS;
  for (const url of Object.values(urls)) {
    while (!(await answers(url))) {
      if (server.hasExited() || performance.now() > deadlineMs) {
        const tail = server.logTail();
        await stop();
        throw new Error(`nginx did not become ready:\n${tail}`);
      }
      await sleep(20);
    }
  }
  return { urls, stop };
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).status > 0;
  } catch {
    return false; // refused: it is still starting
  }
}
