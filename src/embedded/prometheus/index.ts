import { createServer } from 'node:http';
import { every } from '../../base/clock.ts';
import { realWorld, type World } from '../world.ts';
import { serveQuery } from './api.ts';
import { instantQuery, type QueryData } from './query.ts';
import { Scraper, type ScrapeTarget } from './scraper.ts';
import type { IngestedSample } from './series.ts';
import { SeriesStore } from './store.ts';

interface EmbeddedPrometheusOptions {
  targets: readonly ScrapeTarget[];
  /** Milliseconds between scrapes; default 15000, Prometheus' own usual value. */
  scrapeIntervalMs?: number;
  world?: World;
  /** Epoch milliseconds; the time of samples and of queries that name none. Default: the world's. */
  now?: () => number;
  /** Time for which samples are kept; default one hour. */
  retentionMs?: number;
}

export interface EmbeddedPrometheus {
  /** Base address of the HTTP API, on loopback. */
  url: string;
  /** `data` of an instant query. Throws QueryError. */
  query(promql: string, atMs?: number): QueryData;
  /** Stores samples as if scraped. Samples of one series come in order of time. */
  ingest(samples: readonly IngestedSample[]): void;
  /** Scrapes all targets now, beside the regular ones. */
  scrape(): Promise<void>;
  stop(): Promise<void>;
}

/** A small Prometheus on loopback: scraping, a store in memory, PromQL and the query API. */
export async function startPrometheus(options: EmbeddedPrometheusOptions): Promise<EmbeddedPrometheus> {
  const { targets, scrapeIntervalMs = 15_000, retentionMs = 3_600_000, world = realWorld } = options;
  const { clock, network } = world;
  const now = options.now ?? (() => clock.nowMs());
  const store = new SeriesStore(retentionMs);
  const scrapers = targets.map((target) => new Scraper(target, store, world));
  const stopping = new AbortController();
  const server = createServer((request, response) => {
    serveQuery(store, now, request, response).catch((error: unknown) => {
      response.writeHead(500, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ status: 'error', errorType: 'internal', error: String(error) }));
    });
  });
  const listener = await network.listen(server);

  let running: Promise<void> | undefined;
  const scrape = async () => {
    const nowMs = now();
    // A scrape ends before the next is due; Prometheus' own ceiling is 10 s.
    const timeoutMs = Math.min(10_000, scrapeIntervalMs);
    await Promise.all(scrapers.map((scraper) => scraper.scrape(nowMs, timeoutMs, stopping.signal)));
    store.prune(nowMs);
  };
  /** One at a time: a slow target delays the next scrape and never gets two. */
  const scrapeOnce = () => {
    running ??= scrape().finally(() => {
      running = undefined;
    });
    return running;
  };
  const stopScraping = targets.length > 0 ? every(clock, scrapeIntervalMs, scrapeOnce) : undefined;

  return {
    url: listener.url,
    query: (promql, atMs = now()) => instantQuery(store, promql, atMs),
    ingest: (samples) => {
      for (const sample of samples) store.append(sample);
    },
    scrape: scrapeOnce,
    async stop() {
      stopScraping?.();
      stopping.abort();
      await running;
      await listener.close(true);
    },
  };
}
