import { describe, expect, it } from 'vitest';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { providers } from '../../src/api/providers.ts';
import { originalConfig } from '../../src/api/tracking-metadata.ts';
import { raw } from '../fakes/raw.ts';
import { recordedIdle } from '../fakes/recorded-idle.ts';
import { startOver } from '../fakes/start-over.ts';

/**
 * Objects left by b905668c, the last version that took routes of users over whole: each provider after a release, with the previous objects of its users
 * (`test/scenarios/providers`), as the modelled cluster of that commit stored them. `found`: a route of the user with the name of the apex.
 */
const recorded = recordedIdle('b905668c');
/** Its Services are routes and targets in one, and no route of the user's is taken over: `0.1.0/knative-service`. */
const ELSEWHERE = new Set(['knative']);

describe('this version over the routes that b905668c has left', () => {
  it('each provider is recorded', () => {
    const of = Object.values(recorded).flatMap((objects) => objects.filter(({ kind }) => kind === 'Canary'));
    const named = new Set(of.map((canary) => raw(canary).spec.provider));
    expect(providers.filter((provider) => !named.has(provider) && !ELSEWHERE.has(provider))).toEqual([]);
  });

  it.each(Object.entries(recorded))('I8, I17: over idle %s no route changes: nothing is written', async (_, objects) => {
    expect(await startOver([objects])).toMatchObject({ writes: [], changes: 0, phases: ['Succeeded'] });
  });

  it('I17: routes of users that were taken over whole are among them', () => {
    const isWhole = ({ metadata }: KubeObject) => metadata.annotations?.[originalConfig] !== undefined;
    const whole = Object.entries(recorded).flatMap(([name, objects]) => (objects.some(isWhole) ? [name.replace('b905668c/', '')] : []));
    const found = ['gatewayapi-v1-found', 'gatewayapi-v1-found-a-b', 'istio-found', 'istio-found-a-b'];
    expect(whole.toSorted()).toEqual(['contour', 'contour-a-b', 'gloo', 'traefik', ...found].toSorted());
  });
});
