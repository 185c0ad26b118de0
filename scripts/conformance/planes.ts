import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A provider that real programs carry out: its tests are `test/planes/<file>*.test.ts`. */
export interface PlaneRow {
  file: string;
  provider: string;
  /** Programs with the pin of their version: a folder of test/e2e/binaries with its Go module, or envoy. */
  programs: Readonly<Record<string, { folder: string; module: string } | 'envoy'>>;
}

export const PLANES: readonly PlaneRow[] = [
  {
    file: 'istio',
    provider: '`istio`',
    programs: { istiod: { folder: 'pilot-discovery', module: 'istio.io/istio' }, Envoy: 'envoy' },
  },
  {
    file: 'istio-gateway-api',
    provider: '`gatewayapi:v1`, the parent of whose routes is a Service',
    programs: { istiod: { folder: 'pilot-discovery', module: 'istio.io/istio' }, Envoy: 'envoy' },
  },
  {
    file: 'istio-gateway-class',
    provider: '`gatewayapi:v1`, through a Gateway of the class `istio`',
    programs: { istiod: { folder: 'pilot-discovery', module: 'istio.io/istio' }, Envoy: 'envoy' },
  },
  {
    file: 'istio-grpc',
    provider: '`gatewayapi:v1`, whose GRPCRoutes have a Service as parent',
    programs: { istiod: { folder: 'pilot-discovery', module: 'istio.io/istio' }, Envoy: 'envoy' },
  },
  {
    file: 'contour',
    provider: '`contour`',
    programs: { Contour: { folder: 'contour', module: 'github.com/projectcontour/contour' }, Envoy: 'envoy' },
  },
  {
    file: 'gateway-api',
    provider: '`gatewayapi:v1`',
    programs: { Contour: { folder: 'contour', module: 'github.com/projectcontour/contour' }, Envoy: 'envoy' },
  },
  {
    file: 'ingress-nginx',
    provider: '`nginx`',
    programs: { 'ingress-nginx': { folder: 'nginx-ingress-controller', module: 'k8s.io/ingress-nginx' } },
  },
  {
    file: 'knative',
    provider: '`knative`',
    programs: {
      'Knative Serving': { folder: 'knative', module: 'knative.dev/serving' },
      Contour: { folder: 'contour', module: 'github.com/projectcontour/contour' },
      Envoy: 'envoy',
    },
  },
  {
    file: 'skipper',
    provider: '`skipper`',
    programs: { Skipper: { folder: 'skipper', module: 'github.com/zalando/skipper' } },
  },
  {
    file: 'traefik',
    provider: '`traefik`',
    programs: { Traefik: { folder: 'traefik', module: 'github.com/traefik/traefik/v3' } },
  },
  {
    file: 'traefik-gateway',
    provider: '`gatewayapi:v1`, through a Gateway of Traefik',
    programs: { Traefik: { folder: 'traefik', module: 'github.com/traefik/traefik/v3' } },
  },
  {
    file: 'kube-proxy',
    provider: '`kubernetes`',
    programs: { 'kube-proxy': { folder: '', module: 'k8s.io/kubernetes' } },
  },
];

