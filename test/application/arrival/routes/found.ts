import type { Destination, RoutedWorld, Rule } from './routed-world.ts';

/** A world that once broke, in its drawn form: a seed gives another world after each change of the generator. */
export interface FoundWorld {
  what: string;
  world: RoutedWorld;
}

const to = (service: Destination['service'], weight?: number, port: Destination['port'] = 80): Destination => ({ service, port, weight });
const rule = (path: string, to: Rule['to'], terms: Rule['terms'], more: Partial<Rule> = {}): Rule => ({
  path,
  to,
  terms,
  isNamed: false,
  ...more,
});

/** Played in every run of `npm test`. */
export const found: readonly FoundWorld[] = [
  {
    what: 'a route that is put back while a primary is kept leads to Services that its proxy does not know',
    world: {
      ...{ seed: 6, kind: 'HTTPProxy', cohort: 'all', hasSecondPort: false },
      routes: [
        {
          ...{ name: 'shop', host: 'shop.example.org', at: 'apex' },
          rules: [rule('/static', [to('shop')], 'timeout', { header: 'staff' }), rule('/', [to('static')], 'timeout', { isNamed: true })],
        },
      ],
      writes: [
        { atMs: 80637, what: { is: 'route', index: 0, edit: 'a rule of another' }, how: 'patch' },
        { atMs: 9062, what: { is: 'route', index: 0, edit: 'a rule of the application' }, how: 'patch' },
        { atMs: 5317, what: { is: 'route', index: 0, edit: 'a rule of another' }, how: 'patch' },
        { atMs: 53795, what: { is: 'route', index: 0, edit: 'another order' }, how: 'patch' },
      ],
      ...{ ending: 'failure', killedAfterMs: 5973 },
    },
  },
  {
    what: 'rules that introduce Services stay in a route of the user’s',
    world: {
      ...{ seed: 2, kind: 'HTTPRoute', cohort: 'affinity', hasSecondPort: true },
      routes: [
        {
          ...{ name: 'shop', host: 'shop.example.org', at: 'apex' },
          rules: [rule('/', [to('shop', 1)], 'none')],
        },
      ],
      writes: [],
      ...{ ending: 'renamed', killedAfterMs: 9006 },
    },
  },
  {
    what: 'the weight of the only backend of a rule is lost',
    world: {
      ...{ seed: 18, kind: 'VirtualService', cohort: 'all', hasSecondPort: false },
      routes: [
        {
          ...{ name: 'shop', host: 'shop.example.org', at: 'apex' },
          rules: [
            rule('/api/v2', [to('shop', 1)], 'none'),
            rule('/api', [to('shop', 1)], 'none', { isNamed: true }),
            rule('/', [to('shop')], 'both', { isNamed: true }),
          ],
        },
        {
          ...{ name: 'of-www', host: 'www.example.org', at: 'another namespace' },
          rules: [rule('/half', [to('shop', 1)], 'both'), rule('/', [to('shop', 1)], 'none')],
        },
        {
          ...{ name: 'of-api', host: 'api.example.org', at: 'unlisted' },
          rules: [
            rule('/half', [to('legacy')], 'none', { isNamed: true }),
            rule('/admin', [to('static')], 'both', { isNamed: true }),
            rule('/static', [to('shop')], 'none'),
            rule('/', [to('shop', 1), to('legacy', 2)], 'filter'),
          ],
        },
      ],
      writes: [],
      ...{ ending: 'failure', killedAfterMs: 13235 },
    },
  },
  {
    what: 'an edit between rendering and writing is lost',
    world: {
      ...{ seed: 301829, kind: 'HTTPRoute', cohort: 'affinity', hasSecondPort: true },
      routes: [
        {
          ...{ name: 'of-shop', host: 'shop.example.org', at: 'listed' },
          rules: [rule('/api/v2', [to('shop')], 'timeout'), rule('/', [to('shop', 3), to('legacy', 25)], 'filter', { header: 'beta' })],
        },
        {
          ...{ name: 'of-www', host: 'www.example.org', at: 'listed' },
          rules: [
            rule('/', 'redirect', 'filter', { header: 'beta' }),
            rule('/admin', [to('shop', undefined, 9090)], 'none'),
            rule('/static', [to('legacy')], 'filter'),
            rule('/api', [to('static')], 'both', { header: 'staff' }),
            rule('/', [to('shop', 3, 9090), to('legacy', 2)], 'none', { isNamed: true }),
          ],
        },
      ],
      writes: [
        { atMs: 44378, what: { is: 'route', index: 0, edit: 'nothing' }, how: 'patch' },
        { atMs: 137792, what: { is: 'route', index: 0, edit: 'a rule of the application' }, how: 'patch' },
        { atMs: 121668, what: { is: 'route', index: 0, edit: 'nothing' }, how: 'patch' },
        { atMs: 44396, what: { is: 'route', index: 1, edit: 'a rule of the application' }, how: 'patch' },
      ],
      ...{ ending: 'replaced', killedAfterMs: 77 },
    },
  },
  {
    what: 'a generated A/B rule takes requests of a route that is not listed',
    world: {
      ...{ seed: 500710, kind: 'HTTPRoute', cohort: 'header', hasSecondPort: false },
      routes: [
        {
          ...{ name: 'of-shop', host: 'shop.example.org', at: 'unlisted' },
          rules: [rule('/', [to('legacy')], 'timeout')],
        },
        {
          ...{ name: 'of-www', host: 'www.example.org', at: 'unlisted' },
          rules: [
            rule('/', [to('shop', 3), to('legacy', 1)], 'filter', { header: 'beta' }),
            rule('/static', [to('shop', 1)], 'both'),
            rule('/api/v2', [to('legacy')], 'filter'),
            rule('/', [to('shop', 1)], 'none'),
          ],
        },
      ],
      writes: [
        { atMs: 135601, what: { is: 'route', index: 1, edit: 'a rule of another' }, how: 'patch' },
        { atMs: 56198, what: { is: 'route', index: 1, edit: 'a rule of the application' }, how: 'patch' },
      ],
      ...{ ending: 'success', killedAfterMs: undefined },
    },
  },
  {
    what: 'two Canaries copy the copies of each other, without end',
    world: {
      ...{ seed: 720070, kind: 'VirtualService', cohort: 'affinity', hasSecondPort: false },
      routes: [
        {
          ...{ name: 'shop', host: 'shop.example.org', at: 'apex' },
          rules: [
            rule('/half', [to('legacy')], 'filter', { isNamed: true, header: 'beta' }),
            rule('/admin', [to('shop')], 'none', { isNamed: true }),
            rule('/static', [to('shop')], 'filter'),
            rule('/api/v2', [to('shop', 9), to('legacy', 2)], 'timeout'),
            rule('/api', [to('static')], 'timeout', { header: 'beta' }),
            rule('/', [to('shop')], 'none', { isNamed: true }),
          ],
        },
      ],
      writes: [],
      second: { cohort: 'header', isFirst: false, isLast: true },
      ...{ ending: 'success', killedAfterMs: undefined },
    },
  },
  {
    what: 'two Canaries copy the copies of each other, without end',
    world: {
      ...{ seed: 721060, kind: 'VirtualService', cohort: 'header', hasSecondPort: false },
      routes: [
        {
          ...{ name: 'shop', host: 'shop.example.org', at: 'apex' },
          rules: [
            rule('/half', [to('shop', 1)], 'none', { isNamed: true }),
            rule('/static', [to('shop')], 'filter', { isNamed: true }),
            rule('/api/v2', [to('legacy')], 'filter'),
            rule('/', [to('shop')], 'filter', { isNamed: true }),
          ],
        },
        {
          ...{ name: 'of-www', host: 'www.example.org', at: 'listed' },
          rules: [
            rule('/static', [to('static')], 'timeout'),
            rule('/api/v2', [to('shop', 1)], 'timeout'),
            rule('/api', [to('shop', 75), to('legacy', 2)], 'timeout', { isNamed: true, header: 'beta' }),
            rule('/', [to('shop')], 'none'),
          ],
        },
      ],
      writes: [
        { atMs: 83599, what: { is: 'route', index: 1, edit: 'nothing' }, how: 'patch' },
        { atMs: 78802, what: { is: 'route', index: 1, edit: 'nothing' }, how: 'replace' },
      ],
      second: { cohort: 'affinity', isFirst: false, isLast: true },
      ...{ ending: 'replaced', killedAfterMs: 5963 },
    },
  },
  {
    what: 'a tool applies a route three times while its Services are announced, as the Canary arrives',
    world: {
      ...{ seed: 2000027, kind: 'HTTPProxy', cohort: 'all', hasSecondPort: false },
      routes: [{ ...{ name: 'shop', host: 'shop.example.org', at: 'apex' }, rules: [rule('/', [to('shop')], 'none')] }],
      writes: [
        { atMs: 4154, what: { is: 'route', index: 0, edit: 'a rule of the application' }, how: 'replace', againAfterMs: [1770, 1670] },
      ],
      ...{ ending: 'success', killedAfterMs: undefined },
    },
  },
  {
    what: 'a Canary is deleted just after a correction was announced, and its primary is kept',
    world: {
      ...{ seed: 2000019, kind: 'GRPCRoute', cohort: 'all', hasSecondPort: false },
      routes: [
        {
          ...{ name: 'of-shop', host: 'shop.example.org', at: 'unlisted' },
          rules: [rule('/api', [to('shop', 1)], 'none', { header: 'staff' })],
        },
        { ...{ name: 'of-www', host: 'www.example.org', at: 'listed' }, rules: [rule('/', [to('shop')], 'none')] },
      ],
      writes: [{ atMs: 71161, what: { is: 'route', index: 1, edit: 'nothing' }, how: 'patch', againAfterMs: [1673] }],
      ...{ ending: 'failure', killedAfterMs: undefined },
      edit: { ...{ atMs: 27614, undoneAfterMs: 17002 }, cohort: 'all', hasAllHosts: true },
    },
  },
  {
    what: 'a tool applies a route while its deleted Canary announces the way back',
    world: {
      ...{ seed: 2000027, kind: 'HTTPProxy', cohort: 'header', hasSecondPort: false },
      routes: [
        { ...{ name: 'shop', host: 'shop.example.org', at: 'apex' }, rules: [rule('/', [to('shop')], 'none')] },
        { ...{ name: 'of-www', host: 'www.example.org', at: 'listed' }, rules: [rule('/', [to('shop', 1)], 'none')] },
      ],
      writes: [
        { atMs: 4154, what: { is: 'route', index: 0, edit: 'a rule of the application' }, how: 'replace', againAfterMs: [1770, 1670] },
        { atMs: 62976, what: { is: 'route', index: 0, edit: 'nothing' }, how: 'replace' },
        { atMs: 66630, what: { is: 'route', index: 0, edit: 'nothing' }, how: 'patch' },
      ],
      ...{ ending: 'replaced', killedAfterMs: undefined },
    },
  },
];
