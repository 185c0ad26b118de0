import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { playSilentWatches, type SilentWatches } from '../scenarios/adversity/silent-watches.ts';
import { type Environment, startEmbeddedEnvironment, startRealEnvironment } from '../scenarios/environment.ts';

const WATCHED = ['canaries', 'deployments', 'services', 'metrictemplates', 'virtualservices', 'destinationrules'];

describe.each([
  ['the embedded cluster', startEmbeddedEnvironment],
  ['a real control plane', startRealEnvironment],
] as const)('each watch lost in turn without a word, on %s', (_, startEnvironment) => {
  let environment: Environment;
  beforeAll(async () => {
    environment = await startEnvironment();
  });
  afterAll(() => environment?.stop());

  it('the release goes on within 3 minutes, with the default silence and without a restart', async () => {
    const seen: SilentWatches = await playSilentWatches(environment, (line) => process.stdout.write(`${line}\n`));
    expect(seen.watches.map(({ resource }) => resource)).toEqual(expect.arrayContaining(WATCHED));
    expect(seen.fellSilent).toBe(seen.watches.length);
    expect(seen.isSameController).toBe(true);
    expect(seen.primaryImage).toBe('podinfo:2');
    expect(environment.forbidden()).toEqual([]);
  });
});
