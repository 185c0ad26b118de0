import { seededRandom } from '../../../src/embedded/mesh/random.ts';

/** `count` different queries over the generated data, the same for the same seed; some of them are mistakes. */
export function generatedQueries(seed: number, count: number): string[] {
  const write = new QueryWriter(seededRandom(seed));
  const queries = new Set<string>();
  while (queries.size < count) queries.add(write.query());
  return [...queries];
}

const WORDS = {
  matchers: {
    requests_total: ['', '{job="api"}', '{code=~"2..|5.."}', '{code!~"5.*", job="web"}', '{instance!="b"}', '{code="500"}', '{nothing=""}'],
    temperature: ['', '{job="web"}', '{instance=~"a|c"}', '{instance!~"a.*"}'],
    quiet_total: ['', '{job="api"}'],
    odd: ['', '{kind="nan"}', '{kind=~"inf|zero"}', '{kind!="nan"}'],
    build_info: ['', '{version="1"}'],
    limit: ['', '{job="api"}'],
    absent_total: ['', '{job="api", code="500"}', '{job="api", job=~"a.*", code!="1"}'],
  },
  ranges: ['30s', '1m', '90s', '2m', '5m', '10m', '1m30s'],
  /** None is within the second in which scrapes are: no sample is at the very end of a range. */
  offsets: [
    '',
    '',
    '',
    ' offset 1m',
    ' offset 7m',
    ' offset -2m',
    ' @ 1700001234.375',
    ' @ 1700002001.5 offset 7m',
    ' offset 1m @ 1700001807.25',
  ],
  /** No range begins at a multiple of a step: there versions 2 and 3 differ. */
  subqueries: ['[7m3s:1m]', '[91s:20s]', '[10m1s:]', '[5m1s:45s]'],
  moments: [' @ 1700001234.375', ' @ 1700002001.5 offset 3m', ' @ 1700000400.5'],
  labels: ['job', 'instance', 'code', 'version', 'le', 'nothing'],
} as const;
type Metric = keyof typeof WORDS.matchers;

/** Writes expressions of a wanted type, at most so many levels deep. */
class QueryWriter {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  query(): string {
    const kind = this.#random();
    if (kind < 0.06) return this.#mistake();
    return kind < 0.15 ? this.#scalar(2) : this.#vector(3);
  }

  #pick<T>(options: readonly T[]): T {
    return options[Math.floor(this.#random() * options.length)] as T;
  }

  #one(options: readonly (() => string)[]): string {
    return this.#pick(options)();
  }

