import { createServer } from 'node:http';
import { loopback } from '../../src/embedded/network.ts';

/** Prometheus text, read for each scrape; 503 if it cannot be read. */
export async function serveMetrics(read: () => Promise<string>): Promise<{ url: string; stop(): Promise<void> }> {
  const server = createServer((_, response) => {
    read().then(
      (text) => response.end(text),
      () => response.writeHead(503).end(),
    );
  });
  const listener = await loopback.listen(server);
  return { url: `${listener.url}/metrics`, stop: () => listener.close(true) };
}
