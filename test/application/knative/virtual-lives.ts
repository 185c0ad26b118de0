import { join } from 'node:path';
import { startVirtualEnvironment } from '../../scenarios/environment.ts';
import { leave, play as whileTimeGoesOn } from '../../scenarios/world.ts';
import type { Life } from '../life.ts';
import { report } from '../play.ts';
import { shortened } from '../real-world.ts';
import type { WorldMaker } from '../world.ts';
import { knativeWorld } from './world.ts';

const WRITE = /^(create|update|patch|delete) /;
/** Events, leases, and what Serin remembers in ControllerRevisions: journals and anchors. */
const UNCOUNTED = / (events|leases|controllerrevisions)/;

/** Virtual time plays Serin in this process, from its sources. */
const SOURCES = join(import.meta.dirname, '..', '..', '..', 'src', 'cli', 'main.ts');

/** A life on an embedded cluster of its own, in virtual time: the same seed gives the same run. The report of its first break, if it has one. */
export const reportOfVirtual = (life: Life): Promise<string | undefined> => inVirtualTime(life, report);

/** Plays a life with an embedded cluster of its own, in virtual time. */
export async function inVirtualTime<T>(life: Life, run: (life: Life, make: WorldMaker) => Promise<T>): Promise<T> {
  const environment = await startVirtualEnvironment({ seed: life.seed });
  const written = () =>
    Object.fromEntries(Object.entries(environment.requestCounts()).filter(([what]) => WRITE.test(what) && !UNCOUNTED.test(what)));
  try {
    return await whileTimeGoesOn(() => run(shortened(life), knativeWorld(environment, written, SOURCES)));
  } finally {
    await whileTimeGoesOn(() => environment.stop());
    leave();
  }
}