  #metric(): Metric {
    return this.#pick([
      'requests_total',
      'requests_total',
      'requests_total',
      'temperature',
      'quiet_total',
      'odd',
      'build_info',
      'limit',
      'absent_total',
    ]);
  }

  #selector(metric: Metric): string {
    return `${metric}${this.#pick(WORDS.matchers[metric])}`;
  }

  #instant(metric = this.#metric()): string {
    return this.#selector(metric) + this.#pick(WORDS.offsets);
  }

  #range(metric: Metric): string {
    return `${this.#selector(metric)}[${this.#pick(WORDS.ranges)}]${this.#pick(WORDS.offsets)}`;
  }

  #change(): string {
    const counters = (['requests_total', 'requests_total', 'quiet_total', 'absent_total'] as const)[Math.floor(this.#random() * 4)];
    return this.#one([
      () => `rate(${this.#range(counters ?? 'requests_total')})`,
      () => `increase(${this.#range(counters ?? 'requests_total')})`,
      () => `irate(${this.#range(counters ?? 'requests_total')})`,
      () => `delta(${this.#range(this.#pick(['temperature', 'odd', 'limit']))})`,
      () => `resets(${this.#range(this.#pick(['requests_total', 'temperature']))})`,
    ]);
  }

  #subquery(depth: number): string {
    const inner = this.#one([() => this.#instant(), () => `(${this.#vector(depth - 1)})`]);
    const name = this.#pick(['max_over_time', 'sum_over_time', 'count_over_time', 'last_over_time', 'resets', 'increase']);
    return `${name}(${inner}${this.#pick(WORDS.subqueries)}${this.#pick(WORDS.moments)})`;
  }

  #grouping(): string {
    const labels = WORDS.labels.filter(() => this.#random() < 0.35);
    return `${this.#pick(['by', 'without'])} (${labels.join(', ')})`;
  }

  #aggregate(depth: number): string {
    const op = this.#pick(['sum', 'avg', 'min', 'max', 'count']);
    const inner = this.#one([() => this.#change(), () => this.#instant(), () => this.#vector(depth - 1)]);
    const form = this.#random();
    if (form < 0.25) return `${op}(${inner})`;
    return form < 0.6 ? `${op} ${this.#grouping()} (${inner})` : `${op}(${inner}) ${this.#grouping()}`;
  }

  #quantile(): string {
    const phi = this.#pick(['0', '0.1', '0.5', '0.9', '0.99', '1', '1.5', '-1', 'NaN', 'scalar(limit{job="web"})']);
    const buckets = this.#one([
      () => `sum by (${this.#pick(['le', 'le, job', 'le, instance'])}) (rate(latency_bucket[${this.#pick(WORDS.ranges)}]))`,
      () => `sum(increase(latency_bucket{job="${this.#pick(['api', 'web'])}"}[5m])) without (instance)`,
      () => `rate(latency_bucket[${this.#pick(WORDS.ranges)}])`,
      () => `latency_bucket{le!="${this.#pick(['0.5', '+Inf', '1'])}"}`,
    ]);
    return `histogram_quantile(${phi}, ${buckets})`;
  }

  #matching(): string {
    return this.#pick(['', ' on(job)', ' on(job, instance)', ' ignoring(code)', ' ignoring(code, version)', ' on()', ' ignoring(version)']);
  }

  #binary(depth: number): string {
    const op = this.#pick(['+', '-', '*', '/', '%', '^', '==', '!=', '<', '<=', '>', '>=']);
    const bool = /[=<>]/.test(op) && this.#random() < 0.5 ? ' bool' : '';
    return this.#one([
      () => `(${this.#vector(depth - 1)}) ${op}${bool} ${this.#scalar(depth - 1)}`,
      () => `${this.#scalar(depth - 1)} ${op}${bool} (${this.#vector(depth - 1)})`,
      () => `(${this.#vector(depth - 1)}) ${op}${bool}${this.#matching()} (${this.#vector(depth - 1)})`,
      () => `${this.#change()} ${op}${bool}${this.#matching()} ${this.#change()}`,
      () => `sum by (job, code) (${this.#change()}) ${op}${bool} on(job) group_left() sum by (job) (${this.#change()})`,
      () => `requests_total ${op}${bool} on(job, instance) group_left(version) build_info`,
      () => `limit ${op}${bool} on(job) group_right() ${this.#instant('temperature')}`,
      () => `sum by (job) (${this.#change()}) ${op}${bool} limit`,
    ]);
  }

  #set(depth: number): string {
    const op = this.#pick(['and', 'or', 'unless']);
    const side = () => this.#one([() => this.#instant(), () => this.#change(), () => this.#vector(depth - 1)]);
    return `(${side()}) ${op}${this.#matching()} (${side()})`;
  }

  #clamp(depth: number): string {
    const inner = this.#vector(depth - 1);
    return this.#one([
      () => `clamp(${inner}, ${this.#pick(['-5', '0', '3'])}, ${this.#pick(['1', '10', '-6', 'NaN'])})`,
      () => `clamp_min(${inner}, ${this.#scalar(0)})`,
      () => `clamp_max(${inner}, ${this.#scalar(0)})`,
    ]);
  }

  #vector(depth: number): string {
    if (depth <= 0) return this.#one([() => this.#instant(), () => this.#change()]);
    return this.#one([
      () => this.#change(),
      () => this.#instant(),
      () => this.#aggregate(depth),
      () => this.#aggregate(depth),
      () => this.#subquery(depth),
      () => `label_replace(${this.#vector(depth - 1)}, "side", "$1-x", "instance", "(a|b)")`,
      () => this.#quantile(),
      () => this.#binary(depth),
      () => this.#binary(depth),
      () => this.#set(depth),
      () => this.#clamp(depth),
      () => `absent(${this.#one([() => this.#instant('absent_total'), () => this.#instant(), () => this.#vector(depth - 1)])})`,
      () => `vector(${this.#scalar(depth - 1)})`,
      () => `-(${this.#vector(depth - 1)})`,
      () => this.#timestamp(depth),
    ]);
  }

  /** Never of a selector with both `@` and `offset`: version 2.42 forgets the offset there. */
  #timestamp(depth: number): string {
    const moment = this.#pick(['', ' offset 1m', ' offset 7m', ' @ 1700001234.375', ' @ 1700000400.5']);
    return this.#one([() => `timestamp(${this.#selector(this.#metric())}${moment})`, () => `timestamp(${this.#aggregate(depth)})`]);
  }

  #scalar(depth: number): string {
    const number = () => this.#pick(['0', '1', '-1', '2.5', '100', '1e3', '0x10', 'Inf', '-Inf', 'NaN', '0.001']);
    if (depth <= 0) return number();
    const op = this.#pick(['+', '-', '*', '/', '%', '^']);
    return this.#one([
      number,
      () => 'time()',
      () => `scalar(${this.#one([() => 'limit{job="api"}', () => this.#vector(depth - 1), () => `sum(${this.#change()})`])})`,
      () => `(${this.#scalar(depth - 1)} ${op} ${this.#scalar(depth - 1)})`,
      () => `(${this.#scalar(depth - 1)} ${this.#pick(['==', '!=', '<', '>=', '>', '<='])} bool ${this.#scalar(depth - 1)})`,
    ]);
  }

  /** A query that Prometheus refuses, by its types, its grammar or its data. */
  #mistake(): string {
    return this.#one([
      () => `rate(${this.#instant()})`,
      () => `sum(${this.#range('requests_total')})`,
      () => `${this.#instant()} and ${this.#scalar(0)}`,
      () => `${this.#scalar(1)} > ${this.#scalar(1)}`,
      () => `${this.#instant()} + bool ${this.#instant()}`,
      () => `${this.#instant('requests_total')} / on(job) ${this.#instant('temperature')}`,
      () => `sum by (job (${this.#change()})`,
      () => `max_over_time(${this.#scalar(0)}[5m:1m])`,
      () => `(${this.#instant('requests_total')}) @ 1700001234`,
      () => `requests_total @ 1700001234 @ 1700001235`,
      () => `scalar(${this.#scalar(1)})`,
      () => `histogram_quantile(${this.#instant()}, latency_bucket)`,
      () => `rate(requests_total[${this.#pick(['0s', '5', 'm', '1m1h'])}x])`,
      () => `label_is_missing{job=~"("}`,
      () => `clamp(${this.#instant()}, 1)`,
      () => `rate({__name__=~"requests_total|quiet_total|limit", job="api"}[5m])`,
    ]);
  }
}
