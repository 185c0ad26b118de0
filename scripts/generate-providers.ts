/** Writes docs/providers.md from the routers and the suites; with `--check`, fails when the committed file differs. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Provider, providers } from '../src/api/canary.ts';
import { madeForAnnotation } from '../src/api/names.ts';
import { factsOf } from '../src/api/providers.ts';
import { observerFor, routers } from '../src/routers/index.ts';
import type { Router } from '../src/routers/router.ts';
import { routerCases } from '../test/contracts/routers/index.ts';
import { aCanary } from '../test/contracts/routers-cases.ts';
import { providerFixtures } from '../test/scenarios/providers/index.ts';
import { realProxies } from '../test/scenarios/providers/real-proxies.ts';
import type { Generate } from './generation/generated-file.ts';
import { runAlone } from './generation/settle.ts';
import { withParts } from './generation/with-parts.ts';

const root = join(import.meta.dirname, '..');
const path = join(root, 'docs', 'providers.md');
const routerOf = (provider: Provider): Router | undefined => {
  const router: Router | string = routers[provider];
  return typeof router === 'string' ? undefined : router;
};

/** Kinds with their groups, of the objects that the router writes or reads. */
function objectsOf(provider: Provider): string {
  const router = routerOf(provider);
  if (!router) return '';
  const known = routerCases[provider];
  const canary = aCanary({ ...known?.spec, service: { ...known?.service } });
  const kinds = router.watches(canary).map(({ kind, apiVersion }) => `${kind} (\`${apiVersion}\`)`);
  return [...new Set(kinds)].join(', ') || 'only Services';
}

function maturityOf(provider: Provider): string {
  const router = routerOf(provider);
  if (!router) return 'not yet';
  const real = realProxies[provider];
  if (real && !existsSync(join(root, real.test))) throw new Error(`${real.test}, by which ${provider} is proved, does not exist`);
  if (real) return `real proxy (${real.proxy})`;
  if (!router.supports.weights) return 'real cluster';
  return providerFixtures.some((fixture) => fixture.provider === provider) ? 'embedded mesh' : 'rendering only';
}

/** Comparable properties of a release and the primary, by the provider's own counters (`Observer.counters`). */
function comparisonOf(provider: Provider): string {
  const { counters } = observerFor(provider, 'Deployment');
  return 'unavailable' in counters ? `none; ${counters.unavailable}` : 'errors and latency';
}

const rows = providers.map((provider) => {
  const { weights, headerMatch, mirroring, sessionAffinity } = routerOf(provider)?.supports ?? factsOf(provider).can;
  const can = [weights, headerMatch, true, mirroring, sessionAffinity].map((has) => (has ? 'yes' : '–'));
  return `| \`${provider}\` | ${can.join(' | ')} | ${comparisonOf(provider)} | ${maturityOf(provider)} | ${objectsOf(provider)} |`;
});

const fates = providers.flatMap((provider) =>
  (routerCases[provider]?.afterDeletion ?? []).map(({ of, stays, because }) => {
    const fate = stays.length > 0 ? `${stays.join(', ')} stays` : 'all goes';
    return `| \`${provider}\`${of === undefined ? '' : ` ${of}`} | ${fate} | ${because} |`;
  }),
);

const parts = {
  providers: `| provider | weights | A/B | Blue/Green | mirroring | affinity | comparison | maturity | objects |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}`,
  deletion: `| provider | routes that Serin made | because |
|---|---|---|
${fates.join('\n')}`,
};

const said = [`the annotation \`${madeForAnnotation}\``];
export const generate: Generate = () => [
  { path, text: withParts(readFileSync(path, 'utf8'), 'generate-providers', parts, said), source: 'src/routers' },
];

if (import.meta.main) await runAlone(generate);
