import { type Breakage, breakModules, runEach } from '../../breakages.ts';

type RouteBreakage = Pick<Breakage, 'name' | 'changes'>;

/** Serin broken on purpose in what it does to routes of users: a world has to notice within `MOST_WORLDS`. */
export const routeBreakages: readonly (RouteBreakage & { notices: RegExp })[] = [
  {
    name: 'a dropped rule',
    notices: /what answers/,
    changes: [
      {
        file: 'routers/split/split.ts',
        find: 'const whole = joinedRules(canary, rules, form);',
        replace: 'const whole = joinedRules(canary, rules, form).filter((rule) => leadsToApplication(canary, rule, form));',
      },
    ],
  },
  {
    name: 'a filter lost in a copy',
    notices: /what answers/,
    changes: [
      {
        file: 'routers/gateway-api/in-place.ts',
        find: '({ ...unnamed, matches: list })',
        replace: '({ ...unnamed, filters: [], matches: list })',
      },
    ],
  },
  {
    name: 'a wrong port',
    notices: /what answers/,
    changes: [
      {
        file: 'routers/gateway-api/in-place.ts',
        find: 'withService: (backend, _from, name) => ({ ...backend, name }),',
        replace: 'withService: (backend, _from, name) => ({ ...backend, name, port: 8080 }),',
      },
    ],
  },
  {
    name: 'an unlisted route that is split',
    notices: /the bytes of \w+\/of-www/,
    changes: [
      {
        file: 'routers/split/split-form.ts',
        find: '(canary.spec.routeRefs ?? []).flatMap((one, index)',
        replace:
          "[...(canary.spec.routeRefs ?? []), ...Object.entries(form.versions).map(([kind, apiVersion]) => ({ apiVersion, kind, name: 'of-www' }))].flatMap((one, index)",
      },
    ],
  },
  {
    name: 'an edit that takes requests',
    notices: /what answers/,
    changes: [
      {
        file: 'controller/admission/edited-routes.ts',
        find: 'if (isRunning(canary) || (ran && routedOf({ spec: ran }) === routedOf(canary))) return undefined;',
        replace: 'if (ran !== null) return undefined;',
      },
    ],
  },
  {
    name: 'an accepted edit that a restart forgets',
    notices: /what answers/,
    changes: [
      {
        file: 'controller/adoption/accepted-specs.ts',
        find: 'return Stored.safeParse(parseJson(text)).data ?? [];',
        replace: 'return Stored.safeParse(parseJson(text)).data?.slice(MOST_SPECS) ?? [];',
      },
    ],
  },
  {
    name: 'a proportion lost',
    notices: /what answers/,
    changes: [
      {
        file: 'routers/split/split.ts',
        find: 'return [{ ...backend, weight: weight * ALL }];',
        replace: 'return [{ ...backend, weight }];',
      },
    ],
  },
  {
    name: 'an apex that proxies forget',
    notices: /what proxies know of/,
    changes: [{ file: 'routers/gateway-api/in-place.ts', find: 'keepsApex: { mostBackends: MOST.backends },', replace: '' }],
  },
  {
    name: 'a put-back that is not announced',
    notices: /what proxies know of/,
    changes: [
      {
        file: 'controller/reconcile/introduced-routes.ts',
        find: 'if (isUrgent(context, from)) return false;',
        replace: 'if (isUrgent(context, from) || isLastWanted(context, object)) return false;',
      },
    ],
  },
];

/** The same in what only tests with requests through a real data plane notice. */
export const planeBreakages: readonly RouteBreakage[] = [
  {
    name: 'a later route that is not introduced',
    changes: [
      {
        file: 'controller/reconcile/introduced-routes.ts',
        find: 'const introduction = isIntroduced(context, object, from)',
        replace:
          "const introduction = (context.canary.status?.phase || 'Initializing') === 'Initializing' && isIntroduced(context, object, from)",
      },
    ],
  },
  {
    name: 'a path of another Service in the copy of an Ingress',
    changes: [
      {
        file: 'routers/ingress/ingress-rules.ts',
        find: '.filter((path) => serviceOf(path) === service);',
        replace: '.filter((path) => serviceOf(path) !== undefined);',
      },
    ],
  },
  {
    name: 'a wrong port in a TraefikService',
    changes: [
      {
        file: 'routers/traefik/render.ts',
        find: 'port: canary.spec.service.port };',
        replace: 'port: canary.spec.service.port + 1 };',
      },
    ],
  },
];

export function routeBreakageOf(name: string): RouteBreakage {
  const all = [...routeBreakages, ...planeBreakages];
  const found = all.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no breakage ${name}; there are: ${all.map((each) => each.name).join(', ')}`);
  return found;
}

const MOST_WORLDS = 100;

/** World that shows the breakage, and the loss in it. `undefined` if no world does. */
async function findIn({ notices, changes }: (typeof routeBreakages)[number]): Promise<string | undefined> {
  breakModules({ changes });
  const [{ routedWorldOf }, { playRouted }, { breaksIn, describeLoss }] = await Promise.all([
    import('./routed-world.ts'),
    import('./shrink-routes.ts'),
    import('../shrink.ts'),
  ]);
  for (let seed = 1; seed <= MOST_WORLDS; seed += 1) {
    const noticed = breaksIn(await playRouted(routedWorldOf(seed))).find(({ what }) => notices.test(what));
    if (noticed) return `world ${seed}: ${describeLoss(noticed)}`;
  }
  return undefined;
}

if (import.meta.main) {
  const [name] = process.argv.slice(2);
  if (name === undefined) process.exit(runEach(import.meta.filename, routeBreakages, `${MOST_WORLDS} worlds`));
  const breakage = routeBreakages.find((one) => one.name === name);
  if (breakage === undefined) throw new Error(`no breakage ${name}; there are: ${routeBreakages.map((each) => each.name).join(', ')}`);
  const text = await findIn(breakage);
  if (text !== undefined) process.stdout.write(`${text}\n`);
  process.exit(text === undefined ? 1 : 0);
}
