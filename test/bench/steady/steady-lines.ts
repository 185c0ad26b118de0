import { listed } from '../figures.ts';
import type { SteadyResult } from './measure-steady.ts';
import type { MemorySeries, Part } from './memory.ts';

const LABEL = 52;

/** The result as lines for a terminal. */
export function steadyLines(result: SteadyResult): string[] {
  const { canaries, minutes, everySeconds, releases, requests, requestsARelease, cpuSecondsARelease, memory, processEnds } = result;
  const row = (label: string, text: string) => `${label.padEnd(LABEL)}${text}`;
  return [
    '',
    'Deployments are ready as soon as their change is seen: a writer of their status stands for kube-controller-manager and pods.',
    row('Canaries; a release every', `${canaries}; ${everySeconds} s for ${minutes} min`),
    row('releases, bad ones among them', `${releases.begun}, ${releases.bad}`),
    row('  ends', listed(releases.ends)),
    row('  other ends than their version deserves', String(releases.wrong)),
    row('  not begun: all Canaries had one under way', String(releases.missed)),
    row('requests a release', requestsARelease.toFixed(1)),
    row('  429, 5xx; cancelled; sent again', `${listed(requests.failures)}; ${requests.cancelled}; ${requests.resent}`),
    row('CPU a release', `${cpuSecondsARelease.toFixed(3)} s`),
    row('samples of memory', String(memory.samples.length)),
    row('RSS in the first quarter, mean / max', part(memory.rss.firstQuarter)),
    row('RSS in the last quarter, mean / max', part(memory.rss.lastQuarter)),
    row('  slope after the first 10 min', slope(memory.rss)),
    row('heap in the first quarter, mean / max', part(memory.heap.firstQuarter)),
    row('heap in the last quarter, mean / max', part(memory.heap.lastQuarter)),
    row('  slope after the first 10 min', slope(memory.heap)),
    row('process ended by itself', String(processEnds)),
    '',
    `requests: ${listed(requests.byWhat)}`,
  ];
}

const part = ({ mean, max }: Part): string => `${mean.toFixed(1)} / ${max.toFixed(1)} MiB`;

function slope({ slope: found }: MemorySeries): string {
  if (found === undefined) return 'none: too few samples';
  const { slope: each, standardError, points } = found;
  return `${each >= 0 ? '+' : ''}${each.toFixed(2)} ± ${standardError.toFixed(2)} MiB an hour (standard error, ${points} samples)`;
}
