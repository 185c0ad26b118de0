import { describe, expect, it, vi } from 'vitest';
import { commandLine } from '../../src/loadtester/words.ts';
import { raw } from '../fakes/raw.ts';
import { eventually } from './eventually.ts';
import { serin } from './serin.ts';
import type { Stage } from './stage.ts';
import { clear, isNamed, proofOf, type RunLine, whyOfStall } from './stalls/clearing.ts';
import { stalls } from './stalls/index.ts';
import { kubectlHere } from './stalls/kubectl.ts';
import { OUTDATED } from './stalls/outdated.ts';
import type { Stall } from './stalls/stall.ts';
import { type OpenTheatre, openTheatre } from './stalls/theatre.ts';
import { push } from './troubles/objects.ts';
import { canaryCrd, tellOldDefinitions, withoutRelease } from './troubles/old-definitions.ts';
import { startUsers } from './users.ts';
import { afterAll, beforeAll } from './world.ts';

/** Stalls mostly wait: for pods, for the next tick, for a pause to be over. */
const AT_ONCE = 6;

/** A person at the cluster beside its own client. */
export interface Person {
  kubeconfigFile: string;
  kubectl(...words: string[]): Promise<string>;
}

/**
 * Ways for a release to stand still: each is told in the Canary's conditions (and by `kubectl describe canary` alone, where there is a
 * kubectl), `serin why` names its true cause and proves it, and what it says to do, done literally, ends it.
 */
export function describeStalls(stageOf: () => Stage, personOf?: () => Person): void {
  vi.setConfig({ maxConcurrency: AT_ONCE });
  let theatre: OpenTheatre;
  beforeAll(async () => {
    theatre = await openTheatre(stageOf(), personOf?.().kubeconfigFile ?? stageOf().kubeconfigFile);
  });
  afterAll(() => theatre?.close());

  const isToldBy = ({ cause, wayOut }: Stall, line: string): boolean => cause.test(line) && wayOut.test(line);
  const isTold = async (stall: Stall): Promise<void> => {
    const { namespace, cause, wayOut } = stall;
    if (stall.unspoken) return;
    await theatre.teller.until(namespace, 'web', `${cause} and ${wayOut}`, ({ conditions }) =>
      conditions.some(({ message }) => isToldBy(stall, message)),
    );
    if (personOf === undefined) return;
    // A release that tries again tells of each attempt in turn, so that one look may come between two.
    const lines = async () => (await personOf().kubectl('describe', 'canary', 'web', '--namespace', namespace)).split('\n');
    await eventually(`kubectl describe tells ${cause} and ${wayOut}`, lines, (all) => all.some((line) => isToldBy(stall, line)));
  };

  /** As somebody does who copies the line: no shell is needed for it. */
  const run: RunLine = async (line) => {
    const read = commandLine(line);
    if ('beyond' in read) throw new Error(`${line}: ${read.beyond}`);
    const [[program, ...words] = [], ...more] = read.pipeline;
    expect(more).toEqual([]);
    if (program === 'kubectl') return void (personOf ? await personOf().kubectl(...words) : await kubectlHere(theatre.cluster, words));
    expect(program).toBe('serin');
    expect(await serin(theatre.kubeconfigFile, ...words)).toMatchObject({ code: 0, complained: '' });
  };

  const isNamedAndCleared = async (stall: Stall): Promise<void> => {
    const { namespace, why } = stall;
    const what = `serin why names ${why.cause}`;
    const found = await eventually(
      what,
      () => whyOfStall(theatre, namespace),
      (told) => isNamed(stall, told),
    );
    if (found === undefined || why.clear === 'nothing') return;
    await clear(stall, found.diagnosis, theatre, run);
    const hint = () => `It was proved by ${proofOf(found.diagnosis)}, and this was to be done: ${JSON.stringify(found.diagnosis)}`;
    const { cause, sentence } = found.diagnosis;
    // The sentence is news, and to look again and again is not free.
    if (!stall.unspoken)
      await theatre.teller.until(namespace, 'web', `the end of: ${sentence}`, ({ conditions }) =>
        conditions.every(({ message }) => message !== sentence),
      );
    await eventually(
      `what was said to clear ${cause} clears it`,
      () => whyOfStall(theatre, namespace),
      (told) => told?.diagnosis.cause !== cause && told?.diagnosis.sentence !== sentence,
      hint,
    );
  };

  const reader = personOf === undefined ? 'one condition' : 'kubectl describe canary alone';
  describe.concurrent('a release that stands still', () => {
    it('is tried with at least sixty stalls', () => {
      expect(stalls.length).toBeGreaterThanOrEqual(60);
      expect(new Set(stalls.map(({ namespace }) => namespace)).size).toBe(stalls.length);
    });
    it.for(stalls)(
      `$namespace: ${reader} names the cause and the way out, serin why $why.cause, and doing what it says ends it`,
      async (stall) => {
        await stall.play(theatre);
        await isTold(stall);
        await isNamedAndCleared(stall);
        // Its checks and retries would go on beside all later stalls.
        await theatre.cluster.delete({ apiVersion: 'v1', kind: 'Namespace', name: stall.namespace });
      },
    );
  });
  // Alone and last: every Canary of the cluster loses its memory.
  it(`${OUTDATED.namespace}: ${reader} names the cause and the way out, the primary serves on, and the release goes on after it`, async () => {
    const { cluster, mesh } = stageOf();
    const { namespace } = OUTDATED;
    await OUTDATED.play(theatre);
    const users = startUsers(mesh.urls, `web.${namespace}`);
    try {
      const canary = { apiVersion: 'flagger.app/v1beta1', kind: 'Canary', name: 'web', namespace };
      await cluster.apply(withoutRelease(canaryCrd()));
      await eventually(
        'the Canary has lost its memory',
        async () => raw(await cluster.get(canary))?.status?.release,
        (release) => release === undefined,
      );
      await push(cluster, namespace, 'web', '2');
      await isTold(OUTDATED);
      const [target, primary, now] = await Promise.all([
        cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web', namespace }),
        cluster.get({ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web-primary', namespace }),
        cluster.get(canary),
      ]);
      expect(raw(target)?.spec.replicas, 'no release started').toBe(0);
      expect(raw(primary)?.spec.template.spec.containers[0].image).toBe('web:1');
      expect(now?.status).toMatchObject({ phase: 'Initialized', canaryWeight: 0 });
      await users.pace(stageOf().mesh.urls.length);
      expect(Object.keys(users.byVersion())).toEqual(['1']);
      await isNamedAndCleared(OUTDATED);
      const told = await theatre.teller.until(namespace, 'web', 'success', ({ phase }) => phase === 'Succeeded');
      expect(told.conditions.map(({ type }) => type)).toEqual(['Promoted']);
      expect(users.lost()).toEqual([]);
    } finally {
      await users.stop();
    }
  });
  tellOldDefinitions(stageOf, () => theatre, isTold);
}
