/** Which endpoint each client is kept at under `sessionAffinity: ClientIP`; of one proxy, and gone with it. */
export class ClientAffinity {
  readonly #nowMs: () => number;
  readonly #kept = new Map<string, { ip: string; atMs: number }>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Endpoint of a client whose last request is not longer ago than this. */
  endpointOf(service: string, client: string, timeoutMs: number): string | undefined {
    const kept = this.#kept.get(`${service} ${client}`);
    return kept !== undefined && this.#nowMs() - kept.atMs <= timeoutMs ? kept.ip : undefined;
  }

  /** A request of this client goes there now. */
  keep(service: string, client: string, ip: string): void {
    this.#kept.set(`${service} ${client}`, { ip, atMs: this.#nowMs() });
  }
}
