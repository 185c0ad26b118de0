import { expect } from 'vitest';
import { parse } from 'yaml';
import { exitCodes } from '../../../src/cli/output/exit-codes.ts';
import { APP, type Scenario } from '../scenario.ts';
import { serin } from '../serin.ts';
import type { Application } from './application.ts';

/** A release of one kind from version 1 to 2, in the output of the commands for users. */
export interface SeenAs {
  kind: string;
  /** Rows of `serin status` while the canary gets traffic. */
  target: RegExp;
  primary: RegExp;
  /** `serin diff` then. */
  change: RegExp;
  /** Both promotions in `serin history`, the newest first. */
  holds: readonly [string, string];
}

/** Looks at each phase of a release by every command, and requests possible and impossible verbs. */
export async function aPersonSteers(
  { namespace, when, then }: Scenario,
  app: Application,
  seen: SeenAs,
  kubeconfigFile: string,
): Promise<void> {
  const ask = (...args: string[]) => serin(kubeconfigFile, ...args, '--namespace', namespace);
  const causeOf = async () => parse((await ask('why', APP, '-ojson')).said).diagnosis.cause;
  const { done, no, refused } = exitCodes;
  const nothingDiffers = { code: done.code, said: '', complained: 'Nothing would change: target and primary are the same.\n' };
  const wait = ['wait', APP, '--for=succeeded', '--revision=target', '--timeout=5m'];

  await app.isScaledDown();
  // The first revision is never said to succeed, and is promoted all the same.
  expect(await ask(...wait)).toMatchObject({ code: done.code, said: expect.stringContaining('(Initialized)') });
  expect(await ask('diff', APP)).toEqual(nothingDiffers);
  expect(await causeOf()).toBe('Resting');

  await when.thisHappens(() => app.push('2'));
  await then.statusWas('gets some traffic', ({ canaryWeight }) => canaryWeight > 0);
  expect(await ask('pause', APP)).toMatchObject({ code: done.code });
  expect((await ask('list')).said).toMatch(/^podinfo +(Progressing|WaitingPromotion) /m);
  const { said } = await ask('status', APP);
  expect(said).toMatch(seen.target);
  expect(said).toMatch(seen.primary);
  expect(said).toMatch(/^ {2}Paused by /m);
  expect(await causeOf()).toBe('Paused');
  expect(await ask('diff', APP)).toMatchObject({ code: no.code, said: expect.stringMatching(seen.change), complained: '' });
  expect(await ask('undo', APP)).toMatchObject({ code: refused.code, said: expect.stringContaining('its release is under way') });

  expect(await ask('promote', APP)).toMatchObject({ code: done.code });
  expect(await ask(...wait)).toMatchObject({ code: done.code, said: expect.stringContaining('(Succeeded)') });
  await then.releaseEnds('Succeeded');
  await app.primaryRuns('2');
  expect(await ask('diff', APP)).toEqual(nothingDiffers);
  expect(await causeOf()).toBe('Resting');
  const [, newest = '', first = ''] = (await ask('history', APP)).said.split('\n');
  expect([newest, first].map((line) => line.includes(' serves '))).toEqual([true, false]);
  expect([newest, first].map((line, index) => line.endsWith(seen.holds[index] ?? 'nothing'))).toEqual([true, true]);
  expect(await ask('undo', APP)).toMatchObject({ code: refused.code, said: expect.stringContaining(`a ${seen.kind} cannot be undone`) });
}
