import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { ensurePrometheus } from '../../scripts/e2e-binaries.ts';
import { startGuarded } from '../scenarios/guarded-process.ts';
import { freePort } from './free-port.ts';

export interface RealPrometheusOptions {
  /** URLs of text expositions, as for the embedded one. */
  targets: readonly string[];
  scrapeIntervalMs: number;
  /** URLs that list more targets, for Prometheus' HTTP discovery, which queries them every second. */
  discovery?: readonly string[];
  /** Samples in its store from the start, in OpenMetrics with timestamps of any age. Needs `promtool` beside the server. */
  openMetrics?: string;
}

export interface RealPrometheus {
  readonly url: string;
  /** Halts it where it is, or lets it go on. */
  send(signal: 'STOP' | 'CONT'): void;
  /** Ends the process and keeps what it has stored. */
  end(signal: 'TERM' | 'KILL'): Promise<void>;
  /** Starts it again at the same address, after `end`. */
  startAgain(): Promise<void>;
  stop(): Promise<void>;
}

const READY_WITHIN_MS = 60_000;

/** A Prometheus server on loopback with an empty store, which ends with this process. */
export async function startRealPrometheus({
  targets,
  scrapeIntervalMs,
  discovery = [],
  openMetrics,
}: RealPrometheusOptions): Promise<RealPrometheus> {
  const program = await ensurePrometheus();
  const folder = mkdtempSync(join(tmpdir(), 'serin-prometheus-'));
  const port = await freePort();
  const every = `${scrapeIntervalMs}ms`;
  // JSON is YAML.
  const config = {
    global: { scrape_interval: every, scrape_timeout: every },
    scrape_configs: [
      ...targets.map((target, index) => ({
        job_name: `target-${index}`,
        metrics_path: new URL(target).pathname,
        static_configs: [{ targets: [new URL(target).host] }],
      })),
      ...discovery.map((url, index) => ({ job_name: `discovered-${index}`, http_sd_configs: [{ url, refresh_interval: '1s' }] })),
    ],
  };
  writeFileSync(join(folder, 'prometheus.yml'), JSON.stringify(config));
  if (openMetrics !== undefined) await backfill(program, folder, openMetrics);
  const url = `http://127.0.0.1:${port}`;
  const begin = () =>
    startGuarded(
      'prometheus',
      [
        program,
        `--config.file=${join(folder, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(folder, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
        '--storage.tsdb.retention.time=100y',
        '--log.level=warn',
      ],
      join(folder, 'log'),
    );
  let server = begin();
  const stop = async () => {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  };
  const isReady = async () => {
    const deadlineMs = performance.now() + READY_WITHIN_MS;
    while (!(await answers(`${url}/-/ready`))) {
      if (server.hasExited() || performance.now() > deadlineMs) {
        const tail = server.logTail();
        await stop();
        throw new Error(`prometheus did not become ready:\n${tail}`);
      }
      await sleep(50);
    }
  };
  await isReady();
  return {
    url,
    send: (signal) => server.send(signal),
    end: (signal) => server.stop(signal),
    async startAgain() {
      server = begin();
      await isReady();
    },
    stop,
  };
}

async function backfill(program: string, folder: string, openMetrics: string): Promise<void> {
  const text = join(folder, 'samples.om');
  writeFileSync(text, openMetrics);
  await promisify(execFile)(join(dirname(program), 'promtool'), ['tsdb', 'create-blocks-from', 'openmetrics', text, join(folder, 'data')]);
}

async function answers(url: string): Promise<boolean> {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false; // refused: it is still starting
  }
}