/** Subjects of the scenarios, by the function that plays them, or the table that they play; a test of a plane uses no other one. */
const PLAYED: Readonly<Record<string, string>> = {
  describeShares: 'shares of 2,000 requests at each weight',
  describeReleases: 'promotion, rollback and deletion with users who never stop',
  describeRealProxy: "verdicts by the proxy's own counters through Prometheus",
  describeKills: '`kill -9` of the controller',
  describeIntroducedRoutes: 'routes that are listed, edited or made after the arrival, with users who never stop',
  describeIstioRoutes: 'matches, rewrites, headers, CORS, retries, gateways, delegation, ports, policies and copies',
  describeContourRoutes: 'matches, rewrites, headers, timeouts, retries and CORS',
  describeGatewayApiRoutes: 'matches, rewrites, headers, timeouts and what this implementation leaves out',
  describeNginxRoutes: 'headers, cookies and patterns that choose the canary',
  describeKinds: 'promotion, rollback, overtaking, edits, commands and deletion with users who never stop',
  describeKnativeRows: 'what becomes of a traffic block: tags, the latest revision, a revision that is missing or not ready',
  describeKnativeKills: '`kill -9` of the controller',
  describeLife: 'lives in which users act in an order that a seed draws',
  describeTakeovers: 'routes that serve already are taken over and restored',
  describeBlueGreen: 'Blue/Green: promotion, rollback, `kill -9` and deletion with users who never stop',
  describeLag: 'how long a change takes',
  describeServicePorts: 'a route for a Service with several ports',
  proxyRows: 'the pod that a request goes to: hints, policies, session affinity, pods that leave',
  playRoutedWorlds: "answers of users' routes before, beside and after a Canary",
};

const CALL = /\b((?:describe[A-Z]\w*|playRoutedWorlds)(?=\()|proxyRows)\b/g;

export interface PlaneSource {
  /** Within test/planes. */
  file: string;
  text: string;
}

export const planeSources = (root: string): PlaneSource[] =>
  readdirSync(join(root, 'test', 'planes'))
    .filter((file) => file.endsWith('.test.ts'))
    .toSorted()
    .map((file) => ({ file, text: readFileSync(join(root, 'test', 'planes', file), 'utf8') }));

/** The table of docs/conformance.md, from what the tests call; a test without a row, a row without a test, and calls that have no words are faults. */
export function planeTable(
  rows: readonly PlaneRow[],
  sources: readonly PlaneSource[],
  versionOf: (program: PlaneRow['programs'][string]) => string,
): { text: string; faults: string[] } {
  const rowOf = ({ file }: PlaneSource) =>
    rows.filter((row) => file.startsWith(row.file)).toSorted((a, b) => b.file.length - a.file.length)[0];
  const faults = sources
    .filter((source) => rowOf(source) === undefined)
    .map(({ file }) => `test/planes/${file} belongs to no row of PLANES`);
  const lines = rows.map((row) => {
    const own = sources.filter((source) => rowOf(source) === row);
    if (own.length === 0) faults.push(`${row.provider} has no test in test/planes`);
    const calls = new Set(own.flatMap(({ text }) => [...text.matchAll(CALL)].map(([, name = '']) => name)));
    const played = [...calls].map((name) => {
      if (PLAYED[name] === undefined) faults.push(`test/planes/${row.file}: PLAYED has no words for ${name}`);
      return PLAYED[name] ?? name;
    });
    const programs = Object.entries(row.programs).map(([name, program]) => `${name} ${versionOf(program)}`);
    return `| ${row.provider} | ${programs.join(', ')} | ${played.toSorted().join('; ')} | ${own.map(({ file }) => `\`${file}\``).join(', ')} |`;
  });
  const head = ['| provider | programs | played | tests in `test/planes` |', '|---|---|---|---|'];
  return { text: [...head, ...lines].join('\n'), faults };
}

/** Version that the repository pins. */
export function pinnedIn(root: string): (program: PlaneRow['programs'][string]) => string {
  const binaries = join(root, 'test', 'e2e', 'binaries');
  return (program) => {
    const [file, pattern] =
      program === 'envoy'
        ? ['envoy.txt', /==(\S+)/]
        : [join(program.folder, 'go.mod'), new RegExp(`\\b${program.module.replaceAll('.', '\\.')} v(\\S+)`)];
    const version = pattern.exec(readFileSync(join(binaries, file), 'utf8'))?.[1];
    if (version === undefined) throw new Error(`${file} pins no version that ${pattern} finds`);
    // For a version that is made from a commit, its beginning says enough.
    return version.replace(/^0\.0\.0-(\d{8})\d+-([0-9a-f]{7}).*$/, 'of $1 ($2)');
  };
}
