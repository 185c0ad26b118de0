import type { Mesh } from '../embedded/mesh/index.ts';
import type { ModelledRequest } from '../embedded/mesh/modelled-request.ts';
import type { World } from '../embedded/world.ts';
import { heyOptions } from '../loadtester/hey-options.ts';
import { argumentWords } from '../loadtester/words.ts';
import type { Entry } from './entry.ts';
import type { ModelledApps } from './modelled-apps.ts';

/** Requests per second of a load test without a limit. */
const MOST_PER_SECOND = 200;
const SAMPLES = 5;
const DEFAULT_MS = 60_000;
/** The load tester's own limit is not known here. */
const HEY_TIMEOUT_MS = 24 * 3_600_000;

interface ModelledLoad {
  request: ModelledRequest;
  perSecond: number;
  untilMs: number;
}

/** Programs that send one request and are assumed to pass. */
const ASKS_ONCE = /^(bash|sh|curl|helm|concord|bats|grpc_health_probe|\/?bin\/\w+)\b/;

/** Load that webhooks start on a load tester, as `hey -z 1m -q 10 -c 2 http://podinfo-canary.test/`. */
export class LoadTests {
  /** Commands whose load is not modelled. */
  readonly unmodelled = new Set<string>();
  readonly #now: () => number;
  readonly #mesh: Mesh;
  readonly #apps: ModelledApps;
  readonly #entry: Entry;
  readonly #loads = new Map<string, ModelledLoad>();
  #turn = 0;

  constructor({ clock }: World, { mesh, apps, entry }: { mesh: Mesh; apps: ModelledApps; entry: Entry }) {
    this.#now = clock.monotonicMs;
    this.#mesh = mesh;
    this.#apps = apps;
    this.#entry = entry;
  }

  /** Sends the load of one second. */
  askForSecond(): void {
    for (const { request, perSecond, untilMs } of this.#loads.values()) {
      if (untilMs <= this.#now()) continue;
      const count = Math.max(1, Math.round(perSecond / SAMPLES));
      for (let sample = 0; sample < Math.min(SAMPLES, perSecond); sample += 1) {
        this.#turn += 1;
        this.#mesh.model(this.#turn, request, this.#apps.answerOf, count);
      }
    }
  }

  /** Starts the load test in `body`, the request to the load tester. The same command does not run twice at a time. */
  begin(body: string): void {
    const command = commandIn(body);
    if (command === undefined) return;
    const load = this.#loadOf(command);
    if (load !== undefined) this.#loads.set(command, load);
    else if (!ASKS_ONCE.test(command)) this.unmodelled.add(command);
  }

  #loadOf(command: string): ModelledLoad | undefined {
    const read = argumentWords(command);
    if ('beyond' in read || read.words[0] !== 'hey') return undefined;
    const hey = heyOptions(read.words.slice(1), { timeoutMs: HEY_TIMEOUT_MS });
    if ('problem' in hey) return undefined;
    const perSecond = hey.rate === 0 ? MOST_PER_SECOND : Math.min(MOST_PER_SECOND, hey.rate * hey.workers);
    const headers = Object.fromEntries(Object.entries(hey.headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
    const { hostname: host, pathname: path } = hey.url;
    const gateway = host === this.#entry.host ? this.#entry.gateway : 'mesh';
    return { request: { host, path, headers, gateway }, perSecond, untilMs: this.#now() + (hey.durationMs ?? DEFAULT_MS) };
  }
}

function commandIn(body: string): string | undefined {
  try {
    const command: unknown = JSON.parse(body)?.metadata?.cmd;
    return typeof command === 'string' ? command : undefined;
  } catch {
    return undefined;
  }
}
