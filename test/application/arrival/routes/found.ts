import type { RoutedWorld } from './routed-world.ts';

/** A world that once broke, in its drawn form: a seed gives another world after each change of the generator. */
export interface FoundWorld {
  what: string;
  world: RoutedWorld;
}

/** Played in every run of `npm test`. */
export const found: readonly FoundWorld[] = [
  {
    what: 'a route that is put back while a primary is kept leads to Services that its proxy does not know',
    world: {
      ...{ seed: 6, kind: 'HTTPProxy', cohort: 'all', hasSecondPort: false },
      routes: [
        {
          ...{ name: 'shop', host: 'shop.example.org', at: 'apex' },
          rules: [
            {
              ...{ path: '/static', header: 'staff', terms: 'timeout', isNamed: false },
              to: [{ service: 'shop', port: 80, weight: undefined }],
            },
            { path: '/', to: [{ service: 'static', port: 80, weight: undefined }], terms: 'timeout', isNamed: true },
          ],
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
      seed: 2,
      kind: 'HTTPRoute',
      cohort: 'affinity',
      hasSecondPort: true,
      routes: [
        {
          name: 'shop',
          host: 'shop.example.org',
          at: 'apex',
          rules: [{ path: '/', to: [{ service: 'shop', port: 80, weight: 1 }], terms: 'none', isNamed: false }],
        },
      ],
      writes: [],
      ending: 'renamed',
      killedAfterMs: 9006,
    },
  },
  {
    what: 'the weight of the only backend of a rule is lost',
    world: {
      seed: 18,
      kind: 'VirtualService',
      cohort: 'all',
      hasSecondPort: false,
      routes: [
        {
          name: 'shop',
          host: 'shop.example.org',
          at: 'apex',
          rules: [
            { path: '/api/v2', to: [{ service: 'shop', port: 80, weight: 1 }], terms: 'none', isNamed: false },
            { path: '/api', to: [{ service: 'shop', port: 80, weight: 1 }], terms: 'none', isNamed: true },
            { path: '/', to: [{ service: 'shop', port: 80, weight: undefined }], terms: 'both', isNamed: true },
          ],
        },
        {
          name: 'of-www',
          host: 'www.example.org',
          at: 'another namespace',
          rules: [
            { path: '/half', to: [{ service: 'shop', port: 80, weight: 1 }], terms: 'both', isNamed: false },
            { path: '/', to: [{ service: 'shop', port: 80, weight: 1 }], terms: 'none', isNamed: false },
          ],
        },
        {
          name: 'of-api',
          host: 'api.example.org',
          at: 'unlisted',
          rules: [
            { path: '/half', to: [{ service: 'legacy', port: 80, weight: undefined }], terms: 'none', isNamed: true },
            { path: '/admin', to: [{ service: 'static', port: 80, weight: undefined }], terms: 'both', isNamed: true },
            { path: '/static', to: [{ service: 'shop', port: 80, weight: undefined }], terms: 'none', isNamed: false },
            {
              path: '/',
              to: [
                { service: 'shop', port: 80, weight: 1 },
                { service: 'legacy', port: 80, weight: 2 },
              ],
              terms: 'filter',
              isNamed: false,
            },
          ],
        },
      ],
      writes: [],
      ending: 'failure',
      killedAfterMs: 13235,
    },
  },
  {
    what: 'an edit between rendering and writing is lost',
    world: {
      seed: 301829,
      kind: 'HTTPRoute',
      cohort: 'affinity',
      hasSecondPort: true,
      routes: [
        {
          name: 'of-shop',
          host: 'shop.example.org',
          at: 'listed',
          rules: [
            { path: '/api/v2', to: [{ service: 'shop', port: 80, weight: undefined }], terms: 'timeout', isNamed: false },
            {
              path: '/',
              header: 'beta',
              to: [
                { service: 'shop', port: 80, weight: 3 },
                { service: 'legacy', port: 80, weight: 25 },
              ],
              terms: 'filter',
              isNamed: false,
            },
          ],
        },
        {
          name: 'of-www',
          host: 'www.example.org',
          at: 'listed',
          rules: [
            { path: '/', to: 'redirect', terms: 'filter', isNamed: false, header: 'beta' },
            { path: '/admin', to: [{ service: 'shop', port: 9090, weight: undefined }], terms: 'none', isNamed: false },
            { path: '/static', to: [{ service: 'legacy', port: 80, weight: undefined }], terms: 'filter', isNamed: false },
            { path: '/api', header: 'staff', to: [{ service: 'static', port: 80, weight: undefined }], terms: 'both', isNamed: false },
            {
              path: '/',
              to: [
                { service: 'shop', port: 9090, weight: 3 },
                { service: 'legacy', port: 80, weight: 2 },
              ],
              terms: 'none',
              isNamed: true,
            },
          ],
        },
      ],
      writes: [
        { atMs: 44378, what: { is: 'route', index: 0, edit: 'nothing' }, how: 'patch' },
        { atMs: 137792, what: { is: 'route', index: 0, edit: 'a rule of the application' }, how: 'patch' },
        { atMs: 121668, what: { is: 'route', index: 0, edit: 'nothing' }, how: 'patch' },
        { atMs: 44396, what: { is: 'route', index: 1, edit: 'a rule of the application' }, how: 'patch' },
      ],
      ending: 'replaced',
      killedAfterMs: 77,
    },
  },
  {
    what: 'a generated A/B rule takes requests of a route that is not listed',
    world: {
      seed: 500710,
      kind: 'HTTPRoute',
      cohort: 'header',
      hasSecondPort: false,
      routes: [
        {
          name: 'of-shop',
          host: 'shop.example.org',
          at: 'unlisted',
          rules: [{ path: '/', to: [{ service: 'legacy', port: 80, weight: undefined }], terms: 'timeout', isNamed: false }],
        },
        {
          name: 'of-www',
          host: 'www.example.org',
          at: 'unlisted',
          rules: [
            {
              path: '/',
              to: [
                { service: 'shop', port: 80, weight: 3 },
                { service: 'legacy', port: 80, weight: 1 },
              ],
              terms: 'filter',
              isNamed: false,
              header: 'beta',
            },
            { path: '/static', to: [{ service: 'shop', port: 80, weight: 1 }], terms: 'both', isNamed: false },
            { path: '/api/v2', to: [{ service: 'legacy', port: 80, weight: undefined }], terms: 'filter', isNamed: false },
            { path: '/', to: [{ service: 'shop', port: 80, weight: 1 }], terms: 'none', isNamed: false },
          ],
        },
      ],
      writes: [
        { atMs: 135601, what: { is: 'route', index: 1, edit: 'a rule of another' }, how: 'patch' },
        { atMs: 56198, what: { is: 'route', index: 1, edit: 'a rule of the application' }, how: 'patch' },
      ],
      ending: 'success',
      killedAfterMs: undefined,
    },
  },
  {
    what: 'two Canaries copy the copies of each other, without end',
    world: {
      seed: 720070,
      kind: 'VirtualService',
      cohort: 'affinity',
      hasSecondPort: false,
      routes: [
        {
          name: 'shop',
          host: 'shop.example.org',
          at: 'apex',
          rules: [
            { path: '/half', header: 'beta', to: [{ service: 'legacy', port: 80, weight: undefined }], terms: 'filter', isNamed: true },
            { path: '/admin', to: [{ service: 'shop', port: 80, weight: undefined }], terms: 'none', isNamed: true },
            { path: '/static', to: [{ service: 'shop', port: 80, weight: undefined }], terms: 'filter', isNamed: false },
            {
              path: '/api/v2',
              to: [
                { service: 'shop', port: 80, weight: 9 },
                { service: 'legacy', port: 80, weight: 2 },
              ],
              terms: 'timeout',
              isNamed: false,
            },
            { path: '/api', header: 'beta', to: [{ service: 'static', port: 80, weight: undefined }], terms: 'timeout', isNamed: false },
            { path: '/', to: [{ service: 'shop', port: 80, weight: undefined }], terms: 'none', isNamed: true },
          ],
        },
      ],
      writes: [],
      second: { cohort: 'header', isFirst: false, isLast: true },
      ending: 'success',
      killedAfterMs: undefined,
    },
  },
  {
    what: 'two Canaries copy the copies of each other, without end',
    world: {
      seed: 721060,
      kind: 'VirtualService',
      cohort: 'header',
      hasSecondPort: false,
      routes: [
        {
          name: 'shop',
          host: 'shop.example.org',
          at: 'apex',
          rules: [
            { path: '/half', to: [{ service: 'shop', port: 80, weight: 1 }], terms: 'none', isNamed: true },
            { path: '/static', to: [{ service: 'shop', port: 80, weight: undefined }], terms: 'filter', isNamed: true },
            { path: '/api/v2', to: [{ service: 'legacy', port: 80, weight: undefined }], terms: 'filter', isNamed: false },
            { path: '/', to: [{ service: 'shop', port: 80, weight: undefined }], terms: 'filter', isNamed: true },
          ],
        },
        {
          name: 'of-www',
          host: 'www.example.org',
          at: 'listed',
          rules: [
            { path: '/static', to: [{ service: 'static', port: 80, weight: undefined }], terms: 'timeout', isNamed: false },
            { path: '/api/v2', to: [{ service: 'shop', port: 80, weight: 1 }], terms: 'timeout', isNamed: false },
            {
              path: '/api',
              header: 'beta',
              to: [
                { service: 'shop', port: 80, weight: 75 },
                { service: 'legacy', port: 80, weight: 2 },
              ],
              terms: 'timeout',
              isNamed: true,
            },
            { path: '/', to: [{ service: 'shop', port: 80, weight: undefined }], terms: 'none', isNamed: false },
          ],
        },
      ],
      writes: [
        { atMs: 83599, what: { is: 'route', index: 1, edit: 'nothing' }, how: 'patch' },
        { atMs: 78802, what: { is: 'route', index: 1, edit: 'nothing' }, how: 'replace' },
      ],
      second: { cohort: 'affinity', isFirst: false, isLast: true },
      ending: 'replaced',
      killedAfterMs: 5963,
    },
  },
];
