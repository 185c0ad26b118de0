import { seededRandom } from '../mesh/random.ts';
import type { World } from '../world.ts';
import { MemoryNetwork } from './memory-network.ts';
import { VirtualClock } from './virtual-clock.ts';

export interface VirtualWorld extends World {
  readonly clock: VirtualClock;
  readonly network: MemoryNetwork;
}

/** A world of its own: the same seed and the same work give the same run, moment by moment. */
export function virtualWorld(seed: number): VirtualWorld {
  const clock = new VirtualClock();
  return { clock, network: new MemoryNetwork(clock, seededRandom(seed + 1)), random: seededRandom(seed) };
}
